/** `boh plan PATH…`: what would change for the account to be as the files declare it. Writes nothing. */
import { Command, Option } from 'commander';
import type { Context } from '../../interaction/context.ts';
import { presented } from '../../interaction/output/present.ts';
import type { Result } from '../../interaction/output/result.ts';
import type { Plan } from '../../manifest/plan/make-plan.ts';
import { accountInUse } from '../../session/file-owner.ts';
import type { Session } from '../../session/session.ts';
import { prepare } from '../prepare.ts';
import { addPaths, addPlanFlags, declarationOf, type PlanFlags, planOf } from './manifest-flags.ts';
import { comparedExitCode, foretoldPlan } from './show-plan.ts';

interface Flags extends PlanFlags {
  detailedExitcode?: boolean;
  out?: string;
}

export function planCommand(context: Context): Command {
  const command = addPlanFlags(
    addPaths(prepare(new Command('plan')))
      .description(
        'Show what would change for the account to be as the files declare it: records by their keys, field by field. ' +
          'Only what the files name is looked at. Nothing is written.',
      )
      .addOption(
        new Option(
          '--detailed-exitcode',
          'exit 10 where something would change, 9 where nothing would and something could not be compared',
        ),
      )
      .addOption(new Option('--out <file>', 'save the plan there, for boh apply --plan')),
  );
  command.addHelpText('after', '\nExamples:\n  boh plan seeds/\n  boh plan menu.yaml --prune tags');
  return command.action(
    presented(context, (paths: string[], flags: Flags) =>
      planned(paths, flags, flags.detailedExitcode === true, context, foretoldPlan, flags.out),
    ),
  );
}

/** `boh diff PATH…`: the same, to be asked whether anything differs. */
export async function planned(
  paths: readonly string[],
  flags: PlanFlags,
  isTold: boolean,
  context: Context,
  shown: (plan: Plan, session: Session) => Result | Promise<Result>,
  out?: string,
): Promise<Result> {
  const declaration = await declarationOf(paths, context, flags);
  const session = await context.session();
  const plan = await planOf(declaration, flags, session, context);
  if (out !== undefined) {
    const { savePlan } = await import('../../manifest/apply/saved-plan.ts');
    await savePlan(out, plan, [...plan.counts.keys()], await accountInUse(session));
  }
  if (isTold) context.exitCode = comparedExitCode(plan);
  return shown(plan, session);
}
