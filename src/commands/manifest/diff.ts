/** `boh diff PATH…`: whether the account still is as the files declare it, for exit codes and for people. */
import { Command } from 'commander';
import type { Context } from '../../interaction/context.ts';
import { presented } from '../../interaction/output/present.ts';
import { prepare } from '../prepare.ts';
import { addPaths, addPlanFlags, type PlanFlags } from './manifest-flags.ts';
import { planned } from './plan.ts';

export function diffCommand(context: Context): Command {
  const command = addPlanFlags(
    addPaths(prepare(new Command('diff'))).description(
      'Say where the account differs from what the files declare. Exit 10 where it does, 0 where it doesn’t.',
    ),
  );
  command.addHelpText('after', '\nExample:\n  boh diff seeds/ || echo "somebody has changed something"');
  return command.action(
    presented(context, (paths: string[], flags: PlanFlags) => planned(paths, flags, true, context)),
  );
}
