/** Sends the remaining rows of a run, after looking up rows that were sent before. */

import { type AccountInUse, accountInUse } from '../../account/session/account.ts';
import type { Session } from '../../account/session/session.ts';
import { Failure } from '../../base/errors.ts';
import { remainingSecrets } from '../manifest/apply/secrets.ts';
import { executeRun } from '../runs/execute-run.ts';
import type { Ledger } from '../runs/ledger/ledger.ts';
import { recordSending } from '../runs/ledger/owner.ts';
import { undoingOf } from '../runs/ledger/runs.ts';
import { refuseEmptiedSecrets } from '../runs/plan.ts';
import type { DescribeChange } from '../runs/recheck-rows.ts';
import type { ReadSecrets } from '../runs/secrets-reader.ts';
import { remainingOperations } from '../runs/send-row.ts';
import type { Host } from './host.ts';

/** A run whose account is open and whose resources are locked. */
export interface OpenRun {
  ledger: Ledger;
  session: Session;
  account: AccountInUse;
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
    const account = await accountInUse(session);
    ledger.recover();
    secrets = await remainingSecrets(ledger, env, session.api);
    const resources = new Set(ledger.remainingOperations().map(({ resource }) => resource));
    if (resources.size > 0) await host.lock(ledger, session, [...resources]);
    return await work({ ledger, session, account, secretsOf: secrets.secretsOf });
  } finally {
    ledger.close();
    await secrets?.close();
  }
}

/** Sends the rows. Throws the failure that stopped the run before all rows had an outcome. */
export async function sendRun(
  { ledger, session, account, secretsOf }: OpenRun,
  { describeChange, isInOrder = false }: { describeChange: DescribeChange; isInOrder?: boolean },
  { signal, now, progress, onWait }: Host,
): Promise<void> {
  await refuseEmptiedSecrets(ledger, session);
  for (const operation of remainingOperations(ledger, session))
    await session.permissions.approve({ operation });
  recordSending(ledger, account, session.settings.profile);
  const bar = progress(ledger.count('planned'));
  try {
    const results = executeRun({
      ...{ ledger, session, secretsOf, describeChange, isPlannedBefore: true, signal, now },
      concurrency: isInOrder ? 1 : undefined,
      onWait,
    });
    for (let sentCount = 1; ; sentCount++) {
      const { done, value } = await results.next();
      if (!done) bar.update(sentCount);
      else if (ledger.count('planned', 'sent', 'unknown') === 0)
        return ledger.setProperty('state', 'finished');
      else throw value?.failure ?? new Failure('unavailable', 'Some rows have an unknown outcome.');
    }
  } finally {
    bar.done();
  }
}
