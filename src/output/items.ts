/** The items of a run over several records, with the outcome of each and of the run. */
import { type Category, Failure } from '../base/errors.ts';
import type { Effect } from '../contract/operation.ts';

/** One record of a run. */
export interface Item {
  id: string;
  action: Exclude<Effect, 'list' | 'get'>;
  /** `unknown`: the write may or may not have happened. `not_sent`: it was not tried. */
  outcome: 'done' | 'failed' | 'unknown' | 'not_sent';
  /** The note for people once it is done: `Supplier "Fresh Farms" (42) deleted.` */
  message: string;
  /** Why it wasn't done, or only partly. Also absent if the run ended before it. */
  failure?: Failure;
}

/** Returns the outcome of a failed write: refused by the service, unknown, never sent, or done with a loss. */
export function outcomeOf({ details: { outcome, status, endsRun } }: Failure): Item['outcome'] {
  if (outcome === 'unknown') return 'unknown';
  if (outcome === 'done' && endsRun) return 'done';
  return outcome === 'not_sent' && status === undefined ? 'not_sent' : 'failed';
}

/** Returns whether a run stops at a failure because no later write can succeed. */
export function endsRun({ category, details }: Failure): boolean {
  if (details.endsRun) return true;
  return ['not_signed_in', 'not_allowed', 'interrupted', 'rate_limited', 'unavailable'].includes(category);
}

/**
 * Returns undefined if all items are done. A run that stopped at a failure fails with its category, and so does a run in
 * which every item failed for the same reason; any other failure is `partial`.
 */
export function failureOfRun(items: readonly Item[]): Failure | undefined {
  const failed = items.flatMap(({ id, failure }) => (failure ? [{ id, failure }] : []));
  const [first] = failed;
  if (!first) return undefined;
  const done = items.filter(({ outcome, failure }) => outcome === 'done' && !failure).length;
  const failures = failed.map(({ id, failure: { category, message } }) => ({ id, category, message }));
  const ending = failed.find(({ failure }) => endsRun(failure))?.failure;
  if (ending) {
    const untried = items.length - failed.length - done;
    const message = `${ending.message} Before that, ${countWithVerb(done)} done; ${countWithVerb(untried)} not attempted.`;
    return new Failure(ending.category, message, { ...ending.details, failures });
  }
  const rest = done > 0 ? 'the others are done' : 'nothing was done';
  const isForOneReason = done === 0 && new Set(failures.map(({ category }) => category)).size === 1;
  const category: Category = isForOneReason ? first.failure.category : 'partial';
  return new Failure(category, `${failed.length} of ${items.length} failed; ${rest}.`, {
    hint: 'Each failure is shown above.',
    failures,
  });
}

function countWithVerb(count: number): string {
  return `${count} ${count === 1 ? 'was' : 'were'}`;
}
