/** What is known of a command that is written by hand before it is loaded. */
import type { Command } from 'commander';
import type { Api } from '../contract/api.ts';
import type { Context } from '../interaction/context.ts';

export interface HandWritten {
  name: string;
  summary: string;
  group: 'account' | 'tools';
  /** Words that people use for it, with the command that they mean. */
  meant?: Readonly<Record<string, string>>;
  /** Left out of all help: no person types it. */
  hidden?: true;
  /** The words behind its name are taken as they are: no flag among them is boh's. */
  raw?: true;
  /** Whether it writes to an account, by the words behind its name that are no flags. Left out: never. */
  isWrite?(words: readonly string[], api: Api): boolean;
  /** Builds the command; `words` are those that follow its name on the line. */
  load(context: Context, words: readonly string[]): Promise<Command>;
}
