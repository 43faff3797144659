/** `boh plan PATH…`: previews what `boh apply` would change. It doesn't write to the account. */
import { Option } from 'commander';
import type { Context } from '../../context/context.ts';
import { storeDeclaration } from '../../manifest/apply/saved-plan.ts';
import type { ManifestPlan } from '../../manifest/plan/make-plan.ts';
import { createAction } from '../../output/present.ts';
import type { Result } from '../../output/result.ts';
import { buildPlan } from '../../runs/plan.ts';
import type { Session } from '../../session/session.ts';
import { planInNewLedger } from '../bulk/ledger.ts';
import { previewPlan } from '../bulk/run-plan.ts';
import { checkRunFlags } from '../bulk/run-session.ts';
import { savePlan } from '../bulk/saved-plan.ts';
import { Command } from '../command.ts';
import { prepare } from '../prepare.ts';
import { planApply } from './apply.ts';
import {
  addPathArgument,
  addPlanFlags,
  applyRefusalNotes,
  type PlanFlags,
  planManifests,
  preferFileErrors,
  readDeclaration,
} from './manifest-flags.ts';
import { comparedExitCode, comparedExitCodesHelp } from './show-plan.ts';

interface Flags extends PlanFlags {
  exitCode?: boolean;
  detailedExitcode?: boolean;
  out?: string;
}

/** Returns the command `boh plan`. */
export function planCommand(context: Context): Command {
  const command = addPlanFlags(
    addPathArgument(prepare(new Command('plan')))
      .description(
        "Preview what boh apply would change: records by their keys, field by field. Records that the files don't " +
          'contain are ignored. Nothing is written.\n\nTo check for differences in scripts: boh diff.',
      )
      .addOption(new Option('--out <file>', 'save the plan to this file for boh apply --plan'))
      .addOption(new Option('--exit-code', comparedExitCodesHelp))
      .addOption(new Option('--detailed-exitcode', 'the same as --exit-code').helpGroup('Advanced:')),
  );
  command.examples('boh plan seeds/', 'boh plan menu.yaml --prune tags');
  return command.action(
    createAction(context, (paths: string[], flags: Flags) => runPlanCommand(paths, flags, context)),
  );
}

/** Plans files and shows the plan. Saves it if the flags have `out`. */
export async function runPlanCommand(
  paths: readonly string[],
  flags: Flags,
  context: Context,
): Promise<Result> {
  const { plan, session } = await planFiles(paths, flags, context);
  const isSaved = flags.out !== undefined;
  const savedFlags = isSaved && flags.out !== undefined ? { out: flags.out } : {};
  if (flags.exitCode || flags.detailedExitcode) context.exitCode = comparedExitCode(plan);
  const source = paths.join(' ');
  return planInNewLedger(
    { command: 'plan', source, flags: savedFlags, isKept: isSaved, context },
    async (ledger) => {
      const plannedRun = await planApply(plan, ledger, { session, flags, source }, context);
      if (isSaved) storeDeclaration(ledger, plan, flags);
      const notes = [
        ...(isSaved ? await savePlan(plannedRun, context) : []),
        ...applyRefusalNotes(plan, flags),
      ];
      return await previewPlan(
        await buildPlan(plannedRun),
        { ...plannedRun, isKept: isSaved, notes },
        undefined,
        context,
      );
    },
  );
}

/** Returns the plan for files, and the session of the account that they were compared with. */
export async function planFiles(
  paths: readonly string[],
  flags: PlanFlags,
  context: Context,
): Promise<{ plan: ManifestPlan; session: Session }> {
  checkRunFlags(flags);
  const declaration = await readDeclaration(paths, context, flags);
  const session = await preferFileErrors(declaration, context.session());
  return { plan: await planManifests(declaration, flags, session, context), session };
}
