/** `boh apply PATH… | --plan FILE`: creates and updates records to match files, or carries out a saved plan. */

import { Option } from 'commander';
import { Failure, usage } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import type { Context } from '../../context/context.ts';
import { changedSince } from '../../manifest/apply/changed-since.ts';
import { lossLimit } from '../../manifest/apply/lost.ts';
import { addRows, applyCommandName, endEarlierApplies, idsOf } from '../../manifest/apply/rows.ts';
import { hashOf, readSavedPlan, type SavedPlan } from '../../manifest/apply/saved-plan.ts';
import { demandSecrets, secretsOfRun } from '../../manifest/apply/secrets.ts';
import type { Declaration } from '../../manifest/declared/declared.ts';
import { changeRecord } from '../../manifest/plan/change.ts';
import { type ManifestPlan, makePlan } from '../../manifest/plan/make-plan.ts';
import { presented } from '../../output/present.ts';
import type { Result, RunResult } from '../../output/result.ts';
import type { Ledger } from '../../runs/ledger/ledger.ts';
import { type LimitFlags, protectedLimits } from '../../runs/limits.ts';
import { accountInUse, demandOwner } from '../../session/file-owner.ts';
import type { Session } from '../../session/session.ts';
import { checkWritable, replaceFile } from '../../tables/replace-file.ts';
import { note } from '../../terminal/messages.ts';
import { applySaved } from '../bulk/apply-saved.ts';
import { inNewLedger } from '../bulk/ledger.ts';
import { lockRun } from '../bulk/lock-run.ts';
import { addRunFlags, type RunFlags } from '../bulk/run-flags.ts';
import { type PlannedRun, runPlan } from '../bulk/run-plan.ts';
import { checkRunFlags, runSession } from '../bulk/run-session.ts';
import { Command } from '../command.ts';
import { type AnyAccountFlag, anyAccountOption } from '../flags/shared-flags.ts';
import { prepare } from '../prepare.ts';
import {
  addPaths,
  addPlanFlags,
  declarationOf,
  deletionsIn,
  orFaults,
  type PlanFlags,
  planManifests,
} from './manifest-flags.ts';
import { changesResult, declaredWords, recordsIn } from './show-plan.ts';

/** Builds the command. */
export function applyCommand(context: Context): Command {
  const command = addPaths(prepare(new Command(applyCommandName))).description(
    "Create and update records to match files. Records that the files don't contain aren't changed, unless --prune names " +
      'their resource. All changes are shown first; if a run stops, apply again to continue.',
  );
  addApplyFlags(command);
  command.examples('boh apply seeds/', 'boh plan seeds/ --out monday.plan && boh apply --plan monday.plan');
  return command.action(
    presented(context, (paths: string[], flags: ApplyFlags) => run(paths, flags, context)),
  );
}

async function run(paths: readonly string[], flags: ApplyFlags, context: Context): Promise<Result> {
  checkRunFlags(flags);
  const isPlanChanged = flags.normalizePhones === true || paths.length > 0 || flags.prune.length > 0;
  if (flags.plan !== undefined && isPlanChanged) {
    throw usage("--plan can't be combined with paths, --prune or --normalize-phones.");
  }
  // The settings come first: a saved plan may refer to secrets of the profile in use.
  await context.settings();
  const saved = flags.plan === undefined ? undefined : await readSavedPlan(flags.plan, context);
  if (flags.plan !== undefined && !saved) {
    if (flags.outputs !== undefined)
      throw usage('--outputs needs files, or a plan of boh plan: other plans declare no records.');
    if (flags.maxDeletes !== undefined)
      throw usage('--max-deletes needs files, or a plan of boh plan: other plans have their own limits.');
    return applySaved(flags.plan, flags, context);
  }
  const declaration = saved?.declaration ?? (await declarationOf(paths, context, flags));
  const session = await orFaults(declaration, runSession(context, flags));
  if (saved)
    await demandOwner(session, saved.owner, {
      label: flags.plan ?? '',
      kind: 'plan',
      override: boh.hint`To plan again: ${boh.account('plan', 'PATH', '--out', 'FILE')}. To apply it anyway: --any-account`,
      env: context.env,
      isAny: flags.anyAccount,
    });
  else if (flags.anyAccount) throw usage('--any-account needs --plan: only its file belongs to an account.');
  const planning = async () =>
    saved
      ? sameAsSaved(
          saved,
          await makePlan({ session, declaration, prune: saved.prune, signal: context.signal }),
        )
      : planManifests(declaration, flags, session, context);
  const source = flags.plan ?? paths.join(' ');
  const maxDeletes = flags.maxDeletes ?? saved?.maxDeletes;
  const limited = { ...flags, ...(maxDeletes !== undefined && { maxDeletes }) };
  const applying = { planning, declaration, session, flags: limited, source, command: applyCommandName };
  return applyPlanned({ ...applying, isChecked: saved?.isChecked ?? false }, context);
}

/** A declaration that is to be applied. */
export interface Applying {
  /** Makes the plan. Called once the declared resources are locked. */
  planning(): Promise<ManifestPlan>;
  declaration: Declaration;
  session: Session;
  flags: ApplyFlags;
  /** Where the records come from, for messages. */
  source: string;
  /** Whether the deletions were checked before. */
  isChecked?: boolean;
  /** The name of the run in messages of other runs that wait for it. */
  command: string;
}

/** Locks the declared resources, plans, asks and sends. */
export async function applyPlanned(applying: Applying, context: Context): Promise<Result> {
  const { planning, declaration, session, flags, source, command } = applying;
  const { globals, env } = context;
  const resources = declaration.resources.map(({ name }) => name);
  const locks = await lockRun({ account: session, resources, flags, command }, context);
  try {
    if (flags.outputs !== undefined && !globals.dryRun) await checkWritable(flags.outputs);
    const plan = await planning();
    const isKept = !globals.dryRun && plan.changes.length > 0;
    const beginning = { command: applyCommandName, source, flags, isKept, context };
    return await inNewLedger(beginning, async (ledger) => {
      ledger.takeOverLocks(locks);
      const isGuarded = session.settings.protection !== undefined && !flags.allowLoss;
      const limits = [
        ...(applying.isChecked ? [] : [deletionsIn(plan, flags)]),
        ...(isGuarded ? [await lossLimit(plan, session)] : []),
      ];
      const run = { ...(await plannedApply(plan, ledger, { session, flags, source }, context)), limits };
      const beforeSending = async () => endEarlierApplies(await accountInUse(session), env);
      const result = await runPlan({ ...run, beforeSending }, context);
      if (result.kind !== 'run') return result;
      return { ...result, hasResources: true, end: () => ended(result, plan, run) };
    });
  } catch (error) {
    locks.release();
    throw error;
  }
}

/** Fills the ledger with the requests of an apply. */
export async function plannedApply(
  plan: ManifestPlan,
  ledger: Ledger,
  { session, flags: typed, source }: Pick<Applying, 'session' | 'flags' | 'source'>,
  context: Context,
): Promise<PlannedRun & { flags: ApplyFlags }> {
  const { env, signal, streams } = context;
  await addRows(ledger, plan, signal);
  for (const text of plan.notes) note(streams, text);
  const isProtected = session.settings.protection !== undefined;
  const flags = { ...(isProtected && protectedLimits), ...typed };
  return {
    ledger,
    session,
    flags,
    records: recordsIn(plan),
    words: declaredWords(plan, source),
    isAlwaysAsked: plan.changes.some(({ links }) => links.length > 0),
    shown: async () => changesResult(plan),
    check: async () => {
      if (flags.outputs !== undefined) await checkWritable(flags.outputs);
      demandSecrets(ledger, env);
    },
    secretsOf: () => secretsOfRun(ledger, env),
  };
}

async function ended(
  result: RunResult,
  plan: ManifestPlan,
  { ledger, flags: { outputs } }: { ledger: Ledger; flags: ApplyFlags },
) {
  if (outputs === undefined) return result.end();
  const ids = idsOf(plan, ledger);
  const end = await result.end();
  try {
    await writeIds(outputs, ids);
    return end;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { ...end, failure: end.failure ?? withoutIds(error) };
  }
}

/** Returns the failure of a run that is done, but whose `--outputs` file could not be written. */
function withoutIds({ message }: Failure): Failure {
  return new Failure('partial', `All changes are done, but the IDs were not written: ${message}`, {
    outcome: 'done',
    hint: boh.hint`To write them to another file, apply again: ${boh.account('apply', 'PATH', '--outputs', 'FILE')}`,
  });
}

async function writeIds(file: string, ids: unknown): Promise<void> {
  await replaceFile(file, `${JSON.stringify(ids, null, 2)}\n`);
}

/** Returns the plan. Throws if it differs from the saved one, as records have changed since. */
function sameAsSaved(saved: SavedPlan, plan: ManifestPlan): ManifestPlan {
  if (hashOf(plan) === saved.hash) return plan;
  throw usage('Records have changed since the plan was saved, so it is out of date. Nothing was sent.', {
    fields: changedSince(saved.changes, plan.changes.map(changeRecord)),
    hint: boh.hint`To plan again and review it: ${boh.account('plan', 'PATH', '--out', 'FILE')}`,
  });
}

interface ApplyFlags extends PlanFlags, RunFlags, AnyAccountFlag, LimitFlags {
  plan?: string;
  outputs?: string;
}

function addApplyFlags(command: Command): void {
  addPlanFlags(command)
    .addOption(
      new Option(
        '--plan <file>',
        'carry out a plan that any command saved with --out, unless records have changed since',
      ),
    )
    .addOption(
      new Option(
        '--max-changes <number>',
        `send nothing if more records would change: N or N% (on protected profiles: ${protectedLimits.maxChanges})`,
      ),
    )
    .addOption(
      new Option(
        '--max-price-change <percent>',
        `send nothing if a price or cost would change by more (on protected profiles: ${protectedLimits.maxPriceChange})`,
      ),
    )
    .addOption(new Option('--outputs <file>', 'write the IDs of the declared records to this file, as JSON'))
    .addOption(
      new Option(
        '--allow-loss',
        'on protected profiles: allow changes that remove the only supplier, category or tax of a record',
      ).helpGroup('Advanced:'),
    )
    .addOption(anyAccountOption('with --plan: apply a plan that was made for another account'));
  addRunFlags(command);
}
