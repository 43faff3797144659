/** Finds the commands of references, such as `boh branches`. Every completion loads this file: keep it small. */
import type { Api, Reference } from '../../api/contract/api.ts';

/** Returns the reference with a command of this name, in the plural or singular: `price-tags` or `price-tag`. */
export function findReferenceCommand(commandName: string, { references }: Api): Reference | undefined {
  return references.find(
    ({ name, one, isNamed }) => isNamed && [commandOf(name), one.replaceAll(' ', '-')].includes(commandName),
  );
}

/** Returns the commands of the references that aren't resources of the account's kind of service. */
export function referenceCommands({ references, listOfReference }: Api): string[] {
  return references
    .filter(({ isNamed, name }) => isNamed && !listOfReference(name))
    .map(({ name }) => commandOf(name));
}

/** Returns the command of a reference: its name with hyphens. */
export function commandOf(name: string): string {
  return name.replaceAll('_', '-');
}
