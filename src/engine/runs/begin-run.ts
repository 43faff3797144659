/** Begins the run of a plan and sends its rows, for commands, change sets and other interfaces. */
import { accountFromSettings } from '../../account/session/account.ts';
import { requireOwner } from '../../account/session/file-owner.ts';
import type { Environment } from '../../base/environment.ts';
import { executeRun } from './execute-run.ts';
import { ownerOfRun, recordSending, runLabel } from './ledger/owner.ts';
import type { RowResult } from './ledger/row.ts';
import { isUnsent, openReadableRun, registerRun, unregisterUnsent } from './ledger/runs.ts';
import { endReplacedRun, findReplacedRuns } from './ledger/same-rows.ts';
import { refuseEmptiedSecrets, remainingWrites } from './plan.ts';
import type { ExecutionOptions, StoppedEarly } from './run-state.ts';
import { remainingOperations } from './send-row.ts';

/** What a run needs from the program that begins it. */
export interface RunHost {
  env: Environment;
  /** Ends the run between two requests. */
  signal: AbortSignal;
  /** Returns milliseconds since 1970. */
  now(): number;
  /** Shows how many rows are sent. */
  progress(total: number): { update(done: number): void; done(): void };
  /** Called before each pause, with the reason and the duration in ms. */
  onWait(reason: string, ms: number): void;
}

/** A planned run whose resources are locked. */
export interface LockedRun extends Omit<ExecutionOptions, 'signal' | 'now' | 'onWait' | 'sleep'> {
  /** Whether the plan is sent to the account in use, even if it was saved for another one. */
  isAnyAccount?: boolean | undefined;
}

/**
 * Checks the permissions, asks for approval and records the account, and returns the results of the rows. They are sent while
 * the results are read. Failures are thrown before anything is sent.
 */
export async function beginRun(
  run: LockedRun,
  host: RunHost,
): Promise<AsyncGenerator<RowResult, StoppedEarly | undefined>> {
  const { ledger, session } = run;
  await refuseEmptiedSecrets(ledger, session);
  // A resumed run was not confirmed in this process.
  await session.permissions.notifyPlanned(remainingWrites(ledger, session));
  for (const operation of remainingOperations(ledger, session))
    await session.permissions.approve({ operation });
  await recordAccount(run, host);
  return sendRows(run, host);
}

/** Records the account in the ledger, and ends the runs that this run replaces. Throws if the plan is for another account. */
async function recordAccount(
  { ledger, session, isAnyAccount }: LockedRun,
  { env, signal, now }: RunHost,
): Promise<void> {
  const owner = ownerOfRun(ledger);
  const isSending = ledger.count('planned', 'sent', 'unknown') > 0;
  // A run without requests needs no account.
  const { account } =
    owner || isSending
      ? await requireOwner(session, owner, { ...runLabel(ledger), env, isOverridden: isAnyAccount })
      : { account: accountFromSettings(session.settings) };
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

async function* sendRows(
  { isAnyAccount: _, ...run }: LockedRun,
  { signal, now, onWait, progress }: RunHost,
): AsyncGenerator<RowResult, StoppedEarly | undefined> {
  // A resumed run also checks rows that were sent before.
  const total = run.ledger.count('planned', 'sent', 'unknown');
  const bar = progress(total);
  const results = executeRun({ ...run, signal, now, onWait });
  try {
    for (let count = 0; ; ) {
      const { done, value } = await results.next();
      if (done) return value;
      if (value.action !== 'skip') bar.update(Math.min(++count, total));
      yield value;
    }
  } finally {
    bar.done();
  }
}
