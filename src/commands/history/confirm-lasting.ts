/** What is asked before entries are taken out of the history, and said while its file is written again without them. */

import { Failure, usage } from '../../base/errors.ts';
import type { Context } from '../../context/context.ts';
import type { Database } from '../../storage/database.ts';
import { scrub, scrubbedBytes } from '../../storage/scrub.ts';
import { note } from '../../terminal/messages.ts';

/** `what` begins a question, or the sentence that asks for `--yes`. */
export async function confirmLasting(what: string, { globals, streams }: Context): Promise<void> {
  if (globals.yes) return;
  if (!streams.interactive) {
    throw usage(`${what}? Add --yes.`, { hint: 'There is no terminal to ask on, and it can’t be undone.' });
  }
  const { confirm } = await import('../../prompts/terminal/prompts.ts');
  if (await confirm(streams, { message: `${what}? It can’t be undone.` })) return;
  throw new Failure('interrupted', 'Nothing was done.');
}

/** Takes about half a second. In bytes. */
const large = 50_000_000;

export async function scrubTold(database: Database, { streams }: Context): Promise<void> {
  const bytes = scrubbedBytes(database);
  if (bytes >= large)
    note(
      streams,
      `Writing ${database.file} anew without what was taken out (${Math.round(bytes / 1e6)} MB); other runs of boh that write wait meanwhile.`,
    );
  await scrub(database);
}
