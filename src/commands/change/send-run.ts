/** Sends the remaining rows of a run and returns its result. */
import type { Failure } from '../../base/errors.ts';
import type { Context } from '../../context/context.ts';
import type { Result } from '../../output/result.ts';
import type { Ledger } from '../../runs/ledger/ledger.ts';
import { lostLedger } from '../../runs/ledger/loss.ts';
import { ownerOfRun, runAsFile } from '../../runs/ledger/owner.ts';
import { reopenRun } from '../bulk/reopen-run.ts';
import { startRun } from '../bulk/run.ts';

/** A run that is ready to be sent. */
export type Reopened = Awaited<ReturnType<typeof reopenRun>> & { ledger: Ledger };

/** The outcome of a run. */
export interface RunOutcome {
  /** Whether nothing is left to be sent or looked up. */
  isComplete: boolean;
  /** Whether any request of it was carried out. */
  isSent: boolean;
  left: string[];
  failure?: Failure | undefined;
  stopped?: { message: string; left: string[] } | undefined;
}

/** Sends the remaining rows of a run and closes its ledger. `check` may stop it before anything is sent. */
export async function resume(
  ledger: Ledger,
  context: Context,
  check?: (run: Reopened) => Promise<RunOutcome['stopped']>,
): Promise<RunOutcome> {
  let close: (() => Promise<void>) | undefined;
  const end = async () => {
    ledger.close();
    await close?.();
  };
  try {
    const loss = ledger.loss();
    if (loss) throw lostLedger(ledger.file, loss);
    const run = await reopened(ledger, context);
    close = run.close;
    const stopped = await check?.({ ...run, ledger });
    if (stopped) {
      await end();
      return { isComplete: false, isSent: false, left: [], stopped };
    }
    const { session, flags, secretsOf, who: whoChanged } = run;
    const result = await startRun({
      ...{ ledger, session, flags, context, secretsOf, whoChanged, isPlannedBefore: true },
      onEnd: async () => undefined,
    });
    const { failure } = await drain(result);
    const ran = { isComplete: isComplete(ledger), isSent: isSent(ledger), left: leftIn(ledger), failure };
    await end();
    if (failure?.category === 'interrupted') throw failure;
    return ran;
  } catch (error) {
    await end();
    throw error;
  }
}

/** Returns whether no row is left to be sent or looked up. */
export function isComplete(ledger: Ledger): boolean {
  return ledger.count('planned', 'sent', 'unknown') === 0;
}

/** Returns whether any request was carried out. */
export function isSent(ledger: Ledger): boolean {
  return Object.entries(ledger.counts()).some(
    ([name, count]) => count > 0 && name.endsWith(' done') && name !== 'skip done',
  );
}

/** Returns a sentence for each row that was left out or failed. */
export function leftIn(ledger: Ledger): string[] {
  return [...ledger.rows('bad', 'failed')].map(
    ({ key, id, error }) => `${key ?? id ?? ''}: ${error?.message ?? ''}`,
  );
}

/** Reads a result that isn't shown to its end, and returns how it ended. */
export async function drain(result: Result): Promise<{ failure?: Failure | undefined }> {
  if (result.kind !== 'run') return {};
  for await (const _ of result.rows);
  return result.end();
}

/** Opens the account of a run that is in a ledger, and takes its locks. */
export function reopened(ledger: Ledger, context: Context): ReturnType<typeof reopenRun> {
  const owner = ownerOfRun(ledger);
  if (!owner) throw new Error(`The run ${ledger.file} has no account.`);
  const file = { ...runAsFile(ledger), isAny: false };
  return reopenRun({ ledger, owner, file, flags: {}, command: 'change run' }, context);
}
