/** `boh undo` and `boh redo`: plan the reverse of writes, show the plan, ask, and send it. */

import { Option } from 'commander';
import { Failure, usage } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import type { Context } from '../../context/context.ts';
import { Journal } from '../../history/journal/journal.ts';
import { headFileOf, journalFile } from '../../history/journal/journal-path.ts';
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
import { presented } from '../../output/present.ts';
import type { Result } from '../../output/result.ts';
import { canAsk } from '../../prompts/missing-input.ts';
import type { Ledger } from '../../runs/ledger/ledger.ts';
import { ownerOfRun } from '../../runs/ledger/owner.ts';
import { begunAt, isRunId } from '../../runs/ledger/run-id.ts';
import { openRun, runIds } from '../../runs/ledger/runs.ts';
import { accountInUse, accountPlace, matchOwner } from '../../session/file-owner.ts';
import { StorageFailure } from '../../storage/failures.ts';
import { note, warn } from '../../terminal/messages.ts';
import { numeral } from '../../terminal/numeral.ts';
import { addPlanningFlags, type RunFlags } from '../bulk/run-flags.ts';
import { checkRunFlags } from '../bulk/run-session.ts';
import { setToUndo } from '../change/undo-set.ts';
import { Command } from '../command.ts';
import { type AnyAccountFlag, anyAccountOption } from '../flags/shared-flags.ts';
import { prepare } from '../prepare.ts';
import { type OpenHistory, openHistory, refuseOthersWrites } from './open-history.ts';
import { pickWrites } from './pick-write.ts';
import { readFilter } from './read-filter.ts';
import { hide } from './recording.ts';
import { undoWrites } from './undo-writes.ts';

/** The flags of `undo` as they were typed. */
export interface UndoFlags extends RunFlags, AnyAccountFlag {
  last?: boolean;
  since?: string;
  by?: string;
  field?: string;
  change?: string;
}

/** Builds `boh undo`. */
export function undoCommand(context: Context): Command {
  const command = prepare(new Command('undo'))
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
  return command.action(presented(context, () => undo(command.args[0], command.opts<UndoFlags>(), context)));
}

async function undo(given: string | undefined, flags: UndoFlags, context: Context): Promise<Result> {
  checkRunFlags(flags);
  const { last, since, by, change } = flags;
  if (change !== undefined && given !== undefined)
    throw usage("--change can't be combined with a write or a run.");
  const set = change === undefined ? undefined : await setToUndo(change, flags, context);
  const typed = set?.set.run ?? given;
  const isAsked = typed === undefined && last === undefined && since === undefined && by === undefined;
  const what = isAsked && canAsk(context) ? await pickWriteNumbers(flags, context) : typed;
  if ([what, last, since].filter((one) => one !== undefined).length !== 1) {
    throw usage('Missing what to undo: the number of a write, a run, --last or --since.', {
      hint: boh.hint`To list writes: ${boh.account('history')}`,
    });
  }
  if (by !== undefined && since === undefined) throw usage('--by needs --since.');
  const from = await sinceOf(flags, context);
  await completeHistory(selectedRuns(what, from, context), context);
  const history = await openHistory(context, flags);
  const chosen = history && (await choose(what, flags, history, context));
  if (history && !chosen && what !== undefined) {
    const find = (journal: Journal) => selectWrites(journal, what, {})?.numbers;
    await refuseOthersWrites(history, { label: `Write or run ${what}`, find }, context);
  }
  if (!history || !chosen) {
    const none = what === undefined ? 'no writes found' : `no write or run ${what}`;
    throw new Failure('not_found', `Nothing to undo: ${none}.`, {
      hint: boh.hint`To list writes: ${boh.account('history')}`,
    });
  }
  const result = await undoWrites(
    { history, chosen, flags, isRedo: false, onLedger: set?.onLedger },
    context,
  );
  return set ? set.undone(result) : result;
}

async function pickWriteNumbers(flags: UndoFlags, context: Context): Promise<string> {
  // The ledgers of runs may have writes that the history lacks.
  await completeHistory(selectedRuns(undefined, undefined, context), context);
  const history = await openHistory(context, flags);
  try {
    return await pickWrites(history, context);
  } finally {
    history?.journal.close();
  }
}

function selectWrites(journal: Journal, what: string, filter: EntryFilter): SelectedWrites | undefined {
  if (/^\d{1,15}$/.test(what)) return selectNumber(journal, Number(what), filter);
  return selectRun(journal, what, filter);
}

async function sinceOf({ since }: UndoFlags, context: Context): Promise<number | undefined> {
  return since === undefined ? undefined : (await readFilter([], { since }, context)).since;
}

async function choose(
  what: string | undefined,
  { since, by }: UndoFlags,
  { journal, accounts }: OpenHistory,
  context: Context,
): Promise<SelectedWrites | undefined> {
  if (what !== undefined) return selectWrites(journal, what, { accounts });
  if (since === undefined) return selectLast(journal, { accounts });
  const filter = await readFilter([], { since, ...(by !== undefined && { by }) }, context);
  return selectSince(journal, filter.since ?? 0, { ...filter, accounts });
}

/** Returns the runs that may be undone: the named one, those since a moment, or the newest. */
function selectedRuns(what: string | undefined, since: number | undefined, { env }: Context): string[] {
  if (what !== undefined) return isRunId(what) && runIds(env).includes(what) ? [what] : [];
  if (since === undefined) return runIds(env).slice(0, 1);
  return runIds(env).filter((id) => begunAt(id) >= since);
}

/** Adds writes that the history lacks from ledgers of runs, and returns whether there were any. Skips runs of other accounts. */
export async function completeHistory(runs: readonly string[], context: Context): Promise<boolean> {
  const settings = await context.settings();
  if (!settings.history.journal) return false;
  const place = accountPlace(settings);
  let isAny = false;
  for (const run of runs) {
    const ledger = openLedger(run, context);
    if (!ledger) continue;
    try {
      const owner = ownerOfRun(ledger);
      if (owner?.place !== place) continue;
      const session = await context.session();
      if (matchOwner(owner, await accountInUse(session)) !== 'own') continue;
      const journal = new Journal(journalFile(context.env, place), {
        hide,
        headFile: headFileOf(context.env, place),
      });
      try {
        const count = await completeRun({ journal, ledger, session, now: context.now().getTime() });
        if (count === 0) continue;
        const writes = count === 1 ? 'write' : 'writes';
        note(
          context.streams,
          `Added ${numeral(count)} ${writes} that the history lacked, from the ledger of run ${run}.`,
        );
        isAny = true;
      } finally {
        journal.close();
      }
    } finally {
      ledger.close();
    }
  }
  return isAny;
}

function openLedger(run: string, { env, streams }: Context): Ledger | undefined {
  try {
    return openRun(env, run);
  } catch (error) {
    if (!(error instanceof StorageFailure)) throw error;
    warn(streams, `${error.message} The history may lack writes of that run.`);
    return undefined;
  }
}

/** Builds `boh redo`. */
export function redoCommand(context: Context): Command {
  const command = prepare(new Command('redo'))
    .argument('[run]', 'the ID of an undo run (default: the newest)')
    .usage('[run] [flags]')
    .description('Redo what an undo reverted. All changes are shown first.');
  addPlanningFlags(command);
  command.addOption(anyAccountOption('allow writes of other accounts, and send the changes to this account'));
  command.examples('boh redo --dry-run', 'boh redo --yes');
  return command.action(
    presented(context, () => redo(command.args[0], command.opts<RunFlags & AnyAccountFlag>(), context)),
  );
}

async function redo(
  what: string | undefined,
  flags: RunFlags & AnyAccountFlag,
  context: Context,
): Promise<Result> {
  checkRunFlags(flags);
  const history = await openHistory(context, flags);
  const { journal, accounts } = history ?? {};
  const chosen =
    journal &&
    (what === undefined ? selectUndone(journal, { accounts }) : selectUndo(journal, what, { accounts }));
  if (history && !chosen && what !== undefined) {
    const find = (all: Journal) => selectUndo(all, what, {})?.numbers;
    await refuseOthersWrites(history, { label: `Write or run ${what}`, find }, context);
  }
  if (!history || !chosen) {
    const none = what === undefined ? 'Nothing to redo.' : `Undo ${what} not found.`;
    throw new Failure('not_found', none, {
      hint: boh.hint`To list writes: ${boh.account('history')}`,
    });
  }
  return undoWrites({ history, chosen, flags, isRedo: true }, context);
}
