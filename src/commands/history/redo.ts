/** `boh redo`: does again what an undo took back, which is that undo undone. */
import { Command } from 'commander';
import { Failure } from '../../base/errors.ts';
import type { Context } from '../../context/context.ts';
import type { Journal } from '../../history/journal/journal.ts';
import { chooseUndo, chooseUndone } from '../../history/undo/chosen.ts';
import { presented } from '../../output/present.ts';
import type { Result } from '../../output/result.ts';
import { checkRunFlags } from '../bulk/check-run-flags.ts';
import { addPlanningFlags, type RunFlags } from '../bulk/run-flags.ts';
import { type AnyAccountFlag, anyAccountOption } from '../flags/any-account.ts';
import { prepare } from '../prepare.ts';
import { openHistory, refuseOthersWrites } from './open-history.ts';
import { takenBack } from './taken-back.ts';

export function redoCommand(context: Context): Command {
  const command = prepare(new Command('redo'))
    .argument('[run]', 'the run of an undo (default: the newest)')
    .usage('[run] [flags]')
    .description('Do again what an undo took back. Shown and asked before it is sent.');
  addPlanningFlags(command);
  command.addOption(anyAccountOption());
  command.addHelpText('after', '\nExample:\n  boh redo --dry-run');
  return command.action(
    presented(context, () => run(command.args[0], command.opts<RunFlags & AnyAccountFlag>(), context)),
  );
}

async function run(
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
      hint: 'See what was written: boh history',
    });
  }
  return takenBack({ history, chosen, flags, isRedo: true }, context);
}
