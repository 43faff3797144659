/** `boh undo` and `boh redo`: select writes, and plan and send their undo or redo. */

import { Option } from 'commander';
import { Failure, usage } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import { formatCount } from '../../base/shown-items.ts';
import type { Context } from '../../context/context.ts';
import { Journal } from '../../history/journal/journal.ts';
import { journalFile } from '../../history/journal/journal-path.ts';
import type { EntryFilter } from '../../history/journal/reading.ts';
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
import { accountInUse, matchOwner, serviceName } from '../../session/file-owner.ts';
import { StorageFailure } from '../../storage/failures.ts';
import { note, warn } from '../../terminal/messages.ts';
import { addPlanningFlags, type RunFlags } from '../bulk/run-flags.ts';
import { checkRunFlags } from '../bulk/run-session.ts';
import { lockSetToUndo, nameOfSetBegunBy } from '../change/open-sets.ts';
import { Command } from '../command.ts';
import { type AnyAccountFlag, anyAccountOption } from '../flags/shared-flags.ts';
import { prepare } from '../prepare.ts';
import { type OpenHistory, openHistory, refuseWritesOfOtherAccounts } from './open-history.ts';
import { parseEntryFilter } from './parse-filter.ts';
import { pickRecordedRun } from './pick-write.ts';
import { redactJson } from './recording.ts';
import { undoWrites } from './undo-writes.ts';

/** The flags of `boh undo`, not yet validated. */
export interface UndoFlags extends RunFlags, AnyAccountFlag {
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
  command.addOption(anyAccountOption('allow writes of other accounts, and send the changes to this account'));
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
  const target = isPromptNeeded && canAsk(context) ? await pickTarget(flags, context) : selector;
  if ([target, last, since].filter((value) => value !== undefined).length !== 1) {
    throw usage('Specify what to undo: the number of a write, the ID of a run, --last or --since.', {
      hint: boh.hint`To list writes: ${boh.account('history')}`,
    });
  }
  if (by !== undefined && since === undefined) throw usage('--by needs --since.');
  const sinceTime = await parseSince(flags, context);
  await completeHistory(selectedRuns(target, sinceTime, context), context);
  const history = await openHistory(context, flags);
  const selected = history && (await selectTarget(target, flags, history, context));
  if (history && !selected && target !== undefined) {
    const findNumbers = (journal: Journal) => selectWrites(journal, target, {})?.numbers;
    await refuseWritesOfOtherAccounts(
      history,
      { label: `Write or run ${target}`, find: findNumbers },
      context,
    );
  }
  if (!history || !selected) {
    const reason = target === undefined ? 'no writes found' : `no write or run ${target}`;
    throw new Failure('not_found', `Nothing to undo: ${reason}.`, {
      hint: boh.hint`To list writes: ${boh.account('history')}`,
    });
  }
  const setName = isRunId(selected.selector)
    ? await nameOfSetBegunBy(selected.selector, flags, context)
    : undefined;
  if (setName !== undefined) lockedSet ??= await lockSetToUndo(setName, flags, context);
  const result = await undoWrites(
    { history, selected, flags, isRedo: false, onLedger: lockedSet?.onRunId },
    context,
  );
  return lockedSet ? lockedSet.wrapResult(result) : result;
}

async function pickTarget(flags: UndoFlags, context: Context): Promise<string> {
  // The ledgers of runs may have writes that are missing in the history.
  await completeHistory(selectedRuns(undefined, undefined, context), context);
  const history = await openHistory(context, flags);
  try {
    return await pickRecordedRun(history, context);
  } finally {
    history?.journal.close();
  }
}

function selectWrites(journal: Journal, target: string, filter: EntryFilter): SelectedWrites | undefined {
  if (/^\d{1,15}$/.test(target)) return selectNumber(journal, Number(target), filter);
  return selectRun(journal, target, filter);
}

async function parseSince({ since }: UndoFlags, context: Context): Promise<number | undefined> {
  return since === undefined ? undefined : (await parseEntryFilter([], { since }, context)).since;
}

async function selectTarget(
  target: string | undefined,
  { since, by }: UndoFlags,
  { journal, accounts }: OpenHistory,
  context: Context,
): Promise<SelectedWrites | undefined> {
  if (target !== undefined) return selectWrites(journal, target, { accounts });
  if (since === undefined) return selectLast(journal, { accounts });
  const filter = await parseEntryFilter([], { since, ...(by !== undefined && { by }) }, context);
  return selectSince(journal, filter.since ?? 0, { ...filter, accounts });
}

/** Returns the IDs of the runs to undo: the named run, all runs since a time, or the newest run. */
function selectedRuns(target: string | undefined, since: number | undefined, { env }: Context): string[] {
  if (target !== undefined) return isRunId(target) && listRunIds(env).includes(target) ? [target] : [];
  if (since === undefined) return listRunIds(env).slice(0, 1);
  return listRunIds(env).filter((id) => startTimeOf(id) >= since);
}

/** Adds missing writes to the history from ledgers of runs. Returns whether writes were added. Skips runs of other accounts. */
export async function completeHistory(runs: readonly string[], context: Context): Promise<boolean> {
  const settings = await context.settings();
  if (!settings.history.journal) return false;
  const service = serviceName(settings);
  let isChanged = false;
  for (const run of runs) {
    const ledger = openLedger(run, context);
    if (!ledger) continue;
    try {
      const owner = ownerOfRun(ledger);
      if (owner?.service !== service) continue;
      const session = await context.session();
      if (matchOwner(owner, await accountInUse(session)) !== 'own') continue;
      const journal = new Journal(journalFile(context.env, service), { hide: redactJson });
      try {
        const count = await completeRun({ journal, ledger, session, now: context.now().getTime() });
        if (count === 0) continue;
        const writes = count === 1 ? 'write' : 'writes';
        note(
          context.streams,
          `Added ${formatCount(count)} missing ${writes} to the history, from the ledger of run ${run}.`,
        );
        isChanged = true;
      } finally {
        journal.close();
      }
    } finally {
      ledger.close();
    }
  }
  return isChanged;
}

function openLedger(run: string, { env, streams }: Context): Ledger | undefined {
  try {
    return openRun(env, run);
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
  command.addOption(anyAccountOption('allow writes of other accounts, and send the changes to this account'));
  command.examples('boh redo --dry-run', 'boh redo --yes');
  return command.action(
    createAction(context, () => redo(command.args[0], command.opts<RunFlags & AnyAccountFlag>(), context)),
  );
}

async function redo(
  target: string | undefined,
  flags: RunFlags & AnyAccountFlag,
  context: Context,
): Promise<Result> {
  checkRunFlags(flags);
  const history = await openHistory(context, flags);
  const { journal, accounts } = history ?? {};
  const selected =
    journal &&
    (target === undefined ? selectUndone(journal, { accounts }) : selectUndo(journal, target, { accounts }));
  if (history && !selected && target !== undefined) {
    const findNumbers = (journalToSearch: Journal) => selectUndo(journalToSearch, target, {})?.numbers;
    await refuseWritesOfOtherAccounts(
      history,
      { label: `Write or run ${target}`, find: findNumbers },
      context,
    );
  }
  if (!history || !selected) {
    const message = target === undefined ? 'Nothing to redo.' : `Undo ${target} not found.`;
    throw new Failure('not_found', message, {
      hint: boh.hint`To list writes: ${boh.account('history')}`,
    });
  }
  return undoWrites({ history, selected, flags, isRedo: true }, context);
}
