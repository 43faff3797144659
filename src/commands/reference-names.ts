/** The words that name a command of a reference, such as `boh branches`. Loaded at every completion: keep it small. */
import type { Api, Reference } from '../contract/api.ts';

/** As people type it: `price-tags`, or one of them. */
export function referenceCalled(word: string, { references }: Api): Reference | undefined {
  return references.find(
    ({ name, one, isNamed }) => isNamed && [commandOf(name), one.replaceAll(' ', '-')].includes(word),
  );
}

/** All of them. */
export function referenceCommands({ references }: Api): string[] {
  return references.filter(({ isNamed }) => isNamed).map(({ name }) => commandOf(name));
}

export function commandOf(name: string): string {
  return name.replaceAll('_', '-');
}
