/** Defines how hand-written commands and verbs are declared. boh reads the declarations before it loads a command. */
import type { Api, Reference } from '../../api/contract/api.ts';
import type { Context } from '../context/context.ts';
import type { Command } from './command.ts';

/** The groups of commands in `boh --help`, by task. */
export type Task =
  | 'everyday'
  | 'move data'
  | 'declare'
  | 'look back'
  | 'query'
  | 'check'
  | 'set up'
  | 'build';

/** A command that isn't generated from the contract. */
export interface HandWritten {
  name: string;
  summary: string;
  /** The group in `boh --help`. */
  group: Task;
  /** Other words that users may try, each with the command to suggest. */
  suggestions?: Readonly<Record<string, string>>;
  /** Whether help omits it, because users don't call it. */
  hidden?: true;
  /** Whether boh reads no flags after its name. */
  raw?: true;
  /** Returns whether it writes to an account, given the words after its name that aren't flags. Absent if it never does. */
  isWrite?(words: readonly string[], api: Api): boolean;
  /** Loads and builds the command; `words` follow its name on the command line. */
  load(context: Context, words: readonly string[]): Promise<Command>;
}

/** The methods that `boh api` sends. */
export const apiMethods: readonly string[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

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
