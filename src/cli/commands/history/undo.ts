/** `boh undo` and `boh redo`: select writes, plan their undo or redo, and send it. The run can be resumed. */

import type { Session } from '../../../account/session/session.ts';
import { Failure, usage } from '../../../base/errors.ts';
import { boh } from '../../../base/hint.ts';
import { maxShownItems } from '../../../base/shown-items.ts';
import type { Journal } from '../../../engine/history/journal/journal.ts';
import { planUndo } from '../../../engine/history/undo/plan-undo.ts';
import {
  resourcesOf,
  type SelectedWrites,
  selectLast,
  selectNumber,
  selectRun,
  selectSince,
  selectUndo,
  selectUndone,
} from '../../../engine/history/undo/select-writes.ts';
import { sendsInOrder } from '../../../engine/history/undo/undo-order.ts';
import type { Ledger, Locks } from '../../../engine/runs/ledger/ledger.ts';
import type { LedgerRow } from '../../../engine/runs/ledger/row.ts';
import { isRunId } from '../../../engine/runs/ledger/run-id.ts';
import { recordUndoing } from '../../../engine/runs/ledger/runs.ts';
import { recordOnChanged } from '../../../engine/runs/recheck-rows.ts';
import type { Context } from '../../context/context.ts';
import { messageResult, type Result } from '../../output/result.ts';
import { canAsk } from '../../prompts/missing-input.ts';
import { cleanLine } from '../../terminal/clean.ts';
import { note } from '../../terminal/messages.ts';
import { lockRun, planInNewLedger } from '../bulk/ledger.ts';
import { runPlan } from '../bulk/run.ts';
import { openRunSession, planningFlags, type RunFlags, runFlagProblems } from '../bulk/run-flags.ts';
import { lockSetToUndo, nameOfSetBegunBy } from '../change/open-sets.ts';
import type { Command } from '../command.ts';
import { createCommand } from '../declare.ts';
import { type FlagsOf, under } from '../flags/flag-table.ts';
import { parseEntryFilter, pickRecordedRun } from './entries.ts';
import { openHistory } from './open-history.ts';

const undoFlags = [
  ...under('Writes:', [
    ['--last', 'undo the newest write or run'],
    ['--since <time>', 'undo all writes since then: 7d, 12h, 2026-11-20T08:00Z'],
    ['--by <user>', 'with --since: only writes of this user or profile'],
    ['--field <name>', 'undo only changes of this field'],
    ['--change <name>', 'undo a change set that has started'],
  ]),
  ...planningFlags,
] as const;

/** The flags of `boh undo`, not yet validated. */
type UndoFlags = FlagsOf<typeof undoFlags>;

export function undoCommand(context: Context): Command {
  return createCommand(context, {
    name: 'undo',
    about:
      'Undo a write or a run: restore the earlier values. Values changed since then are kept. All changes are shown first.',
    args: [['[write-or-run]', 'the number of a write, or the ID of a run; omit to be prompted']],
    usage: '[write-or-run] [flags]',
    flags: undoFlags,
    examples: ['boh undo --last --dry-run', 'boh undo --since 12h --by "Amal Haddad"'],
    dryRun: true,
    check: runFlagProblems,
    run: ([selector], flags) => undo(selector, flags, context),
  });
}

async function undo(argument: string | undefined, flags: UndoFlags, context: Context): Promise<Result> {
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
  const journal = await openHistory(context);
  try {
    return await pickRecordedRun(journal, context);
  } finally {
    journal?.close();
  }
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

export function redoCommand(context: Context): Command {
  return createCommand(context, {
    name: 'redo',
    about: 'Redo what an undo reverted. All changes are shown first.',
    args: [['[run]', 'the ID of an undo run (default: the newest)']],
    usage: '[run] [flags]',
    flags: planningFlags,
    examples: ['boh redo --dry-run', 'boh redo --yes'],
    dryRun: true,
    check: runFlagProblems,
    run: ([target], flags) => redo(target, flags, context),
  });
}

async function redo(
  target: string | undefined,
  flags: FlagsOf<typeof planningFlags>,
  context: Context,
): Promise<Result> {
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

/** The options of an undo or a redo. */
export interface UndoRequest {
  journal: Journal;
  selected: SelectedWrites;
  flags: RunFlags & { field?: string };
  isRedo: boolean;
  /** Called with the ID of the run before a request is sent. */
  onLedger?: ((run: string) => void) | undefined;
}

/** Plans and sends the undo or redo of selected writes. */
async function undoWrites(request: UndoRequest, context: Context): Promise<Result> {
  const { globals, recordedWrites } = context;
  const { flags, isRedo } = request;
  const command = isRedo ? 'redo' : 'undo';
  if (globals.offline) throw usage(`${command} can't be used with --offline: it reads current values.`);
  const { selector } = request.selected;
  const undoneRun = { takesBack: selector, isRedo };
  recordedWrites.undoing = undoneRun;
  const isKept = !globals.dryRun;
  return planInNewLedger({ command, source: selector, flags, isKept, context }, async (ledger) => {
    recordUndoing(ledger, undoneRun);
    request.onLedger?.(ledger.id ?? '');
    recordOnChanged(ledger, 'field');
    const session = await openRunSession(context, flags);
    const { locks, journal, selected } = await lockResources(request, session, context);
    ledger.takeOverLocks(locks);
    const field = flags.field?.replaceAll('-', '_');
    const hasField = await planUndo({
      ...{ journal, session, ledger, numbers: selected.numbers, field },
      onNote: (message) => note(context.streams, cleanLine(message)),
    });
    journal.close();
    if (ledger.count() === 0) {
      if (selected.numbers.length > 0 && !hasField) {
        throw new Failure('not_found', `Nothing to ${command}: none of these writes changed ${field}.`, {
          hint: boh.hint`To list the changed fields: ${boh.account('history')}`,
        });
      }
      ledger.discard();
      const hasWrites = selected.numbers.length > 0;
      return messageResult(
        hasWrites
          ? `Nothing to ${command}: all values are already ${isRedo ? 'redone' : 'restored'}.`
          : `Nothing to ${command}: nothing was written, or the writes were refused.`,
      );
    }
    if (!globals.dryRun && ledger.count('planned') === 0) return refuseUndo(ledger);
    const words = {
      label: `${isRedo ? 'Redo' : 'Undo'} of ${selector}`,
      resource: { noun: 'record', nouns: 'records' },
      verb: `${command} the writes to`,
      excluded: 'left unchanged',
    };
    const concurrency = sendsInOrder(ledger, session) ? '1' : undefined;
    const run = { ledger, session, flags, words, isAlwaysAsked: true, concurrency };
    return await runPlan({ ...run, hasDefaultLimits: false }, context);
  });
}

/**
 * Locks the resources, because another process may be changing the same records. After a wait for another process, selects
 * the writes again, because that process may have added writes.
 */
async function lockResources(
  { journal, selected, flags, isRedo }: UndoRequest,
  session: Session,
  context: Context,
): Promise<{ locks: Locks; journal: Journal; selected: SelectedWrites }> {
  const command = `${isRedo ? 'redo' : 'undo'} ${selected.selector}`;
  const resources = resourcesOf(journal, selected);
  const locks = await lockRun({ account: session, resources, flags, command }, context);
  if (locks.waitedFor.length === 0) return { locks, journal, selected };
  const newJournal = (await openHistory(context)) ?? journal;
  const runningUndos = locks.waitedFor.flatMap(
    ({ command: otherCommand }) => /^undo (.+)$/.exec(otherCommand)?.[1] ?? [],
  );
  const newSelection = selected.refresh(newJournal, runningUndos) ?? selected;
  if (resourcesOf(newJournal, newSelection).every((name) => resources.includes(name)))
    return { locks, journal: newJournal, selected: newSelection };
  locks.release();
  return lockResources({ journal: newJournal, selected: newSelection, flags, isRedo }, session, context);
}

/** Returns an excluded row as text: `suppliers "Fresh Farms" (42): Phone left unchanged: …` */
function formatExcludedRow({ resource, key, error }: LedgerRow): string {
  return `${[resource, key].filter(Boolean).join(' ')}: ${error?.message ?? ''}`;
}

/** Discards the ledger of an undo that can't change any record, and throws its failure. */
async function refuseUndo(ledger: Ledger): Promise<Result> {
  const excludedRows = [...ledger.rows('bad')];
  ledger.discard();
  const failures = excludedRows.map((row) => ({
    id: row.id ?? row.key ?? '',
    category: 'partial' as const,
    message: formatExcludedRow(row),
  }));
  const [firstFailure, ...otherFailures] = failures;
  throw new Failure(
    'partial',
    firstFailure && otherFailures.length === 0
      ? firstFailure.message
      : `${failures.length} records can't be restored. Nothing was sent.`,
    {
      outcome: 'not_sent',
      failures,
      hint:
        firstFailure && otherFailures.length === 0
          ? boh.hint`To list later writes: ${boh.account('history')}`
          : failures
              .map(({ message }) => message)
              .slice(0, maxShownItems)
              .join('\n'),
    },
  );
}
