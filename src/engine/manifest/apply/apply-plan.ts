/** Applies a plan immediately, with a ledger in memory only: for temporary accounts. */

import type { Session } from '../../../account/session/session.ts';
import type { Environment } from '../../../base/environment.ts';
import { Failure } from '../../../base/errors.ts';
import { executeRun } from '../../runs/execute-run.ts';
import { Ledger } from '../../runs/ledger/ledger.ts';
import type { RowResult } from '../../runs/ledger/row.ts';
import type { ManifestPlan } from '../plan/make-plan.ts';
import { addRows } from './rows.ts';
import { secretsOfRun } from './secrets.ts';

/** The account, and what the execution of a plan needs. */
export interface ApplyOptions {
  session: Session;
  env: Environment;
  signal: AbortSignal;
  /** The time in milliseconds since 1970. */
  now(): number;
}

export interface AppliedPlan {
  /** The result of each row, including rows that failed. */
  results: RowResult[];
}

/** Sends a plan. Throws the failure that ended the run, if any; failed rows are in the results. */
export async function applyPlan(
  plan: ManifestPlan,
  { session, env, signal, now }: ApplyOptions,
): Promise<AppliedPlan> {
  const ledger = new Ledger(':memory:');
  try {
    await addRows(ledger, plan, signal);
    const results: RowResult[] = [];
    const run = executeRun({ ledger, session, secretsOf: secretsOfRun(ledger, env), signal, now });
    for (;;) {
      const step = await run.next();
      if (!step.done) results.push(step.value);
      else if (step.value) throw step.value.failure;
      else return { results };
    }
  } finally {
    ledger.close();
  }
}

/** Throws one failure that lists all rows that failed or were not sent. */
export function throwIfFailed({ results }: AppliedPlan, action: string): void {
  const failedRows = results.filter(({ outcome }) => outcome !== 'done');
  if (failedRows.length === 0) return;
  const fields = Object.fromEntries(
    failedRows.map(({ resource, key, error }) => [`${resource ?? ''} ${key ?? ''}`.trim(), reasonsOf(error)]),
  );
  throw new Failure('refused', `${action}: ${failedRows.length} of ${results.length} changes failed.`, {
    fields,
  });
}

function reasonsOf(error: RowResult['error']): string[] {
  const fields = Object.entries((error?.fields ?? {}) as Record<string, string[]>);
  return [
    error?.message ?? 'was not sent',
    ...fields.map(([name, messages]) => `${name} ${messages.join(' ')}`),
  ];
}
