/** Parses and formats durations. */
import { usage } from './errors.ts';

/** The length of each unit of a duration in seconds. */
export const secondsPerUnit = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 } as const;

const maxTimeoutSeconds = 3600;

/** Parses a time limit such as `30`, `90s` or `2m`. Returns seconds. Throws a usage failure above `maxSeconds`, and for any other text. */
export function parseDurationSeconds(raw: unknown, maxSeconds = maxTimeoutSeconds): number {
  const [, count, unit = 's'] = /^(\d+(?:\.\d+)?)\s*(ms|s|m)?$/.exec(String(raw).trim()) ?? [];
  const seconds = Number(count) * secondsPerUnit[unit as keyof typeof secondsPerUnit];
  if (!(seconds > 0 && seconds <= maxSeconds)) {
    throw usage(`Expected a time of up to ${maxSeconds} seconds, for example 30, 90s, 500ms or 2m.`);
  }
  return seconds;
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

/** Formats a duration such as `90 seconds` or `3 hours`. It is rounded up, so that no one retries too early. */
export function formatDuration(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 120) return seconds === 1 ? '1 second' : `${seconds} seconds`;
  if (seconds < 2 * 3600) return `${Math.ceil(seconds / 60)} minutes`;
  if (seconds < 2 * 86_400) return `${Math.ceil(seconds / 3600)} hours`;
  return `${Math.ceil(seconds / 86_400)} days`;
}
