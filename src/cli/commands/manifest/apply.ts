/** `boh plan` previews what `boh apply` changes: it creates and updates records to match files, or applies a saved plan. */

import type { Session } from '../../../account/session/session.ts';
import type { Api } from '../../../api/contract/api.ts';
import type { Resource } from '../../../api/contract/resource.ts';
import { Failure, usage } from '../../../base/errors.ts';
import { describeReadError } from '../../../base/file-errors.ts';
import { boh } from '../../../base/hint.ts';
import { checkWritable, replaceFile } from '../../../base/replace-file.ts';
import { isSqliteFile } from '../../../base/storage/formats.ts';
import { findLosses, lossLimit } from '../../../engine/manifest/apply/lost-relations.ts';
import { addRows, applyCommandName } from '../../../engine/manifest/apply/rows.ts';
import {
  type DeclaredIds,
  declaredIds,
  fingerprintOfDeclaration,
  idsAfterRun,
  readStoredPlan,
  storePlan,
} from '../../../engine/manifest/apply/saved-plan.ts';
import { requireSecrets, secretsOfRun } from '../../../engine/manifest/apply/secrets.ts';
import { type Declaration, requireRecords } from '../../../engine/manifest/declared/declared.ts';
import { manifestFields } from '../../../engine/manifest/declared/fields.ts';
import { readManifests } from '../../../engine/manifest/declared/read-manifests.ts';
import type { Change } from '../../../engine/manifest/plan/change.ts';
import { type ManifestPlan, makePlan } from '../../../engine/manifest/plan/make-plan.ts';
import { Ledger } from '../../../engine/runs/ledger/ledger.ts';
import { ownerOfRun } from '../../../engine/runs/ledger/owner.ts';
import { refuseBegun } from '../../../engine/runs/ledger/runs.ts';
import { recordRowsIdentity } from '../../../engine/runs/ledger/same-rows.ts';
import { readSavedParts, savePlan } from '../../../engine/runs/ledger/saved-plan.ts';
import { deleteLimit, type Limit, type LimitFlags, plannedDeleteLimit } from '../../../engine/runs/limits.ts';
import { buildPlan } from '../../../engine/runs/plan.ts';
import { refuseChanged } from '../../../engine/runs/recheck-rows.ts';
import { ReferenceResolver } from '../../../engine/runs/reference-resolver.ts';
import type { Context } from '../../context/context.ts';
import type { Result, RunResult } from '../../output/result.ts';
import { unguardCell } from '../../terminal/formats/csv.ts';
import { note } from '../../terminal/messages.ts';
import { guardPlan } from '../bulk/guard.ts';
import { lockRun, planInNewLedger } from '../bulk/ledger.ts';
import { type PlannedRun, previewPlan, reopenRun, runPlan } from '../bulk/run.ts';
import {
  maxChangesFlag,
  maxDeletesFlag,
  maxPriceChangeFlag,
  openRunSession,
  type RunFlags,
  runFlagProblems,
  runFlags,
} from '../bulk/run-flags.ts';
import type { Command } from '../command.ts';
import { createCommand } from '../declare.ts';
import { type FlagsOf, orNone, repeated, under } from '../flags/flag-table.ts';
import { type AllowedResources, anyAccountFlag, phoneFlag, resolveResources } from '../flags/shared-flags.ts';
import { resumeInLedgerFile } from '../runs.ts';
import {
  changesResult,
  comparedExitCode,
  comparedExitCodesHelp,
  countRecords,
  planWordsFor,
} from './show-plan.ts';

export const pathArguments = [
  ['[path...]', 'files or folders; later ones override earlier ones; - is standard input'],
] as const;

/** Returns the flags of a plan. `ifExceeded` describes the action of the command if more records would be deleted. */
export const planFlags = (ifExceeded?: string) =>
  [
    [
      '--prune <resource>',
      "delete records of this resource that the files don't contain (repeatable)",
      { ...repeated, ...orNone },
    ],
    maxDeletesFlag(ifExceeded),
    phoneFlag,
  ] as const;

/** The flags of a plan, not yet validated. */
export type PlanFlags = FlagsOf<ReturnType<typeof planFlags>>;

/** Reads the files. The plan or `preferFileErrors` reports the errors in them, together with errors that are only found by comparing with the account. */
export async function readDeclaration(
  paths: readonly string[],
  { api, env, streams, signal }: Context,
  { normalizePhones: normalizesPhones }: FlagsOf<readonly [typeof phoneFlag]> = {},
): Promise<Declaration> {
  if (paths.length === 0) {
    throw usage('Missing the files or folder.', {
      hint: boh.hint`For example: ${boh.account('plan', 'seeds/')}`,
    });
  }
  return readManifests({ paths, api, env, stdin: streams.stdin, unguardCell, normalizesPhones, signal });
}

/** Waits for a promise, such as the opening of a session. If it fails, reports errors in the files instead, if there are any. */
async function preferFileErrors<Result>(declaration: Declaration, promise: Promise<Result>): Promise<Result> {
  return promise.catch((error) => {
    declaration.errors?.mistakes.throwIfAny();
    throw error;
  });
}

/** Plans the changes that make the account match the files. */
export async function planManifests(
  declaration: Declaration,
  { prune }: Pick<PlanFlags, 'prune'>,
  session: Session,
  { signal }: Context,
): Promise<ManifestPlan> {
  const { api } = session;
  const prunedResources = prunedBy({ prune }, api).map((resource) => requireDeclared(resource, declaration));
  if (prunedResources.length === 0 && !declaration.errors) requireRecords(declaration);
  return makePlan({ session, declaration, prune: prunedResources, signal });
}

function prunedBy({ prune }: Pick<PlanFlags, 'prune'>, api: Api): readonly Resource[] {
  return prune.length === 0 ? [] : (resolveResources(prune, '--prune', api, declarableResources(api)) ?? []);
}

function deletionLimit(plan: ManifestPlan, { maxDeletes }: LimitFlags): Limit {
  const deletes = [...plan.counts].map(([resource, total]) => {
    const isDeleted = (change: Change) => change.action === 'delete' && change.resource === resource;
    return { resource, count: plan.changes.filter(isDeleted).length, total };
  });
  return deleteLimit(deletes, maxDeletes);
}

/** Returns a note if apply will refuse the deletes of the plan; otherwise an empty array. */
export function applyRefusalNotes(plan: ManifestPlan, flags: LimitFlags): string[] {
  const { exceeded, flag } = deletionLimit(plan, flags);
  const reasons = Object.values(exceeded).flat();
  return reasons.length === 0
    ? []
    : [`${reasons.join('. ')}: boh apply will refuse this. To allow it: ${flag}`];
}

/** Returns the resource. Throws if the files don't contain it, so that a missing folder doesn't delete all its records. */
function requireDeclared(resource: Resource, { resources }: Declaration): Resource {
  if (resources.includes(resource)) return resource;
  throw usage(
    `--prune ${resource.command}: the files don't contain ${resource.nouns}. Nothing was deleted.`,
    {
      hint: `To delete all of them, add this line to a file: ${resource.command}: []`,
    },
  );
}

/** Returns the resources that files can declare. */
export function declarableResources({ collections }: Api): AllowedResources {
  return {
    allowed: collections.filter((resource) => manifestFields(resource).size > 0),
    refusalReason: ({ nouns }) => `The API can't write ${nouns}, so they can't be declared.`,
  };
}

const planCommandFlags = [
  ['--out <file>', 'save the plan to this file for boh apply --plan'],
  ['--exit-code', comparedExitCodesHelp],
  ...planFlags(),
  ...under('Advanced:', [['--detailed-exitcode', 'the same as --exit-code']]),
] as const;

type PlanCommandFlags = FlagsOf<typeof planCommandFlags>;

export function planCommand(context: Context): Command {
  return createCommand(context, {
    name: 'plan',
    about:
      "Preview what boh apply would change: records by their keys, field by field. Records that the files don't " +
      'contain are ignored. Nothing is written.\n\nTo check for differences in scripts: boh diff.',
    args: pathArguments,
    flags: planCommandFlags,
    examples: ['boh plan seeds/', 'boh plan menu.yaml --prune tags'],
    check: runFlagProblems,
    run: ([paths], flags) => runPlanCommand(paths, flags, context),
  });
}

/** Plans files and shows the plan. Saves it if the flags have `out`. */
export async function runPlanCommand(
  paths: readonly string[],
  flags: PlanCommandFlags,
  context: Context,
): Promise<Result> {
  const { plan, session } = await planFiles(paths, flags, context);
  const { out, maxDeletes } = flags;
  const isSaved = out !== undefined;
  const savedFlags = isSaved ? { out, ...(maxDeletes !== undefined && { maxDeletes }) } : {};
  if (flags.exitCode || flags.detailedExitcode) context.exitCode = comparedExitCode(plan);
  const source = paths.join(' ');
  return planInNewLedger(
    { command: 'plan', source, flags: savedFlags, isKept: isSaved, context },
    async (ledger) => {
      const plannedRun = await planApply(plan, ledger, { session, flags, source }, context);
      await guardPlan(plannedRun, { allow: [] }, context);
      if (isSaved) {
        const { counts, unchanged } = countRecords(plan);
        storePlan(ledger, {
          ...{ changes: plan.changes, notCompared: plan.notCompared, ids: declaredIds(plan) },
          losses: await findLosses(plan, session),
          records: { counts: [...counts], unchanged },
        });
      }
      const notes = [...(isSaved ? await savePlan(plannedRun) : []), ...applyRefusalNotes(plan, flags)];
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
  const declaration = await readDeclaration(paths, context, flags);
  const session = await preferFileErrors(declaration, context.session());
  return { plan: await planManifests(declaration, flags, session, context), session };
}

const applyFlags = [
  ...planFlags(),
  ['--plan <file>', 'apply a plan that any command saved with --out, unless records have changed since'],
  maxChangesFlag(),
  maxPriceChangeFlag(),
  ['--outputs <file>', 'write the IDs of the declared records to this file, as JSON'],
  ...under('Advanced:', [
    [
      '--allow-loss',
      'on protected profiles: allow changes that remove the only supplier, category or tax of a record',
    ],
  ]),
  anyAccountFlag('with --plan: apply a plan that was saved for another account'),
  ...runFlags,
] as const;

type ApplyFlags = RunFlags & FlagsOf<typeof applyFlags>;

export function applyCommand(context: Context): Command {
  return createCommand(context, {
    name: applyCommandName,
    about:
      "Create and update records to match files. Records that the files don't contain aren't changed, unless --prune names " +
      'their resource. All changes are shown first; if a run stops, apply again to continue.',
    args: pathArguments,
    flags: applyFlags,
    examples: ['boh apply seeds/', 'boh plan seeds/ --out monday.plan && boh apply --plan monday.plan'],
    dryRun: true,
    check: runFlagProblems,
    run: ([paths], flags) => run(paths, flags, context),
  });
}

async function run(paths: readonly string[], flags: ApplyFlags, context: Context): Promise<Result> {
  const { plan: file } = flags;
  const hasPlanningFlags = flags.normalizePhones === true || paths.length > 0 || flags.prune.length > 0;
  if (file !== undefined && hasPlanningFlags)
    throw usage("--plan can't be combined with paths, --prune or --normalize-phones.");
  if (file !== undefined && flags.ledger !== undefined)
    throw usage(`--plan can't be combined with --ledger or --no-ledger: ${file} is the ledger.`);
  // The settings come first: a saved plan may refer to secrets of the profile in use.
  await context.settings();
  if (file !== undefined) return applySavedPlan(file, flags, context);
  if (flags.anyAccount) throw usage('--any-account needs --plan: only a saved plan belongs to an account.');
  const declaration = await readDeclaration(paths, context, flags);
  const session = await preferFileErrors(declaration, openRunSession(context, flags));
  const createPlan = () => planManifests(declaration, flags, session, context);
  const source = paths.join(' ');
  if (flags.ledger && !declaration.errors) {
    const mark = async () => fingerprintOfDeclaration({ declaration, prune: prunedBy(flags, session.api) });
    const resumed = await resumeInLedgerFile({ command: applyCommandName, source, mark }, flags, context);
    if (resumed) return resumed;
  }
  return applyPlanned(
    { createPlan, declaration, session, flags, source, command: applyCommandName },
    context,
  );
}

/** A declaration to apply, with its account and flags. */
export interface ApplyRequest {
  /** Creates the plan. Called after the declared resources are locked. */
  createPlan(): Promise<ManifestPlan>;
  declaration: Declaration;
  session: Session;
  flags: ApplyFlags;
  /** The origin of the records, for messages. */
  source: string;
  /** The name of this run in the messages of runs that wait for it. */
  command: string;
}

/** Locks the declared resources, shows the plan, asks for confirmation, and sends it. */
export async function applyPlanned(request: ApplyRequest, context: Context): Promise<Result> {
  const { createPlan, declaration, session, flags, source, command } = request;
  const { globals } = context;
  const resources = declaration.resources.map(({ name }) => name);
  const locks = await lockRun({ account: session, resources, flags, command }, context);
  try {
    if (flags.outputs !== undefined && !globals.dryRun) await checkWritable(flags.outputs);
    const plan = await createPlan();
    const isKept = !globals.dryRun && plan.changes.length > 0;
    return await planInNewLedger(
      { command: applyCommandName, source, flags, isKept, context },
      async (ledger) => {
        ledger.takeOverLocks(locks);
        const isGuarded = session.settings.protection !== undefined && !flags.allowLoss;
        const losses = isGuarded ? await findLosses(plan, session) : [];
        const limits = [deletionLimit(plan, flags), lossLimit(losses)];
        const run = { ...(await planApply(plan, ledger, { session, flags, source }, context)), limits };
        return runWithOutputs(run, declaredIds(plan), context);
      },
    );
  } catch (error) {
    locks.release();
    throw error;
  }
}

/**
 * Shows a plan that any command saved, asks for confirmation, and applies it. Throws `usage` if the plan belongs to another
 * account or was already applied, or if records have changed since it was saved.
 */
async function applySavedPlan(file: string, flags: ApplyFlags, context: Context): Promise<Result> {
  const { env, api } = context;
  if (!isSavedFile(file))
    throw usage(`${file} isn't a saved plan, or was changed.`, {
      hint: boh.hint`To plan again: ${boh.account('plan', 'PATH', '--out', 'FILE')}`,
    });
  const ledger = new Ledger(file).acquireLock();
  let close: (() => Promise<void>) | undefined;
  try {
    const parts = readSavedParts(ledger);
    refuseBegun(await (await context.session()).folder(), ledger);
    const stored = readStoredPlan(ledger, api);
    if (flags.outputs !== undefined && !stored)
      throw usage("--outputs needs files, or a plan of boh plan: other plans don't declare records.");
    const owner = ownerOfRun(ledger);
    if (!owner) throw new Error(`The plan ${file} has no account.`);
    const namedFile = {
      label: file,
      kind: 'plan',
      env,
      override: 'Plan again for the account in use. To apply it anyway: --any-account',
      isOverridden: flags.anyAccount,
    };
    const run = await reopenRun({ ledger, owner, file: namedFile, flags, command: 'apply --plan' }, context);
    close = run.close;
    const { session, secretsOf, describeChange } = run;
    await refuseChanged({ ledger, session, resolver: new ReferenceResolver(ledger), describeChange });
    const isGuarded = session.settings.protection !== undefined && !flags.allowLoss;
    const limits = stored &&
      isGuarded && [
        await plannedDeleteLimit(ledger, session, run.flags.maxDeletes),
        lossLimit(stored.losses),
      ];
    return await runWithOutputs(
      {
        ...parts,
        ...(stored && { records: { ...stored.records, counts: new Map(stored.records.counts) } }),
        ...(limits && { limits }),
        ...(stored && { showPreview: async () => changesResult(stored) }),
        ledger,
        session,
        flags: run.flags,
        isKept: true,
        isAnyAccount: flags.anyAccount,
        check: () => checkOutputs(flags),
        secretsOf: () => secretsOf,
        close,
      },
      stored?.ids ?? {},
      context,
    );
  } catch (error) {
    ledger.close();
    await close?.();
    throw error;
  }
}

function isSavedFile(file: string): boolean {
  try {
    return isSqliteFile(file);
  } catch (cause) {
    throw usage(`Can't read the plan ${file}: ${describeReadError(cause)}.`, { cause });
  }
}

async function planApply(
  plan: ManifestPlan,
  ledger: Ledger,
  { session, flags, source }: Pick<ApplyRequest, 'session' | 'flags' | 'source'>,
  { env, signal, streams }: Context,
): Promise<PlannedRun & { flags: ApplyFlags }> {
  await addRows(ledger, plan, signal);
  recordRowsIdentity(ledger, { mark: fingerprintOfDeclaration(plan), isFound: true });
  for (const planNote of plan.notes) note(streams, planNote);
  return {
    ledger,
    session,
    flags,
    records: countRecords(plan),
    words: planWordsFor(plan, source),
    isAlwaysAsked: plan.changes.some(({ links }) => links.length > 0),
    showPreview: async () => changesResult(plan),
    check: async () => {
      await checkOutputs(flags);
      requireSecrets(ledger, env);
    },
    secretsOf: () => secretsOfRun(ledger, env),
  };
}

async function checkOutputs({ outputs }: ApplyFlags): Promise<void> {
  if (outputs !== undefined) await checkWritable(outputs);
}

/** Runs the plan, and writes the IDs of the declared records to the file of `--outputs` at its end. */
async function runWithOutputs(
  run: PlannedRun & { flags: ApplyFlags },
  declared: DeclaredIds,
  context: Context,
): Promise<Result> {
  const result = await runPlan(run, context);
  if (result.kind !== 'run') return result;
  return { ...result, hasResources: true, end: () => endWithOutputs(result, declared, run) };
}

async function endWithOutputs(
  result: RunResult,
  declared: DeclaredIds,
  { ledger, flags: { outputs } }: { ledger: Ledger; flags: ApplyFlags },
) {
  if (outputs === undefined) return result.end();
  const ids = idsAfterRun(declared, ledger);
  const end = await result.end();
  try {
    await replaceFile(outputs, `${JSON.stringify(ids, null, 2)}\n`);
    return end;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { ...end, failure: end.failure ?? outputsFailure(error) };
  }
}

/** Returns the failure of a completed run whose `--outputs` file could not be written. */
function outputsFailure({ message }: Failure): Failure {
  return new Failure('partial', `All changes are done, but the IDs were not written: ${message}`, {
    outcome: 'done',
    hint: boh.hint`To write them to another file, apply again: ${boh.account('apply', 'PATH', '--outputs', 'FILE')}`,
  });
}
