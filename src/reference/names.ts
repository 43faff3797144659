/** What things are called: commands as they are typed, and the records on the other side of a relation. */
import type { Operation } from '../contract/operation.ts';
import { resourceNamed } from '../resources/index.ts';
import { references } from '../resources/references.ts';

/** `suppliers link-item`, `whoami`. */
export function commandName({ resource, verb }: Operation): string {
  return resource.singleton ? resource.command : `${resource.command} ${verb}`;
}

/** One record of a resource or reference, in words: "inventory item". */
export function oneOf(target: string): string {
  const one = resourceNamed(target)?.one ?? references.find(({ name }) => name === target)?.one ?? target;
  return one.replaceAll(/[-_]/g, ' ');
}

/** Several of them: "inventory items". */
export function manyOf(target: string): string {
  return target.replaceAll('_', ' ');
}

export function withArticle(noun: string): string {
  return `${/^[aeio]/.test(noun) ? 'an' : 'a'} ${noun}`;
}

/** "a, b and c". */
export function listed(words: readonly string[], joint = 'and'): string {
  return words.length > 1 ? `${words.slice(0, -1).join(', ')} ${joint} ${words.at(-1)}` : words.join('');
}

/** A sentence needs an end; texts of the contract have none. */
export function asSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
