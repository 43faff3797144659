/** Executes the plan in a ledger, for every command that plans: checks limits, shows the plan, asks, sends it, and reports its end. */

import { type AccountIdentity, accountFromSettings } from '../../../account/session/account.ts';
import { type OwnerCheck, requireOwner } from '../../../account/session/file-owner.ts';
import type { Session } from '../../../account/session/session.ts';
import { capitalize } from '../../../api/contract/wording.ts';
import { Failure, usage } from '../../../base/errors.ts';
import { type Hint, joinHints } from '../../../base/hint.ts';
import { formatCount, truncateItems } from '../../../base/shown-items.ts';
import { remainingSecrets } from '../../../engine/manifest/apply/secrets.ts';
import { findDuplicates } from '../../../engine/runs/concurrent-duplicates.ts';
import { checkFailedFile, endRun } from '../../../engine/runs/end-run.ts';
import { executeRun } from '../../../engine/runs/execute-run.ts';
import type { Ledger } from '../../../engine/runs/ledger/ledger.ts';
import { ownerOfRun, recordSending, runLabel } from '../../../engine/runs/ledger/owner.ts';
import type { RowResult } from '../../../engine/runs/ledger/row.ts';
import {
  isUnsent,
  openReadableRun,
  registerRun,
  undoingOf,
  unregisterUnsent,
} from '../../../engine/runs/ledger/runs.ts';
import { endReplacedRun, findReplacedRuns } from '../../../engine/runs/ledger/same-rows.ts';
import { type SavedParts, savePlan } from '../../../engine/runs/ledger/saved-plan.ts';
import { plannedDeleteLimit, protectedLimits, refuseExceeded } from '../../../engine/runs/limits.ts';
import {
  buildPlan,
  expectedFailure,
  type Plan,
  type PlanInput,
  refuseEmptiedSecrets,
  remainingWrites,
} from '../../../engine/runs/plan.ts';
import type { DescribeChange } from '../../../engine/runs/recheck-rows.ts';
import type { ExecutionOptions, StoppedEarly } from '../../../engine/runs/run-state.ts';
import type { ReadSecrets } from '../../../engine/runs/secrets-reader.ts';
import { remainingOperations } from '../../../engine/runs/send-row.ts';
import { sleep } from '../../../engine/runs/sleep.ts';
import { msUntilWindow, parseTimeWindow } from '../../../engine/runs/time-window.ts';
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
import { planResult, reportChanges, reportExcluded, reportPlan } from './show-plan.ts';

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
  if (!showPreview) return planResult(plan, words, context, end);
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
  const isRisky = isAlwaysAsked || changed > 1 || counts.has('delete');
  const needsConfirmation = isRisky && !globals.yes;
  const { noun, nouns } = words.resource;
  const action = `${words.verb ?? verbOf(counts)} ${formatCount(changed)} ${changed === 1 ? noun : nouns}`;
  if (needsConfirmation) {
    const previewHint = joinHints(' ', 'To preview the changes, add --dry-run.', consequence);
    requireYes({ action, consequence: previewHint }, context);
  }
  const showsChanges = needsConfirmation || (session && asksForName(context, session.settings));
  if (showsChanges || words.excluded) reportExcluded(plan, words, context);
  if (showsChanges) reportChanges(plan, words, context);
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

/** Starts a run: checks permissions, asks for approval and records the account. Failures are thrown before anything is sent. */
export async function startRun(run: PreparedRun): Promise<RunResult> {
  const { ledger, session, flags, context } = run;
  if (!session) throw usage('--offline needs --dry-run: writing needs the service.');
  await refuseEmptiedSecrets(ledger, session);
  // A resumed run was not confirmed in this process.
  await session.permissions.notifyPlanned(remainingWrites(ledger, session));
  for (const operation of remainingOperations(ledger, session))
    await session.permissions.approve({ operation });
  await recordAccount(run, session);
  const { describeChange, close } = await openChangeLookup(run);
  let stoppedEarly: StoppedEarly | undefined;
  let completedRows = 0;
  async function* rows(): AsyncGenerator<RowResult> {
    // A resumed run also checks rows that were sent before.
    const total = ledger.count('planned', 'sent', 'unknown');
    const bar = startProgress(context.streams, { label: 'Sending', total });
    const results = executeRun({ ...runOptions(run, session as Session), describeChange });
    try {
      for (let count = 0; ; ) {
        const iteration = await results.next();
        if (iteration.done) {
          stoppedEarly = iteration.value;
          return;
        }
        // A sent row that isn't done is yielded again.
        if (iteration.value.action !== 'skip') bar.update(Math.min(++count, total));
        if (iteration.value.action !== 'skip' && iteration.value.outcome === 'done') completedRows++;
        yield iteration.value;
      }
    } finally {
      bar.done();
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

function runOptions(
  { ledger, flags, context, secretsOf, isPlannedBefore }: PreparedRun,
  session: Session,
): Parameters<typeof executeRun>[0] {
  const { streams, signal } = context;
  return {
    ledger,
    session,
    secretsOf,
    isPlannedBefore,
    signal,
    concurrency: flags.concurrency === undefined ? undefined : Number(flags.concurrency),
    maxErrors: flags.maxErrors === undefined ? undefined : Number(flags.maxErrors),
    now: () => context.now().getTime(),
    onWait: (reason, ms) => note(streams, `${reason} Continuing in ${Math.ceil(ms / 1000)} s.`),
    gate:
      flags.between === undefined
        ? undefined
        : createHoursGate(flags.between, context, createRelock(ledger, session, context)),
  };
}

/** Returns the functions with which a waiting run releases its lock and acquires it again. They ignore `--no-wait`: part of the run may be done. */
function createRelock(ledger: Ledger, session: Session, context: Context): Relock {
  const command = String(ledger.property('command'));
  return {
    unlock: () => ledger.unlock(),
    lock: async () => {
      const resources = remainingResources(ledger);
      await lockLedger(ledger, { account: session, resources, flags: {}, command }, context);
    },
  };
}

/** Records the account in the ledger. Throws if the plan is for another account. */
async function recordAccount(
  { ledger, context, isAnyAccount: anyAccount }: PreparedRun,
  session: Session,
): Promise<void> {
  const { env, signal } = context;
  const owner = ownerOfRun(ledger);
  const isSending = ledger.count('planned', 'sent', 'unknown') > 0;
  // A run without requests needs no account.
  const { account } =
    owner || isSending
      ? await requireOwner(session, owner, { ...runLabel(ledger), env, isOverridden: anyAccount })
      : { account: accountFromSettings(session.settings) };
  const now = () => context.now().getTime();
  const folder = await session.folder();
  const starting = { folder, ledger, since: Number(ledger.property('since') ?? 0), now: now() };
  for (const id of isUnsent(ledger) && isSending ? findReplacedRuns(starting) : []) {
    const replaced = openReadableRun(folder, id);
    if (replaced)
      await endReplacedRun({ ledger: replaced, session, now, signal }).finally(() => replaced.close());
  }
  registerRun(folder, ledger);
  try {
    recordSending(ledger, account, session.settings.profile);
  } catch (error) {
    unregisterUnsent(folder, ledger);
    throw error;
  }
}

/** The maximum time until a wait checks the clock again: timers stop while the machine sleeps. */
const maxTimerMs = 60_000;

/** Releases and acquires the lock of a run, so that other runs don't wait for hours until `--between`. */
interface Relock {
  unlock(): void;
  lock(): Promise<void>;
}

/** Returns a gate that delays requests until the hours of `--between`. Throws a usage failure if `between` isn't two times of day. */
export function createHoursGate(
  between: string,
  { streams, now }: Context,
  { unlock, lock }: Relock,
): NonNullable<ExecutionOptions['gate']> {
  const hours = parseTimeWindow(between);
  return async (signal, idle) => {
    const waitMs = msUntilWindow(hours, now());
    if (waitMs === 0) return false;
    const startTime = new Date(now().getTime() + waitMs).toLocaleString('sv-SE').slice(0, 16);
    note(
      streams,
      `Waiting until ${startTime}: --between ${between}. Records that change in the meantime won't be updated.`,
    );
    await idle();
    unlock();
    for (let ms = waitMs; ms > 0 && !signal.aborted; ms = msUntilWindow(hours, now()))
      await sleep(Math.min(ms, maxTimerMs), signal);
    try {
      await lock();
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    return true;
  };
}

/** Options for reopening a run. */
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
