/** `boh undo` and `boh redo`: take writes back, or do them again, as a plan that is shown, confirmed and sent through a ledger. */
import { Option } from 'commander';
import { Failure, usage } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import type { Context } from '../../context/context.ts';
import { Journal } from '../../history/journal/journal.ts';
import { headFileOf, journalFile } from '../../history/journal/place.ts';
import type { EntryFilter } from '../../history/journal/reading.ts';
import { completeRun } from '../../history/keeping/complete-run.ts';
import {
  type Chosen,
  chooseLast,
  chooseNumber,
  chooseRun,
  chooseSince,
  chooseUndo,
  chooseUndone,
} from '../../history/undo/chosen.ts';
import { presented } from '../../output/present.ts';
import type { Result } from '../../output/result.ts';
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
import { Command } from '../command.ts';
import { type AnyAccountFlag, anyAccountOption } from '../flags/any-account.ts';
import { prepare } from '../prepare.ts';
import { type OpenHistory, openHistory, refuseOthersWrites } from './open-history.ts';
import { readFilter } from './read-filter.ts';
import { hide } from './recording.ts';
import { takenBack } from './taken-back.ts';

export interface UndoFlags extends RunFlags, AnyAccountFlag {
  last?: boolean;
  since?: string;
  by?: string;
  field?: string;
}

export function undoCommand(context: Context): Command {
  const command = prepare(new Command('undo'))
    .argument('[what]', 'the number of a write, or a run')
    .usage('[what] [flags]')
    .description(
      'Take writes back: what they changed becomes what it was before, unless somebody has changed it since. Shown and asked before it is sent; undoing an undo works.',
    );
  const which = [
    new Option('--last', 'the newest write or run'),
    new Option('--since <moment>', 'everything from then on: 7d, 12h, 2026-11-20T08:00Z'),
    new Option('--by <who>', 'with --since: a user, by name or id, or a profile'),
    new Option('--field <name>', 'this field alone'),
  ];
  which.push(anyAccountOption());
  for (const option of which) command.addOption(option.helpGroup('Which:'));
  addPlanningFlags(command);
  command.examples('boh undo --last --dry-run');
  return command.action(presented(context, () => undo(command.args[0], command.opts<UndoFlags>(), context)));
}

async function undo(what: string | undefined, flags: UndoFlags, context: Context): Promise<Result> {
  checkRunFlags(flags);
  const { last, since, by } = flags;
  if ([what, last, since].filter((one) => one !== undefined).length !== 1) {
    throw usage('What is to be undone? Give the number of a write or a run, or --last, or --since.', {
      hint: boh.hint`To see them: ${boh.account('history')}`,
    });
  }
  if (by !== undefined && since === undefined) throw usage('--by goes with --since.');
  const from = await sinceOf(flags, context);
  await completeHistory(runsMeant(what, from, context), context);
  const history = await openHistory(context, flags);
  const chosen = history && (await choose(what, flags, history, context));
  if (history && !chosen && what !== undefined) {
    const find = (journal: Journal) => chooseCalled(journal, what, {})?.numbers;
    await refuseOthersWrites(history, { called: `What is called ${what}`, find }, context);
  }
  if (!history || !chosen) {
    throw new Failure('not_found', `There is nothing to undo: ${what ?? 'nothing was written'}.`, {
      hint: boh.hint`To see what was written: ${boh.account('history')}`,
    });
  }
  return takenBack({ history, chosen, flags, isRedo: false }, context);
}

function chooseCalled(journal: Journal, what: string, filter: EntryFilter): Chosen | undefined {
  if (/^\d{1,15}$/.test(what)) return chooseNumber(journal, Number(what), filter);
  return chooseRun(journal, what, filter);
}

async function sinceOf({ since }: UndoFlags, context: Context): Promise<number | undefined> {
  return since === undefined ? undefined : (await readFilter([], { since }, context)).since;
}

async function choose(
  what: string | undefined,
  { since, by }: UndoFlags,
  { journal, accounts }: OpenHistory,
  context: Context,
): Promise<Chosen | undefined> {
  if (what !== undefined) return chooseCalled(journal, what, { accounts });
  if (since === undefined) return chooseLast(journal, { accounts });
  const filter = await readFilter([], { since, ...(by !== undefined && { by }) }, context);
  return chooseSince(journal, filter.since ?? 0, { ...filter, accounts });
}

/** The runs that a line may be about: the one that it names, those since a moment, or the newest. */
function runsMeant(what: string | undefined, since: number | undefined, { env }: Context): string[] {
  if (what !== undefined) return isRunId(what) && runIds(env).includes(what) ? [what] : [];
  if (since === undefined) return runIds(env).slice(0, 1);
  return runIds(env).filter((id) => begunAt(id) >= since);
}

/** Answers whether anything was added. Runs of other accounts are left alone; of those that can't be read that is said. */
async function completeHistory(runs: readonly string[], context: Context): Promise<boolean> {
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
          `The history lacked ${numeral(count)} ${writes} of run ${run}: added from the ledger of the run.`,
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
    warn(streams, `${error.message} Whether the history lacks writes of that run is not known.`);
    return undefined;
  }
}

export function redoCommand(context: Context): Command {
  const command = prepare(new Command('redo'))
    .argument('[run]', 'the run of an undo (default: the newest)')
    .usage('[run] [flags]')
    .description('Do again what an undo took back. Shown and asked before it is sent.');
  addPlanningFlags(command);
  command.addOption(anyAccountOption());
  command.examples('boh redo --dry-run');
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
    (what === undefined ? chooseUndone(journal, { accounts }) : chooseUndo(journal, what, { accounts }));
  if (history && !chosen && what !== undefined) {
    const find = (all: Journal) => chooseUndo(all, what, {})?.numbers;
    await refuseOthersWrites(history, { called: `What is called ${what}`, find }, context);
  }
  if (!history || !chosen) {
    const none = what === undefined ? 'There is no undo to be done again.' : `There is no undo ${what}.`;
    throw new Failure('not_found', none, {
      hint: boh.hint`To see what was written: ${boh.account('history')}`,
    });
  }
  return takenBack({ history, chosen, flags, isRedo: true }, context);
}
