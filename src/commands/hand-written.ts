/** What is known of the commands and verbs that are written by hand before they are loaded. */

import type { Context } from '../context/context.ts';
import type { Api } from '../contract/api.ts';
import type { Resource } from '../contract/resource.ts';
import type { Command } from './command.ts';

/** What people want to do: the groups of commands in `boh --help`. */
export type Task =
  | 'everyday'
  | 'move data'
  | 'declare'
  | 'look back'
  | 'query'
  | 'check'
  | 'set up'
  | 'build';

/** A command that isn't made from the contract. */
export interface HandWritten {
  name: string;
  summary: string;
  /** The heading of `boh --help` that it stands under. */
  group: Task;
  /** Words that people use for it, with the command that they mean. */
  meant?: Readonly<Record<string, string>>;
  /** Left out of all help: no person types it. */
  hidden?: true;
  /** The words behind its name are taken as they are: no flag among them is boh's. */
  raw?: true;
  /** Whether it writes to an account, by the words behind its name that are no flags. Left out: never. */
  isWrite?(words: readonly string[], api: Api): boolean;
  /** Loads and builds the command; `words` are those that follow its name on the line. */
  load(context: Context, words: readonly string[]): Promise<Command>;
}

/** A verb of a resource that is no operation of its own: written by hand, and loaded when a line names it. */
export interface ResourceVerb {
  name: string;
  summary(resource: Resource): string;
  /** Whether the resource has what the verb needs. */
  isFor(resource: Resource): boolean;
  /** It writes to an account. */
  isWrite?: true;
  configure(command: Command, resource: Resource, context: Context): Promise<void>;
}

/** The methods that `boh api` sends. */
export const apiMethods: readonly string[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
