/**
 * Compares times of several rounds, round by round: other load on the machine affects runs of the same round equally,
 * but the best times of two programs differently.
 */

/** The times of programs by name. */
export interface Times {
  /** Seconds, one number per round. */
  [name: string]: number[];
}

/** Returns the speed of a program divided by the speed of the baseline program, as the median of all rounds. */
export function relativeSpeed(times: Times, baseline: string, program: string): number {
  const [baselineTimes = [], programTimes = []] = [times[baseline], times[program]];
  const ratios = baselineTimes
    .map((seconds, round) => seconds / (programTimes[round] ?? Number.NaN))
    .sort((a, b) => a - b);
  return ratios[Math.floor(ratios.length / 2)] ?? Number.NaN;
}

/** Returns the shortest time. */
export function best(times: readonly number[] = []): number {
  return Math.min(...times);
}
