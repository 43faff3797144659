/** Sends the remaining rows of a run, after looking up rows that were sent before. */

import type { Session } from '../../account/session/session.ts';
import { Failure } from '../../base/errors.ts';
import { remainingSecrets } from '../manifest/apply/secrets.ts';
import { beginRun } from '../runs/begin-run.ts';
import type { Ledger } from '../runs/ledger/ledger.ts';
import { undoingOf } from '../runs/ledger/runs.ts';
import type { DescribeChange } from '../runs/recheck-rows.ts';
import type { ReadSecrets } from '../runs/secrets-reader.ts';
import type { Host } from './host.ts';

/** A run whose account is open and whose resources are locked. */
export interface OpenRun {
  ledger: Ledger;
  session: Session;
  secretsOf: ReadSecrets | undefined;
}

/** Opens the run of a ledger, calls `work`, and closes the run. */
export async function withRun<T>(
  ledger: Ledger,
  change: string,
  host: Host,
  work: (run: OpenRun) => Promise<T>,
): Promise<T> {
  const { env } = host;
  let secrets: Awaited<ReturnType<typeof remainingSecrets>> | undefined;
  try {
    const session = await host.open({ change, undoing: undoingOf(ledger) });
    ledger.recover();
    secrets = await remainingSecrets(ledger, env, session.api);
    const resources = new Set(ledger.remainingOperations().map(({ resource }) => resource));
    if (resources.size > 0) await host.lock(ledger, session, [...resources]);
    return await work({ ledger, session, secretsOf: secrets.secretsOf });
  } finally {
    ledger.close();
    await secrets?.close();
  }
}

/** Sends the rows. Throws the failure that stopped the run before all rows had an outcome. */
export async function sendRun(
  { ledger, session, secretsOf }: OpenRun,
  { describeChange, isInOrder = false }: { describeChange: DescribeChange; isInOrder?: boolean },
  host: Host,
): Promise<void> {
  const run = { ledger, session, secretsOf, describeChange, isPlannedBefore: true };
  const results = await beginRun({ ...run, concurrency: isInOrder ? 1 : undefined }, host);
  for (;;) {
    const { done, value } = await results.next();
    if (!done) continue;
    if (ledger.count('planned', 'sent', 'unknown') === 0) return ledger.setProperty('state', 'finished');
    throw value?.failure ?? new Failure('unavailable', 'Some rows have an unknown outcome.');
  }
}
