/** Describes operations for help: what they do and which scopes they need. */
import { boh, type Hint } from '../../base/hint.ts';
import { type CompositeOperation, isComposite } from '../contract/composite.ts';
import { irreversibleEffects } from '../contract/irreversible.ts';
import { type Operation, requiredScopes } from '../contract/operation.ts';
import { capitalize, withArticle } from '../contract/wording.ts';

/** Returns a summary of an operation in one line: "Create a supplier". */
export function operationSummary(operation: Operation): string {
  const { description, resource, effect } = operation;
  const record = withArticle(resource.noun);
  if (isComposite(operation)) return `Create ${record}, or update the existing one`;
  switch (effect) {
    case 'list':
      return `${description} ${resource.nouns}`;
    case 'get':
      return resource.singleton ? resource.summary : `Show ${record}`;
    case 'create':
      return `Create ${record}`;
    case 'update':
      return `Update ${record}`;
    case 'delete':
      return `Delete ${resource.nouns}`;
    case 'restore':
      return `Restore deleted ${resource.nouns}`;
    default:
      return description;
  }
}

/** Returns a sentence with the operations that a composite verb may call. */
export function describeSteps({ steps }: CompositeOperation): string {
  return `Calls ${joinWords(steps.map(({ command }) => command))} as needed, and needs their scopes.`;
}

export function describeScopes(operation: Operation): string {
  const required = requiredScopes(operation).join(' or ');
  if (operation.scopes.length > 0) return `Needs the scope ${required}.`;
  const sandboxNote = required === '' ? '' : `; the sandbox requires ${required}`;
  return `The API document doesn't name the scope${sandboxNote}.`;
}

/** Returns whether a deleted record can be restored, and how; undefined for other operations. */
export function consequenceOf(operation: Operation): Hint | undefined {
  const { effect, resource } = operation;
  if (effect !== 'delete') return undefined;
  const [irreversible] = irreversibleEffects(operation, {});
  return (
    irreversible ??
    boh.hint`${capitalize(resource.nouns)} can be restored: ${boh.account(`${resource.command} restore`, 'ID')}`
  );
}

/** Joins words: "a, b and c". */
export function joinWords(words: readonly string[], conjunction = 'and'): string {
  return words.length > 1
    ? `${words.slice(0, -1).join(', ')} ${conjunction} ${words.at(-1)}`
    : words.join('');
}

/** Returns the text with a period; descriptions in the contract have none. */
export function toSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
