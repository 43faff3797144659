/** What was deleted from the history, taken out of its bytes; said before where that takes a while. */
import type { Context } from '../../context/context.ts';
import type { Database } from '../../storage/database.ts';
import { scrub, scrubbedBytes } from '../../storage/scrub.ts';
import { note } from '../../terminal/messages.ts';

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
