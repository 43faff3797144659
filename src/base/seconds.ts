/** Reads durations as people type them. */
import { usage } from './errors.ts';

const secondsPerUnit = { ms: 0.001, s: 1, m: 60 };
const longestTimeout = 3600;

/** Reads a duration, and returns it in seconds. `longest` is the maximum in seconds. */
export function readSeconds(raw: unknown, longest = longestTimeout): number {
  const match = /^(\d+(?:\.\d+)?)\s*(ms|s|m)?$/.exec(String(raw).trim());
  const seconds = Number(match?.[1]) * secondsPerUnit[(match?.[2] ?? 's') as keyof typeof secondsPerUnit];
  if (!(seconds > 0 && seconds <= longest)) {
    throw usage(`Expected a time of up to ${longest} seconds, for example 30, 90s, 500ms or 2m.`);
  }
  return seconds;
}
