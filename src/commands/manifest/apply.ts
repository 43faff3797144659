/** `boh apply PATH… | --plan FILE`: creates and updates records to match files, or applies a saved plan. */

import { Option } from 'commander';
import { Failure, usage } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import { checkWritable, replaceFile } from '../../base/replace-file.ts';
import type { Context } from '../../context/context.ts';
import { describeAccountChanges } from '../../manifest/apply/changed-since.ts';
import { lossLimit } from '../../manifest/apply/lost-relations.ts';
import { addRows, applyCommandName, idsOf } from '../../manifest/apply/rows.ts';
import {
  fingerprintOfDeclaration,
  planHash,
  readSavedPlan,
  type SavedPlan,
} from '../../manifest/apply/saved-plan.ts';
import { requireSecrets, secretsOfRun } from '../../manifest/apply/secrets.ts';
import type { Declaration } from '../../manifest/declared/declared.ts';
import { changeRecord } from '../../manifest/plan/change.ts';
import { type ManifestPlan, makePlan } from '../../manifest/plan/make-plan.ts';
import { createAction } from '../../output/present.ts';
import type { Result, RunResult } from '../../output/result.ts';
import { Ledger } from '../../runs/ledger/ledger.ts';
import { recordRowsIdentity } from '../../runs/ledger/same-rows.ts';
import { requireOwner } from '../../session/file-owner.ts';
import type { Session } from '../../session/session.ts';
import { note } from '../../terminal/messages.ts';
import { applySavedPlan } from '../bulk/apply-saved.ts';
import { planInNewLedger } from '../bulk/ledger.ts';
import { lockRun } from '../bulk/lock-run.ts';
import { addRunFlags, maxChangesOption, maxPriceChangeOption, type RunFlags } from '../bulk/run-flags.ts';
import { type PlannedRun, runPlan } from '../bulk/run-plan.ts';
import { checkRunFlags, openRunSession } from '../bulk/run-session.ts';
import { readSavedParts } from '../bulk/saved-plan.ts';
import { Command } from '../command.ts';
import { type AnyAccountFlag, anyAccountOption } from '../flags/shared-flags.ts';
import { prepare } from '../prepare.ts';
import {
  addPathArgument,
  addPlanFlags,
  deletionLimit,
  type PlanFlags,
  planManifests,
  preferFileErrors,
  readDeclaration,
} from './manifest-flags.ts';
import { changesResult, countRecords, planWordsFor } from './show-plan.ts';

/** Returns the command `boh apply`. */
export function applyCommand(context: Context): Command {
  const command = addPathArgument(prepare(new Command(applyCommandName).withDryRun())).description(
    "Create and update records to match files. Records that the files don't contain aren't changed, unless --prune names " +
      'their resource. All changes are shown first; if a run stops, apply again to continue.',
  );
  addApplyFlags(command);
  command.examples('boh apply seeds/', 'boh plan seeds/ --out monday.plan && boh apply --plan monday.plan');
  return command.action(
    createAction(context, (paths: string[], flags: ApplyFlags) => run(paths, flags, context)),
  );
}

async function run(paths: readonly string[], flags: ApplyFlags, context: Context): Promise<Result> {
  checkRunFlags(flags);
  const hasPlanningFlags = flags.normalizePhones === true || paths.length > 0 || flags.prune.length > 0;
  if (flags.plan !== undefined && hasPlanningFlags) {
    throw usage("--plan can't be combined with paths, --prune or --normalize-phones.");
  }
  // The settings come first: a saved plan may refer to secrets of the profile in use.
  await context.settings();
  const savedPlan = flags.plan === undefined ? undefined : readSavedPlan(flags.plan, context);
  if (flags.plan !== undefined && flags.ledger !== undefined)
    throw usage(`--plan can't be combined with --ledger or --no-ledger: ${flags.plan} is the ledger.`);
  if (flags.plan !== undefined && !savedPlan) {
    if (flags.outputs !== undefined)
      throw usage("--outputs needs files, or a plan of boh plan: other plans don't declare records.");
    return applySavedPlan(flags.plan, flags, context);
  }
  const declaration = savedPlan?.declaration ?? (await readDeclaration(paths, context, flags));
  const session = await preferFileErrors(declaration, openRunSession(context, flags));
  if (savedPlan)
    await requireOwner(session, savedPlan.owner, {
      label: flags.plan ?? '',
      kind: 'plan',
      override: boh.hint`To plan again: ${boh.account('plan', 'PATH', '--out', 'FILE')}. To apply it anyway: --any-account`,
      env: context.env,
      isOverridden: flags.anyAccount,
    });
  else if (flags.anyAccount)
    throw usage('--any-account needs --plan: only a saved plan belongs to an account.');
  const createPlan = async () =>
    savedPlan
      ? requireUnchanged(
          savedPlan,
          await makePlan({ session, declaration, prune: savedPlan.prune, signal: context.signal }),
        )
      : planManifests(declaration, flags, session, context);
  const source = flags.plan ?? paths.join(' ');
  const maxDeletes = flags.maxDeletes ?? savedPlan?.maxDeletes;
  const limitedFlags = { ...flags, ...(maxDeletes !== undefined && { maxDeletes }) };
  return applyPlanned(
    { createPlan, declaration, session, flags: limitedFlags, source, command: applyCommandName },
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
    const ledgerOptions = { command: applyCommandName, source, flags, isKept, context };
    const send = async (ledger: Ledger) => {
      ledger.takeOverLocks(locks);
      const isGuarded = session.settings.protection !== undefined && !flags.allowLoss;
      const limits = [deletionLimit(plan, flags), ...(isGuarded ? [await lossLimit(plan, session)] : [])];
      const run = { ...(await planApply(plan, ledger, { session, flags, source }, context)), limits };
      recordRowsIdentity(ledger, { mark: fingerprintOfDeclaration(plan), isFound: true });
      const result = await runPlan(run, context);
      if (result.kind !== 'run') return result;
      return { ...result, hasResources: true, end: () => endWithOutputs(result, plan, run) };
    };
    return flags.plan !== undefined && isKept
      ? await sendSavedPlan(flags.plan, send)
      : await planInNewLedger(ledgerOptions, send);
  } catch (error) {
    locks.release();
    throw error;
  }
}

/** Sends the rows of a saved plan, whose file is the ledger of the run. Throws `usage` if it was already applied. */
async function sendSavedPlan(file: string, send: (ledger: Ledger) => Promise<Result>): Promise<Result> {
  const ledger = new Ledger(file).acquireLock();
  try {
    readSavedParts(ledger);
    ledger.setProperty('command', applyCommandName);
    return await send(ledger);
  } catch (error) {
    ledger.close();
    throw error;
  }
}

/** Writes the requests of an apply to the ledger, unless it is a saved plan, which has them. */
export async function planApply(
  plan: ManifestPlan,
  ledger: Ledger,
  { session, flags, source }: Pick<ApplyRequest, 'session' | 'flags' | 'source'>,
  context: Context,
): Promise<PlannedRun & { flags: ApplyFlags }> {
  const { env, globals, signal, streams } = context;
  if (ledger.count() === 0) await addRows(ledger, plan, signal);
  for (const planNote of plan.notes) note(streams, planNote);
  return {
    ledger,
    session,
    flags,
    records: countRecords(plan),
    words: planWordsFor(plan, source),
    isKept: flags.plan !== undefined && !globals.dryRun,
    isAnyAccount: flags.anyAccount,
    isAlwaysAsked: plan.changes.some(({ links }) => links.length > 0),
    showPreview: async () => changesResult(plan),
    check: async () => {
      if (flags.outputs !== undefined) await checkWritable(flags.outputs);
      requireSecrets(ledger, env);
    },
    secretsOf: () => secretsOfRun(ledger, env),
  };
}

async function endWithOutputs(
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

async function writeIds(file: string, ids: unknown): Promise<void> {
  await replaceFile(file, `${JSON.stringify(ids, null, 2)}\n`);
}

/** Returns `plan`. Throws if it differs from the saved plan, because records have changed since it was saved. */
function requireUnchanged(savedPlan: SavedPlan, plan: ManifestPlan): ManifestPlan {
  if (planHash(plan) === savedPlan.hash) return plan;
  throw usage('Records have changed since the plan was saved, so it is out of date. Nothing was sent.', {
    fields: describeAccountChanges(savedPlan.changes, plan.changes.map(changeRecord)),
    hint: boh.hint`To plan again and review it: ${boh.account('plan', 'PATH', '--out', 'FILE')}`,
  });
}

interface ApplyFlags extends PlanFlags, RunFlags, AnyAccountFlag {
  plan?: string;
  outputs?: string;
}

function addApplyFlags(command: Command): void {
  addPlanFlags(command)
    .addOption(
      new Option(
        '--plan <file>',
        'apply a plan that any command saved with --out, unless records have changed since',
      ),
    )
    .addOption(maxChangesOption())
    .addOption(maxPriceChangeOption())
    .addOption(new Option('--outputs <file>', 'write the IDs of the declared records to this file, as JSON'))
    .addOption(
      new Option(
        '--allow-loss',
        'on protected profiles: allow changes that remove the only supplier, category or tax of a record',
      ).helpGroup('Advanced:'),
    )
    .addOption(anyAccountOption('with --plan: apply a plan that was saved for another account'));
  addRunFlags(command);
}
