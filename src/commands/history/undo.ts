/** `boh undo`: takes writes back, as a plan that is shown, confirmed and carried out through a ledger. */
import { Command, Option } from 'commander';
import { Failure, usage } from '../../base/errors.ts';
import type { Context } from '../../context/context.ts';
import type { Journal } from '../../history/journal/journal.ts';
import type { EntryFilter } from '../../history/journal/reading.ts';
import { type Chosen, chooseLast, chooseNumber, chooseRun, chooseSince } from '../../history/undo/chosen.ts';
import { presented } from '../../output/present.ts';
import type { Result } from '../../output/result.ts';
import { checkRunFlags } from '../bulk/check-run-flags.ts';
import { addPlanningFlags, type RunFlags } from '../bulk/run-flags.ts';
import { type AnyAccountFlag, anyAccountOption } from '../flags/any-account.ts';
import { prepare } from '../prepare.ts';
import { completeHistory, runsMeant } from './complete-history.ts';
import { type OpenHistory, openHistory, refuseOthersWrites } from './open-history.ts';
import { readFilter } from './read-filter.ts';
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
  command.addHelpText('after', '\nExample:\n  boh undo --last --dry-run');
  return command.action(presented(context, () => run(command.args[0], command.opts<UndoFlags>(), context)));
}

async function run(what: string | undefined, flags: UndoFlags, context: Context): Promise<Result> {
  checkRunFlags(flags);
  const { last, since, by } = flags;
  if ([what, last, since].filter((one) => one !== undefined).length !== 1) {
    throw usage('What is to be undone? Give the number of a write or a run, or --last, or --since.', {
      hint: 'See them: boh history',
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
      hint: 'See what was written: boh history',
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
