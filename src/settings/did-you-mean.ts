/** A mistyped name leads to the nearest one that exists. */
import { closest, distance } from 'fastest-levenshtein';

/** "Did you mean …?", where some name is near enough to be meant. */
export function didYouMean(typed: string, names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined;
  const nearest = closest(typed.toLowerCase(), names);
  return distance(typed.toLowerCase(), nearest) <= Math.max(2, typed.length / 3)
    ? `Did you mean ${nearest}?`
    : undefined;
}
