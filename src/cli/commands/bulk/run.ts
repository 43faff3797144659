/** Executes the plan in a ledger, for every command that plans: checks limits, shows the plan, asks, sends it, and reports its end. */

import type { AccountIdentity } from '../../../account/session/account.ts';
import { type OwnerCheck, requireOwner } from '../../../account/session/file-owner.ts';
import type { Session } from '../../../account/session/session.ts';
import { capitalize } from '../../../api/contract/wording.ts';
import { Failure, usage } from '../../../base/errors.ts';
import { type Hint, joinHints } from '../../../base/hint.ts';
import { formatCount, truncateItems } from '../../../base/shown-items.ts';
import { remainingSecrets } from '../../../engine/manifest/apply/secrets.ts';
import { beginRun, type RunHost } from '../../../engine/runs/begin-run.ts';
import { findDuplicates } from '../../../engine/runs/concurrent-duplicates.ts';
import { checkFailedFile, endRun } from '../../../engine/runs/end-run.ts';
import type { Ledger } from '../../../engine/runs/ledger/ledger.ts';
import type { RowResult } from '../../../engine/runs/ledger/row.ts';
import { undoingOf } from '../../../engine/runs/ledger/runs.ts';
import { type SavedParts, savePlan } from '../../../engine/runs/ledger/saved-plan.ts';
import { plannedDeleteLimit, protectedLimits, refuseExceeded } from '../../../engine/runs/limits.ts';
import { buildPlan, expectedFailure, type Plan, type PlanInput } from '../../../engine/runs/plan.ts';
import type { DescribeChange } from '../../../engine/runs/recheck-rows.ts';
import type { StoppedEarly } from '../../../engine/runs/run-state.ts';
import type { ReadSecrets } from '../../../engine/runs/secrets-reader.ts';
import { createHoursGate } from '../../../engine/runs/time-window.ts';
import type { StoredTableFormat } from '../../../engine/tables/failed-rows.ts';
import type { Context } from '../../context/context.ts';
import { undoHint } from '../../output/notes.ts';
import type { Result, RunResult } from '../../output/result.ts';
import { asksForName, askToContinue, noteOnce, requireYes } from '../../prompts/confirm.ts';
import { note, report, warn } from '../../terminal/messages.ts';
import { startProgress } from '../../terminal/progress.ts';
import { openChangeHistory } from '../history/open-history.ts';
import { guardPlan } from './guard.ts';
import { lockLedger, remainingResources } from './ledger.ts';
import { openRunSession, type RunFlags, withStoredFlags } from './run-flags.ts';
import {
  namesForPreview,
  planResult,
  reportChanges,
  reportEffects,
  reportExcluded,
  reportPlan,
} from './show-plan.ts';

/** A plan in a ledger, and the functions of the command that execute it. */
export interface PlannedRun extends PlanInput, SavedParts {
  flags: RunFlags & { exitCode?: boolean };
  /** Throws for reasons other than limits that prevent the run, before any confirmation. */
  check?(): Promise<void>;
  /** False for an undo, whose deletions are of records that a run created: only the flags limit it. */
  hasDefaultLimits?: false;
  /** True with `--any-account`: the plan is sent to the account in use, even if it was saved for another one. */
  isAnyAccount?: boolean | undefined;
  /** Whether to keep the ledger if nothing is sent, because it is a saved plan. */
  isKept?: boolean | undefined;
  /** Returns the result of a dry run, instead of the rows. */
  showPreview?(): Promise<Result>;
  secretsOf?: (() => ReadSecrets | undefined) | undefined;
  /** Closes the source of the rows. If `runPlan` throws, nothing was sent, and the caller closes the source. */
  close?(): Promise<void>;
}

/**
 * Shows the plan, asks for confirmation, and executes it. In a dry run, it only shows the plan and the expected failure.
 * With `--out`, it also saves the plan.
 */
export async function runPlan(run: PlannedRun, context: Context): Promise<Result> {
  const { ledger, session } = run;
  const isProtected = session?.settings.protection !== undefined && run.hasDefaultLimits !== false;
  const flags = { ...(isProtected && protectedLimits), ...run.flags };
  const limitsDeletes = run.hasDefaultLimits !== false || flags.maxDeletes !== undefined;
  const limits = [
    ...(run.limits ??
      (session && limitsDeletes ? [await plannedDeleteLimit(ledger, session, flags.maxDeletes)] : [])),
    ...(await guardPlan(run, flags, context)),
  ];
  const plan = await buildPlan({ ...run, flags, limits });
  const refuseProblems = async () => {
    refuseExceeded(plan.limits);
    await run.check?.();
  };
  if (context.globals.dryRun || flags.out !== undefined) {
    const failure = await expectedFailure(plan, refuseProblems);
    const isSaved = flags.out !== undefined && (failure === undefined || failure.category === 'partial');
    const notes = isSaved ? await savePlan(run) : [];
    // `apply --plan` sends it later, so nothing is undone yet.
    if (isSaved) context.recordedWrites.undoing = undefined;
    return previewPlan(plan, { ...run, isKept: run.isKept || isSaved, notes }, failure, context);
  }
  await refuseProblems();
  reportPlan(plan, run.words, context);
  await confirmPlan(plan, run, context);
  const { isAnyAccount, concurrency = flags.concurrency } = run;
  const runFlags = concurrency === undefined ? flags : { ...flags, concurrency };
  const onEnd = async () => {
    // Without a row there is nothing to show, resume or undo.
    if (run.isKept || ledger.count() > 0) ledger.close();
    else ledger.discard();
    await run.close?.();
  };
  const secretsOf = run.secretsOf?.();
  return startRun({ ledger, session, flags: runFlags, context, secretsOf, isAnyAccount, onEnd });
}

/** Shows a plan without executing it, and fails with the expected failure. Deletes the ledger afterwards, unless `isKept`. */
export async function previewPlan(
  plan: Plan,
  {
    words,
    flags,
    showPreview,
    close,
    isKept,
    notes = [],
  }: Pick<PlannedRun, 'words' | 'flags' | 'showPreview' | 'close' | 'isKept'> & { notes?: readonly Hint[] },
  failure: Failure | undefined,
  context: Context,
): Promise<Result> {
  reportPlan(plan, words, context);
  noteOnce(plan.irreversible, context);
  if (plan.changed > 0 && flags.exitCode) context.exitCode = 10;
  const end = async () => {
    if (isKept) plan.ledger.close();
    else plan.ledger.discard();
    await close?.();
    return { failure, notes };
  };
  if (!showPreview) return planResult(plan, words, context, end, await namesForPreview(plan, context));
  await end();
  const result = await showPreview();
  return { ...result, expectedFailure: failure, notes: [...(result.notes ?? []), ...notes] };
}

/** Returns the action if all records have the same one, else "write". */
function verbOf(counts: Plan['counts']): string {
  const [action = 'write', ...otherActions] = counts.keys();
  const isRecordAction = ['create', 'update', 'delete', 'restore'].includes(action);
  return isRecordAction && otherActions.length === 0 ? action : 'write';
}

/** Asks for confirmation. Throws if the answer is no, or without a terminal. A single record needs none, unless it is deleted. */
export async function confirmPlan(
  plan: Plan,
  { words, consequence, isAlwaysAsked }: Pick<PlannedRun, 'words' | 'consequence' | 'isAlwaysAsked'>,
  context: Context,
): Promise<void> {
  const { globals, streams, recordedWrites } = context;
  const { changed, counts, session } = plan;
  const isRisky = isAlwaysAsked || changed > 1 || counts.has('delete') || plan.takesEffect;
  const needsConfirmation = isRisky && !globals.yes;
  const { noun, nouns } = words.resource;
  const action = `${words.verb ?? verbOf(counts)} ${formatCount(changed)} ${changed === 1 ? noun : nouns}`;
  if (needsConfirmation) {
    const previewHint = joinHints(' ', 'To preview the changes, add --dry-run.', consequence);
    requireYes({ action, consequence: previewHint }, context);
  }
  const showsChanges = needsConfirmation || (session && asksForName(context, session.settings));
  if (showsChanges || words.excluded) reportExcluded(plan, words, context);
  if (showsChanges) await reportChanges(plan, words, context);
  if (showsChanges && plan.takesEffect) await reportEffects(plan, context);
  noteOnce(plan.irreversible, context);
  if (!needsConfirmation) return;
  if (consequence && !(typeof consequence === 'string' && recordedWrites.irreversible.has(consequence)))
    note(streams, consequence);
  await askToContinue(`${capitalize(action)}?`, context);
}

/** A run that is ready to be sent. */
export interface PreparedRun {
  ledger: Ledger;
  session: Session | undefined;
  flags: RunFlags;
  context: Context;
  secretsOf?: ReadSecrets | undefined;
  /** Set for a resumed run; see `ExecutionOptions`. */
  describeChange?: DescribeChange | undefined;
  isPlannedBefore?: boolean | undefined;
  /** True with `--any-account`: the plan is sent to the account in use, even if it was saved for another one. */
  isAnyAccount?: boolean | undefined;
  onEnd(): Promise<void>;
}

/** Starts a run, and returns its results. Failures are thrown before anything is sent. */
export async function startRun(run: PreparedRun): Promise<RunResult> {
  const { ledger, session, flags, context, secretsOf, isPlannedBefore, isAnyAccount } = run;
  if (!session) throw usage('--offline needs --dry-run: writing needs the service.');
  const { concurrency, maxErrors, between } = flags;
  const { describeChange, close } = await openChangeLookup(run);
  const results = await beginRun(
    {
      ...{ ledger, session, secretsOf, describeChange, isPlannedBefore, isAnyAccount },
      concurrency: concurrency === undefined ? undefined : Number(concurrency),
      maxErrors: maxErrors === undefined ? undefined : Number(maxErrors),
      gate: between === undefined ? undefined : hoursGate(between, ledger, session, context),
    },
    runHost(context),
  ).catch((error) => {
    close();
    throw error;
  });
  let stoppedEarly: StoppedEarly | undefined;
  let completedRows = 0;
  async function* rows(): AsyncGenerator<RowResult> {
    for (;;) {
      const { done, value } = await results.next();
      if (done) {
        stoppedEarly = value;
        return;
      }
      // A sent row that isn't done is yielded again.
      if (value.action !== 'skip' && value.outcome === 'done') completedRows++;
      yield value;
    }
  }
  return {
    kind: 'run',
    hasResources: ledger.hasResources(),
    rows: rows(),
    end: async () => {
      try {
        const { failure, notes } = await endRun(ledger, stoppedEarly?.failure, flags, completedRows);
        if (!stoppedEarly) await warnOfDuplicates(ledger, session, context);
        const undoNote = undoHint(context, ledger.id);
        context.recordedWrites.isUndoShown = true;
        return { failure, notes: [...notes, ...(undoNote === undefined ? [] : [undoNote])] };
      } finally {
        close();
        await run.onEnd();
      }
    },
  };
}

/** Returns what runs need from a command. */
function runHost({ env, now, signal, streams }: Context): RunHost {
  return {
    env,
    signal,
    now: () => now().getTime(),
    progress: (total) => startProgress(streams, { label: 'Sending', total }),
    onWait: (reason, ms) => note(streams, `${reason} Continuing in ${Math.ceil(ms / 1000)} s.`),
  };
}

/** Warns of records that this run and another user created at the same time. It never fails the run. */
async function warnOfDuplicates(ledger: Ledger, session: Session, context: Context): Promise<void> {
  if ((ledger.counts()['create done'] ?? 0) === 0) return;
  const { streams } = context;
  try {
    const duplicates = await findDuplicates(ledger, session, context.now().getTime());
    if (duplicates.length === 0) return;
    const records =
      duplicates.length === 1
        ? 'A record of this run now exists'
        : `${duplicates.length} records of this run now exist`;
    warn(
      streams,
      `${records} twice: someone else created the same records at the same time, for example by importing the file on two machines.`,
    );
    for (const line of truncateItems(
      duplicates.map(({ key, id, other }) => `${key}: ${id} of this run, and ${other}`),
    ))
      report(streams, `  ${line}`);
    report(
      streams,
      'Before you delete one of them, check which is in use. boh undo would delete all records created by this run.',
    );
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    warn(streams, `Could not check whether someone else created the same records: ${error.message}`);
  }
}

/** Returns a function that describes who changed a record since the plan. Runs that are resumed or wait for `--between` need it. */
async function openChangeLookup({ ledger, session, flags, describeChange }: PreparedRun) {
  if (describeChange || flags.between === undefined || !session)
    return { describeChange, close: () => undefined };
  return openChangeHistory(ledger, session);
}

/**
 * Returns the gate of `--between`. A waiting run releases its locks and acquires them again, ignoring `--no-wait`: part of it
 * may be done.
 */
function hoursGate(between: string, ledger: Ledger, session: Session, context: Context) {
  const command = String(ledger.property('command'));
  return createHoursGate(between, {
    now: () => context.now(),
    onWait: (message) => note(context.streams, message),
    unlock: () => ledger.unlock(),
    lock: () =>
      lockLedger(
        ledger,
        { account: session, resources: remainingResources(ledger), flags: {}, command },
        context,
      ),
  });
}

export interface ReopenOptions<Flags extends RunFlags> {
  ledger: Ledger;
  owner: AccountIdentity;
  /** The name of the ledger in messages, if it belongs to another account. */
  file: OwnerCheck;
  /** The flags of this command line. Missing flags keep the values with which the run was started. */
  flags: Flags;
  /** The name of this run for runs that wait for it. */
  command: string;
}

/** A run that can be sent again. */
export interface ReopenedRun<Flags extends RunFlags> {
  session: Session;
  flags: Flags;
  secretsOf: ReadSecrets | undefined;
  describeChange: DescribeChange;
  /** Closes the files of secrets and history. */
  close(): Promise<void>;
}

/** Reopens the run of a ledger. Throws before anything is sent, and before the ledger changes if it belongs to another account. */
export async function reopenRun<Flags extends RunFlags>(
  { ledger, owner, file, flags: requestedFlags, command }: ReopenOptions<Flags>,
  context: Context,
): Promise<ReopenedRun<Flags>> {
  const { env, api } = context;
  const flags = withStoredFlags(requestedFlags, ledger.property('flags'));
  await checkFailedFile(flags.failed, (ledger.property('shape') as StoredTableFormat | undefined) ?? {});
  const session = await openRunSession(context, flags);
  await requireOwner(session, owner, file);
  ledger.recover();
  context.recordedWrites.undoing = undoingOf(ledger);
  const secrets = await remainingSecrets(ledger, env, api);
  const resources = remainingResources(ledger);
  await lockLedger(ledger, { account: session, resources, flags, command }, context);
  const changeLookup = await openChangeHistory(ledger, session);
  return {
    session,
    flags,
    secretsOf: secrets.secretsOf,
    describeChange: changeLookup.describeChange,
    close: async () => {
      changeLookup.close();
      await secrets.close();
    },
  };
}
