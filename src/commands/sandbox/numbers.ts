/** Parses the numbers and durations of the sandbox's flags. */

import { secondsPerUnit } from '../../base/duration.ts';
import { usage } from '../../base/errors.ts';
import { decimalPattern, describeInexactness } from '../../base/number-text.ts';

/** Returns a function that parses the number of a flag. `flag` is the flag's name for the error message. */
export function createAmountParser(flag: string): (text: string) => number {
  return (text) => {
    if (!decimalPattern.test(text) || describeInexactness(text) !== undefined) {
      throw usage(`${flag} ${text} isn't a number. Write it like 120 or 12.50.`);
    }
    return Number(text);
  };
}

/** Parses `90s`, `15m`, `26h`, `7d`, `2w`, or several as in `1d12h`. Returns milliseconds. */
export function parseDurationMs(text: string): number {
  if (!/^(\d+(\.\d+)?[smhdw])+$/.test(text)) {
    throw usage(
      `"${text}" isn't a duration. Expected a number with a unit, for example 90s, 15m, 26h or 7d.`,
    );
  }
  const parts = [...text.matchAll(/([\d.]+)([smhdw])/g)];
  const seconds = parts.map(
    ([, count, unit]) => Number(count) * secondsPerUnit[unit as keyof typeof secondsPerUnit],
  );
  return seconds.reduce((sum, part) => sum + part, 0) * 1000;
}
