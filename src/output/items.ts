/** The items of a run over several records: what became of each, and what that makes of the run. */
import { type Category, Failure } from '../base/errors.ts';
import type { Effect } from '../contract/operation.ts';

export interface Item {
  id: string;
  action: Exclude<Effect, 'list' | 'get'>;
  /** `unknown`: whether it was carried out can’t be told. `not_sent`: it was not tried. */
  outcome: 'done' | 'failed' | 'unknown' | 'not_sent';
  /** For people, once it is done: `Supplier “Fresh Farms” (42) deleted.` */
  message: string;
  /** Why it is not done, or what else was done with it; absent too where the run had ended before it. */
  failure?: Failure;
}

/** What became of a write that failed: refused by the service, on an unknown end, never sent, or done with a loss. */
export function outcomeOf({ details: { outcome, status, endsRun } }: Failure): Item['outcome'] {
  if (outcome === 'unknown') return 'unknown';
  if (outcome === 'done' && endsRun) return 'done';
  return outcome === 'not_sent' && status === undefined ? 'not_sent' : 'failed';
}

/** Nothing further can succeed after such a failure: a run stops there. */
export function endsRun({ category, details }: Failure): boolean {
  if (details.endsRun) return true;
  return ['not_signed_in', 'not_allowed', 'interrupted', 'rate_limited', 'unavailable'].includes(category);
}

/**
 * Undefined where all are done. A run that a failure has ended fails as that did, and so does one of which every item
 * failed for the same reason; any other is `partial`.
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
    const message = `${ending.message} Before that, ${were(done)} done; ${were(untried)} not tried.`;
    return new Failure(ending.category, message, { ...ending.details, failures });
  }
  const rest = done > 0 ? 'the others are done' : 'nothing was done';
  const isForOneReason = done === 0 && new Set(failures.map(({ category }) => category)).size === 1;
  const category: Category = isForOneReason ? first.failure.category : 'partial';
  return new Failure(category, `${failed.length} of ${items.length} failed; ${rest}.`, {
    hint: 'What failed, and why, is told above.',
    failures,
  });
}

function were(count: number): string {
  return `${count} ${count === 1 ? 'was' : 'were'}`;
}
