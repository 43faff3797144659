/** `boh history prune`: deletes old entries. boh also deletes them automatically after two years, or above 1 GB. */
import { Option } from 'commander';
import { usage } from '../../base/errors.ts';
import { once } from '../../base/once.ts';
import { formatCount } from '../../base/shown-items.ts';
import { runsInProgress } from '../../changes/open-change-sets.ts';
import type { Context } from '../../context/context.ts';
import { parseFilterTime } from '../../contract/date-time.ts';
import { countUpTo, dropUpTo, newestToDrop } from '../../history/maintenance/delete-old.ts';
import { createAction } from '../../output/present.ts';
import { messageResult, type Result } from '../../output/result.ts';
import { confirmAction } from '../../prompts/confirm.ts';
import { note } from '../../terminal/messages.ts';
import { Command } from '../command.ts';
import { prepare } from '../prepare.ts';
import { openHistoryIn } from './open-history.ts';
import { irreversible, scrubWithNote } from './scrub-with-note.ts';

interface Flags {
  olderThan?: string;
  maxSize?: string;
}

const bytesPerUnit: Readonly<Record<string, number>> = { KB: 1e3, MB: 1e6, GB: 1e9 };

/** Returns the command `boh history prune`. */
export function pruneCommand(context: Context): Command {
  return prepare(new Command('prune'))
    .description(
      'Delete old entries; their writes can then no longer be undone. Entries are deleted automatically after two years, or above 1 GB.',
    )
    .examples('boh history prune --older-than 90d', 'boh history prune --max-size 100MB')
    .addOption(new Option('--older-than <age>', 'delete entries older than this: 90d, 2026-01-01'))
    .addOption(
      new Option('--max-size <size>', 'delete the oldest entries until the history has this size: 100MB'),
    )
    .action(createAction(context, (flags: Flags) => run(flags, context)));
}

async function run({ olderThan, maxSize }: Flags, context: Context): Promise<Result> {
  const now = context.now();
  const cutoff = olderThan === undefined ? undefined : parseFilterTime(olderThan, now);
  const [, amount, unit = ''] = /^(\d{1,6})\s*(KB|MB|GB)$/i.exec(maxSize ?? '') ?? [];
  if (olderThan !== undefined && !cutoff)
    throw usage('--older-than must be an age, such as 90d, or a day, such as 2026-01-01.');
  if (maxSize !== undefined && amount === undefined) throw usage('--max-size must be a size, such as 100MB.');
  if (!cutoff && amount === undefined) throw usage('Missing --older-than or --max-size.');
  const folder = await (await context.session()).folder();
  const journal = openHistoryIn(folder, context);
  const limits = {
    age: cutoff && now.getTime() - cutoff.getTime(),
    bytes: amount === undefined ? undefined : Number(amount) * (bytesPerUnit[unit.toUpperCase()] ?? 1),
  };
  const kept = once(() => runsInProgress(folder));
  const upTo = journal ? newestToDrop(journal, limits, now.getTime(), kept) : 0;
  if (kept().length > 0)
    note(
      context.streams,
      'Entries since the start of a change set in progress are kept, to restore its earlier values.',
    );
  const action = `delete ${countedEntries(journal ? countUpTo(journal, upTo) : 0)} of the history`;
  await confirmAction({ action, consequence: irreversible }, context);
  const count = journal ? dropUpTo(journal, upTo, now.getTime()) : 0;
  if (journal) await scrubWithNote(journal.database, context);
  journal?.close();
  return messageResult(`Deleted ${countedEntries(count)}.`);
}

function countedEntries(count: number): string {
  return `${formatCount(count)} ${count === 1 ? 'entry' : 'entries'}`;
}
