/** Sends a planned run while its results are read, and reports its end with the command that resumes it. */

import { usage } from '../../base/errors.ts';
import type { Context } from '../../context/context.ts';
import { undoHint } from '../../output/notes.ts';
import type { RunResult } from '../../output/result.ts';
import { endReplacedRun } from '../../runs/end-replaced-run.ts';
import { executeRun } from '../../runs/execute-run.ts';
import type { Ledger } from '../../runs/ledger/ledger.ts';
import { ownerOfRun, recordSending, runLabel } from '../../runs/ledger/owner.ts';
import { isUnsent, registerRun, unregisterUnsent } from '../../runs/ledger/runs.ts';
import { findReplacedRuns } from '../../runs/ledger/same-rows.ts';
import { openReadableRun } from '../../runs/ledger/unfinished-runs.ts';
import { refuseEmptiedSecrets, remainingWrites } from '../../runs/plan.ts';
import type { DescribeChange } from '../../runs/recheck-rows.ts';
import type { RowResult } from '../../runs/result.ts';
import type { ExecutionOptions, StoppedEarly } from '../../runs/run-state.ts';
import type { ReadSecrets } from '../../runs/secrets-reader.ts';
import { remainingOperations } from '../../runs/send-row.ts';
import { sleep } from '../../runs/sleep.ts';
import { msUntilWindow, parseTimeWindow } from '../../runs/time-window.ts';
import { accountFromSettings } from '../../session/account.ts';
import { requireOwner } from '../../session/file-owner.ts';
import type { Session } from '../../session/session.ts';
import { note } from '../../terminal/messages.ts';
import { startProgress } from '../../terminal/progress.ts';
import { openChangeHistory } from '../history/open-history.ts';
import { endRun, warnOfDuplicates } from './end-run.ts';
import { lockLedger, remainingResources } from './lock-run.ts';
import { defaultConcurrency, maxDefaultConcurrency, type RunFlags } from './run-flags.ts';

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

/** Returns a function that describes who changed a record since the plan. Runs that are resumed or wait for `--between` need it. */
async function openChangeLookup({ ledger, session, flags, context, describeChange }: PreparedRun) {
  if (describeChange || flags.between === undefined || !session)
    return { describeChange, close: () => undefined };
  return openChangeHistory(ledger, session, context);
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
    key: (ledger.property('key') as string[] | undefined) ?? [],
    concurrency: Number(flags.concurrency ?? defaultConcurrency),
    maxConcurrency: Number(flags.concurrency ?? maxDefaultConcurrency),
    maxErrors: flags.maxErrors === undefined ? undefined : Number(flags.maxErrors),
    now: () => context.now().getTime(),
    sleep,
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
