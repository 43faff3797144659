/** Rewrites a file of the history without deleted entries. */

import type { Context } from '../../context/context.ts';
import type { Database } from '../../storage/database.ts';
import { scrub, usedBytes } from '../../storage/scrub.ts';
import { note } from '../../terminal/messages.ts';

/** The warning of commands that delete entries. */
export const irreversible = "This can't be undone.";

/** The size in bytes of a file that takes about half a second to rewrite. */
const slowScrubBytes = 50_000_000;

/** Rewrites a database without deleted content. Prints a note if that takes long. */
export async function scrubWithNote(database: Database, { streams }: Context): Promise<void> {
  const bytes = usedBytes(database);
  if (bytes >= slowScrubBytes)
    note(
      streams,
      `Rewriting ${database.file} without the deleted entries (${Math.round(bytes / 1e6)} MB). Other boh commands that write wait until it is done.`,
    );
  await scrub(database);
}
