/** `boh plan PATH…`: what would change for the account to be as the files declare it. Writes nothing. */
import { Option } from 'commander';
import type { Context } from '../../context/context.ts';
import { noteDeclared } from '../../manifest/apply/saved-plan.ts';
import type { ManifestPlan } from '../../manifest/plan/make-plan.ts';
import { presented } from '../../output/present.ts';
import type { Result } from '../../output/result.ts';
import { exceededFailure } from '../../runs/limits.ts';
import { planOf } from '../../runs/plan.ts';
import type { Session } from '../../session/session.ts';
import { beginLedger } from '../bulk/ledger.ts';
import { previewPlan } from '../bulk/run-plan.ts';
import { checkRunFlags } from '../bulk/run-session.ts';
import { savePlan } from '../bulk/saved-plan.ts';
import { Command } from '../command.ts';
import { prepare } from '../prepare.ts';
import { plannedApply } from './apply.ts';
import {
  addPaths,
  addPlanFlags,
  declarationOf,
  deletionsIn,
  type PlanFlags,
  planManifests,
} from './manifest-flags.ts';
import { comparedExitCode } from './show-plan.ts';

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
  command.examples('boh plan seeds/', 'boh plan menu.yaml --prune tags');
  return command.action(presented(context, (paths: string[], flags: Flags) => run(paths, flags, context)));
}

async function run(paths: readonly string[], flags: Flags, context: Context): Promise<Result> {
  const { plan, session } = await plannedFiles(paths, flags, context);
  const failure = exceededFailure([deletionsIn(plan, flags)]);
  const isSaved = flags.out !== undefined && !failure;
  const saving = isSaved && flags.out !== undefined ? { out: flags.out } : {};
  if (flags.detailedExitcode) context.exitCode = comparedExitCode(plan);
  const source = paths.join(' ');
  const ledger = beginLedger({ command: 'plan', source, flags: saving, isKept: isSaved, context });
  try {
    const planned = await plannedApply(plan, ledger, { session, flags, source }, context);
    if (isSaved) noteDeclared(ledger, plan);
    const remarks = isSaved ? await savePlan(planned, context) : [];
    return await previewPlan(
      await planOf(planned),
      { ...planned, isKept: isSaved, remarks },
      failure,
      context,
    );
  } catch (error) {
    ledger.discard();
    throw error;
  }
}

/** Compares the account in use with files. */
export async function plannedFiles(
  paths: readonly string[],
  flags: PlanFlags,
  context: Context,
): Promise<{ plan: ManifestPlan; session: Session }> {
  checkRunFlags(flags);
  const declaration = await declarationOf(paths, context, flags);
  const session = await context.session();
  return { plan: await planManifests(declaration, flags, session, context), session };
}
