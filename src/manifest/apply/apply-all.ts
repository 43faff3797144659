/** What is declared made so at once, without a ledger that outlasts it: for accounts that are made for the purpose. */
import type { Environment } from '../../base/environment.ts';
import { Failure } from '../../base/errors.ts';
import { carryOut } from '../../runs/carry-out.ts';
import { Ledger } from '../../runs/ledger/ledger.ts';
import type { RowResult } from '../../runs/result.ts';
import { sleep } from '../../runs/sleep.ts';
import type { Session } from '../../session/session.ts';
import type { Declaration } from '../declared/declared.ts';
import { type ManifestPlan, makePlan } from '../plan/make-plan.ts';
import { addRows } from './rows.ts';
import { secretsOfRun } from './secrets.ts';

export interface ApplyAll {
  session: Session;
  declaration: Declaration;
  allowsOwn?: boolean;
  /** With one at a time, what an account numbers by itself gets the numbers that it has elsewhere. */
  concurrency?: number;
  env: Environment;
  signal: AbortSignal;
  /** Milliseconds since 1970. */
  now(): number;
}

export interface AppliedAll {
  plan: ManifestPlan;
  /** What became of each row, those that failed included. */
  results: RowResult[];
}

export async function applyAll({
  session,
  declaration,
  allowsOwn = false,
  concurrency = 4,
  env,
  signal,
  now,
}: ApplyAll): Promise<AppliedAll> {
  const plan = await makePlan({ session, declaration, prune: [], allowsOwn, signal });
  const ledger = new Ledger(':memory:');
  try {
    await addRows(ledger, plan, signal);
    const secretsOf = secretsOfRun(ledger, env);
    const results: RowResult[] = [];
    const run = carryOut({ ledger, session, secretsOf, signal, now, key: [], concurrency, sleep });
    for (;;) {
      const next = await run.next();
      if (!next.done) results.push(next.value);
      else if (next.value) throw next.value.failure;
      else return { plan, results };
    }
  } finally {
    ledger.close();
  }
}

/** Throws one failure for all that could not be done. */
export function refuseFailed({ results }: AppliedAll, what: string): void {
  const failed = results.filter(({ outcome }) => outcome !== 'done');
  if (failed.length === 0) return;
  const fields = Object.fromEntries(
    failed.map(({ resource, key, error }) => [`${resource ?? ''} ${key ?? ''}`.trim(), reasonsIn(error)]),
  );
  throw new Failure('refused', `${what}: ${failed.length} of ${results.length} changes could not be made.`, {
    fields,
  });
}

function reasonsIn(error: RowResult['error']): string[] {
  const fields = Object.entries((error?.fields ?? {}) as Record<string, string[]>);
  return [
    error?.message ?? 'was not done',
    ...fields.map(([name, messages]) => `${name} ${messages.join(' ')}`),
  ];
}
