/** `Retry-After` as services write it, in seconds or as a date, and in words for people. */
import type { HttpAnswer } from './transport.ts';

type Headers = Pick<HttpAnswer, 'headers'>;

/** In milliseconds from `now`; never negative. Undefined where it is missing or makes no sense. */
export function retryAfterMs({ headers }: Headers, now: number): number | undefined {
  const value = headers['retry-after']?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(value)) return Math.min(Number(value) * 1000, Number.MAX_SAFE_INTEGER);
  const moment = httpDate(value);
  if (moment === undefined) return undefined;
  // Counted from the service's own clock where it tells the time: the clock of this machine may be wrong.
  const from = httpDate(headers.date ?? '') ?? now;
  return Math.max(0, moment - from);
}

/** "in 90 seconds", "in 3 hours": when the service may be asked again. Undefined where it doesn't say. */
export function whenToRetry(answer: Headers): string | undefined {
  const ms = retryAfterMs(answer, Date.now());
  // One that says "now" and has refused all the same is not to be taken by its word.
  return ms === undefined || ms <= 0 ? undefined : `in ${spanInWords(ms)}`;
}

/** Rounded up, so that nobody comes back too early. */
export function spanInWords(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 120) return seconds === 1 ? '1 second' : `${seconds} seconds`;
  if (seconds < 2 * 3600) return `${Math.ceil(seconds / 60)} minutes`;
  if (seconds < 2 * 86_400) return `${Math.ceil(seconds / 3600)} hours`;
  return `${Math.ceil(seconds / 86_400)} days`;
}

const anyHttpDate = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? .*\d\d:\d\d:\d\d/;

/** RFC 9110, 5.6.7: three forms, all in UTC, of which the oldest doesn't say so. `Date.parse` alone takes "Soon 5" for a day. */
function httpDate(text: string): number | undefined {
  if (!anyHttpDate.test(text)) return undefined;
  const moment = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(moment) ? undefined : moment;
}
