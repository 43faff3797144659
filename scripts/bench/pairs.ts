/**
 * Times of several rounds, compared round by round: what else a machine does weighs on runs that follow each other alike,
 * and on the best of either by chance.
 */

export interface Times {
  /** Seconds, a round each. */
  [name: string]: number[];
}

/** How fast the second is, as a share of the speed of the first: the middle one of all rounds. */
export function share(times: Times, first: string, second: string): number {
  const [mine = [], other = []] = [times[first], times[second]];
  const shares = mine.map((seconds, round) => seconds / (other[round] ?? Number.NaN)).sort((a, b) => a - b);
  return shares[Math.floor(shares.length / 2)] ?? Number.NaN;
}

export function best(times: readonly number[] = []): number {
  return Math.min(...times);
}
