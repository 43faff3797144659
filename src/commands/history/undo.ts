/** `boh undo` and `boh redo`: select writes, and plan and send their undo or redo. */

import { Option } from 'commander';
import { Failure, usage } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import { formatCount } from '../../base/shown-items.ts';
import type { Context } from '../../context/context.ts';
import { Journal, journalFile } from '../../history/journal/journal.ts';
import { completeRun } from '../../history/maintenance/complete-run.ts';
import {
  type SelectedWrites,
  selectLast,
  selectNumber,
  selectRun,
  selectSince,
  selectUndo,
  selectUndone,
} from '../../history/undo/select-writes.ts';
import { createAction } from '../../output/present.ts';
import type { Result } from '../../output/result.ts';
import { canAsk } from '../../prompts/missing-input.ts';
import type { Ledger } from '../../runs/ledger/ledger.ts';
import { ownerOfRun } from '../../runs/ledger/owner.ts';
import { isRunId, startTimeOf } from '../../runs/ledger/run-id.ts';
import { listRunIds, openRun } from '../../runs/ledger/runs.ts';
import type { Session } from '../../session/session.ts';
import { StorageFailure } from '../../storage/failures.ts';
import { note, warn } from '../../terminal/messages.ts';
import { addPlanningFlags, type RunFlags } from '../bulk/run-flags.ts';
import { checkRunFlags } from '../bulk/run-session.ts';
import { lockSetToUndo, nameOfSetBegunBy } from '../change/open-sets.ts';
import { Command } from '../command.ts';
import { prepare } from '../prepare.ts';
import { openHistory } from './open-history.ts';
import { parseEntryFilter } from './parse-filter.ts';
import { pickRecordedRun } from './pick-write.ts';
import { redactJson } from './recording.ts';
import { undoWrites } from './undo-writes.ts';

/** The flags of `boh undo`, not yet validated. */
export interface UndoFlags extends RunFlags {
  last?: boolean;
  since?: string;
  by?: string;
  field?: string;
  change?: string;
}

/** Returns the command `boh undo`. */
export function undoCommand(context: Context): Command {
  const command = prepare(new Command('undo').withDryRun())
    .argument('[write-or-run]', 'the number of a write, or the ID of a run; omit to be prompted')
    .usage('[write-or-run] [flags]')
    .description(
      'Undo a write or a run: restore the earlier values. Values changed since then are kept. All changes are shown first.',
    );
  command.group(
    'Writes:',
    new Option('--last', 'undo the newest write or run'),
    new Option('--since <time>', 'undo all writes since then: 7d, 12h, 2026-11-20T08:00Z'),
    new Option('--by <user>', 'with --since: only writes of this user or profile'),
    new Option('--field <name>', 'undo only changes of this field'),
    new Option('--change <name>', 'undo a change set that has started'),
  );
  addPlanningFlags(command);
  command.examples('boh undo --last --dry-run', 'boh undo --since 12h --by "Amal Haddad"');
  return command.action(
    createAction(context, () => undo(command.args[0], command.opts<UndoFlags>(), context)),
  );
}

async function undo(argument: string | undefined, flags: UndoFlags, context: Context): Promise<Result> {
  checkRunFlags(flags);
  const { last, since, by, change } = flags;
  if (change !== undefined && argument !== undefined)
    throw usage("--change can't be combined with a write or a run.");
  let lockedSet = change === undefined ? undefined : await lockSetToUndo(change, flags, context);
  const selector = lockedSet?.set.run ?? argument;
  const isPromptNeeded =
    selector === undefined && last === undefined && since === undefined && by === undefined;
  const target = isPromptNeeded && canAsk(context) ? await pickTarget(context) : selector;
  if ([target, last, since].filter((value) => value !== undefined).length !== 1) {
    throw usage('Specify what to undo: the number of a write, the ID of a run, --last or --since.', {
      hint: boh.hint`To list writes: ${boh.account('history')}`,
    });
  }
  if (by !== undefined && since === undefined) throw usage('--by needs --since.');
  const sinceTime = await parseSince(flags, context);
  const session = await context.session();
  await completeHistory(selectedRuns(target, sinceTime, await session.folder()), session, context);
  const journal = await openHistory(context);
  const selected = journal && (await selectTarget(target, flags, journal, context));
  if (!journal || !selected) {
    const reason = target === undefined ? 'no writes found' : `no write or run ${target}`;
    throw new Failure('not_found', `Nothing to undo: ${reason}.`, {
      hint: boh.hint`To list writes: ${boh.account('history')}`,
    });
  }
  const setName = isRunId(selected.selector) ? await nameOfSetBegunBy(selected.selector, context) : undefined;
  if (setName !== undefined) lockedSet ??= await lockSetToUndo(setName, flags, context);
  const result = await undoWrites(
    { journal, selected, flags, isRedo: false, onLedger: lockedSet?.onRunId },
    context,
  );
  return lockedSet ? lockedSet.wrapResult(result) : result;
}

async function pickTarget(context: Context): Promise<string> {
  // The ledgers of runs may have writes that are missing in the history.
  const session = await context.session();
  await completeHistory(selectedRuns(undefined, undefined, await session.folder()), session, context);
  const journal = await openHistory(context);
  try {
    return await pickRecordedRun(journal, context);
  } finally {
    journal?.close();
  }
}

async function parseSince({ since }: UndoFlags, context: Context): Promise<number | undefined> {
  return since === undefined ? undefined : (await parseEntryFilter([], { since }, context)).since;
}

async function selectTarget(
  target: string | undefined,
  { since, by }: UndoFlags,
  journal: Journal,
  context: Context,
): Promise<SelectedWrites | undefined> {
  if (target !== undefined)
    return /^\d{1,15}$/.test(target) ? selectNumber(journal, Number(target)) : selectRun(journal, target);
  if (since === undefined) return selectLast(journal);
  const filter = await parseEntryFilter([], { since, ...(by !== undefined && { by }) }, context);
  return selectSince(journal, filter.since ?? 0, filter);
}

/** Returns the IDs of the runs to undo: the named run, all runs since a time, or the newest run. */
function selectedRuns(target: string | undefined, since: number | undefined, folder: string): string[] {
  const runs = listRunIds(folder);
  if (target !== undefined) return runs.filter((id) => id === target);
  return since === undefined ? runs.slice(0, 1) : runs.filter((id) => startTimeOf(id) >= since);
}

/** Adds missing writes to the history from ledgers of runs of the account. */
export async function completeHistory(
  runs: readonly string[],
  session: Session,
  context: Context,
): Promise<void> {
  if (!session.settings.history.journal) return;
  const folder = await session.folder();
  for (const run of runs) {
    const ledger = openLedger(folder, run, context);
    // Nothing was sent by a run without an account.
    if (!ledger || !ownerOfRun(ledger)) {
      ledger?.close();
      continue;
    }
    const journal = new Journal(journalFile(folder), { hide: redactJson });
    try {
      const count = await completeRun({ journal, ledger, session, now: context.now().getTime() });
      if (count === 0) continue;
      const writes = count === 1 ? 'write' : 'writes';
      note(
        context.streams,
        `Added ${formatCount(count)} missing ${writes} to the history, from the ledger of run ${run}.`,
      );
    } finally {
      journal.close();
      ledger.close();
    }
  }
}

function openLedger(folder: string, run: string, { streams }: Context): Ledger | undefined {
  try {
    return openRun(folder, run);
  } catch (error) {
    if (!(error instanceof StorageFailure)) throw error;
    warn(streams, `${error.message} Writes of this run may be missing in the history.`);
    return undefined;
  }
}

/** Returns the command `boh redo`. */
export function redoCommand(context: Context): Command {
  const command = prepare(new Command('redo').withDryRun())
    .argument('[run]', 'the ID of an undo run (default: the newest)')
    .usage('[run] [flags]')
    .description('Redo what an undo reverted. All changes are shown first.');
  addPlanningFlags(command);
  command.examples('boh redo --dry-run', 'boh redo --yes');
  return command.action(
    createAction(context, () => redo(command.args[0], command.opts<RunFlags>(), context)),
  );
}

async function redo(target: string | undefined, flags: RunFlags, context: Context): Promise<Result> {
  checkRunFlags(flags);
  const journal = await openHistory(context);
  const selected = journal && (target === undefined ? selectUndone(journal) : selectUndo(journal, target));
  if (!journal || !selected) {
    const message = target === undefined ? 'Nothing to redo.' : `Undo ${target} not found.`;
    throw new Failure('not_found', message, {
      hint: boh.hint`To list writes: ${boh.account('history')}`,
    });
  }
  return undoWrites({ journal, selected, flags, isRedo: true }, context);
}
