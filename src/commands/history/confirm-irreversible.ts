/** Confirms the deletion of entries of the history, and rewrites its file without them. */

import { Failure, usage } from '../../base/errors.ts';
import type { Context } from '../../context/context.ts';
import type { Database } from '../../storage/database.ts';
import { scrub, scrubbedBytes } from '../../storage/scrub.ts';
import { note } from '../../terminal/messages.ts';

/** Asks `what`, which begins the question. Throws without `--yes` if there is no terminal, or if the answer is no. */
export async function confirmIrreversible(what: string, { globals, streams }: Context): Promise<void> {
  if (globals.yes) return;
  if (!streams.interactive) {
    throw usage(`${what}? To confirm, add --yes.`, { hint: "This can't be undone." });
  }
  const { confirm } = await import('../../prompts/terminal/prompts.ts');
  if (await confirm(streams, { message: `${what}? This can't be undone.` })) return;
  throw new Failure('interrupted', 'Canceled. Nothing was deleted.');
}

/** Rewriting a file of this size takes about half a second. */
const slowScrubBytes = 50_000_000;

/** Rewrites a database without deleted content. If that takes long, a note says so. */
export async function scrubWithNote(database: Database, { streams }: Context): Promise<void> {
  const bytes = scrubbedBytes(database);
  if (bytes >= slowScrubBytes)
    note(
      streams,
      `Rewriting ${database.file} without the deleted entries (${Math.round(bytes / 1e6)} MB). Other boh commands that write wait until it is done.`,
    );
  await scrub(database);
}
