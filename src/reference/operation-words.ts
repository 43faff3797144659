/** What an operation does and what it needs, in the words of help. */
import { boh, type Hint } from '../base/hint.ts';
import { type CompositeOperation, isComposite } from '../contract/composite.ts';
import { irreversibleEffects } from '../contract/irreversible.ts';
import { type Operation, requiredScopes } from '../contract/operation.ts';
import { capitalized, withArticle } from '../contract/wording.ts';

/** "Add one" of suppliers is "Add a supplier". */
export function summaryOf(operation: Operation): string {
  const { about, resource, effect } = operation;
  const one = withArticle(resource.noun);
  if (isComposite(operation)) return `Add ${one}, or change the one that is there`;
  switch (effect) {
    case 'list':
      return `${about} ${resource.nouns}`;
    case 'get':
      return resource.singleton ? resource.summary : `Show ${one}`;
    case 'create':
      return `Add ${one}`;
    case 'update':
      return `Change ${one}`;
    case 'delete':
      return `Delete ${resource.nouns}`;
    case 'restore':
      return `Bring back deleted ${resource.nouns}`;
    default:
      return about;
  }
}

/** Of a verb that is several operations, which they are. */
export function madeOfLine({ steps }: CompositeOperation): string {
  return `Made of ${listed(steps.map(({ command }) => command))}, as far as they are needed; needs the scopes of those.`;
}

export function scopeLine(operation: Operation): string {
  const demanded = requiredScopes(operation).join(' or ');
  if (operation.scopes.length > 0) return `Needs the scope ${demanded}.`;
  const sandbox = demanded === '' ? '' : `; the sandbox demands ${demanded}`;
  return `The scope it needs is not documented${sandbox}.`;
}

/** Whether what a delete removes can be brought back, and how; nothing for other operations. */
export function outlook(operation: Operation): Hint | undefined {
  const { effect, resource } = operation;
  if (effect !== 'delete') return undefined;
  const [lasting] = irreversibleEffects(operation, {});
  return (
    lasting ??
    boh.hint`${capitalized(resource.nouns)} can be restored: ${boh.account(`${resource.command} restore`, 'ID')}`
  );
}

/** "a, b and c". */
export function listed(words: readonly string[], joint = 'and'): string {
  return words.length > 1 ? `${words.slice(0, -1).join(', ')} ${joint} ${words.at(-1)}` : words.join('');
}

/** A sentence needs an end; texts of the contract have none. */
export function asSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
