/** The items of a run over several records, with the outcome of each item and of the run. */
import { type Category, Failure } from '../base/errors.ts';
import type { Effect } from '../contract/operation.ts';

/** A record of a run. */
export interface Item {
  id: string;
  action: Exclude<Effect, 'list' | 'get'>;
  /** `unknown`: the write may or may not have happened. `not_sent`: it was not tried. */
  outcome: 'done' | 'failed' | 'unknown' | 'not_sent';
  /** The note for people when the write is done: `Supplier "Fresh Farms" (42) deleted.` */
  message: string;
  /** The failure if the write wasn't done, or was done only partly. Absent if the run ended before this item. */
  failure?: Failure;
}

/** Returns the outcome of a failed write: refused by the service, unknown, not sent, or done although it ends the run. */
export function outcomeOf({ details: { outcome, status, stopsRun } }: Failure): Item['outcome'] {
  if (outcome === 'unknown') return 'unknown';
  if (outcome === 'done' && stopsRun) return 'done';
  return outcome === 'not_sent' && status === undefined ? 'not_sent' : 'failed';
}

/** Returns whether a run stops at a failure because no later write can succeed. */
export function endsRun({ category, details }: Failure): boolean {
  if (details.stopsRun) return true;
  return ['not_signed_in', 'not_allowed', 'interrupted', 'rate_limited', 'unavailable'].includes(category);
}

/**
 * Returns the failure of a run, or undefined if all items are done. It has the category of the failure that stopped the
 * run, or that all items have in common. Otherwise its category is `partial`.
 */
export function failureOfRun(items: readonly Item[]): Failure | undefined {
  const failed = items.flatMap(({ id, failure }) => (failure ? [{ id, failure }] : []));
  const [first] = failed;
  if (!first) return undefined;
  const doneCount = items.filter(({ outcome, failure }) => outcome === 'done' && !failure).length;
  const failures = failed.map(({ id, failure: { category, message } }) => ({ id, category, message }));
  const stoppingFailure = failed.find(({ failure }) => endsRun(failure))?.failure;
  if (stoppingFailure) {
    const untriedCount = items.length - failed.length - doneCount;
    const message = `${stoppingFailure.message} Before that, ${countWithVerb(doneCount)} done; ${countWithVerb(untriedCount)} not attempted.`;
    return new Failure(stoppingFailure.category, message, { ...stoppingFailure.details, failures });
  }
  const othersText = doneCount > 0 ? 'the others are done' : 'nothing was done';
  const haveSameCategory = doneCount === 0 && new Set(failures.map(({ category }) => category)).size === 1;
  const category: Category = haveSameCategory ? first.failure.category : 'partial';
  return new Failure(category, `${failed.length} of ${items.length} failed; ${othersText}.`, {
    hint: 'Each failure is shown above.',
    failures,
  });
}

function countWithVerb(count: number): string {
  return `${count} ${count === 1 ? 'was' : 'were'}`;
}
