/** Applies a declaration immediately, with a ledger in memory only: for temporary accounts. */
import type { Environment } from '../../base/environment.ts';
import { Failure } from '../../base/errors.ts';
import { executeRun } from '../../runs/execute-run.ts';
import { Ledger } from '../../runs/ledger/ledger.ts';
import type { RowResult } from '../../runs/ledger/row.ts';
import type { Session } from '../../session/session.ts';
import type { Declaration } from '../declared/declared.ts';
import { type ManifestPlan, makePlan } from '../plan/make-plan.ts';
import { addRows } from './rows.ts';
import { secretsOfRun } from './secrets.ts';

/** The options of `applyAll`. */
export interface ApplyAllOptions {
  session: Session;
  declaration: Declaration;
  /** Whether built-in records, such as the owner, may change: only in a copy that is discarded. */
  allowsBuiltIn?: boolean;
  /**
   * The number of concurrent requests. With 1, an account that numbers records itself assigns the same numbers as
   * elsewhere.
   */
  concurrency?: number;
  env: Environment;
  signal: AbortSignal;
  /** The time in milliseconds since 1970. */
  now(): number;
}

/** The plan that was applied, and its results. */
export interface ApplyAllResult {
  plan: ManifestPlan;
  /** The result of each row, including rows that failed. */
  results: RowResult[];
}

/**
 * Makes a plan and applies it. Throws the failure that ended the run, if any; failed rows are in the results.
 */
export async function applyAll({
  session,
  declaration,
  allowsBuiltIn = false,
  concurrency,
  env,
  signal,
  now,
}: ApplyAllOptions): Promise<ApplyAllResult> {
  const plan = await makePlan({ session, declaration, prune: [], allowsBuiltIn, signal });
  const ledger = new Ledger(':memory:');
  try {
    await addRows(ledger, plan, signal);
    const secretsOf = secretsOfRun(ledger, env);
    const results: RowResult[] = [];
    const run = executeRun({ ledger, session, secretsOf, signal, now, concurrency });
    for (;;) {
      const step = await run.next();
      if (!step.done) results.push(step.value);
      else if (step.value) throw step.value.failure;
      else return { plan, results };
    }
  } finally {
    ledger.close();
  }
}

/** Throws one failure that lists all rows that failed or were not sent. */
export function throwIfFailed({ results }: ApplyAllResult, action: string): void {
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
