/** Failures that every other row would meet as well: they are of the whole run, and end it. */
import type { Category, Failure } from '../../errors.ts';

const categories: ReadonlySet<Category> = new Set([
  'not_signed_in',
  'not_allowed',
  'interrupted',
  'rate_limited',
]);

export function isOfTheRun({ category, details: { status, endsRun } }: Failure): boolean {
  return endsRun === true || categories.has(category) || (category === 'unavailable' && isElsewhere(status));
}

/** Sent on to another address, or turned away by a proxy: waiting changes nothing about where requests go. */
function isElsewhere(status: number | undefined): boolean {
  return status !== undefined && ((status >= 300 && status < 400) || status === 407);
}
