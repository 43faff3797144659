/** When a request is asked again and how long to wait first: never earlier than the service says, never blindly. */

import { setTimeout as wait } from 'node:timers/promises';
import { spanInWords } from '../base/duration.ts';
import { type HttpAnswer, type HttpRequest, type Transport, TransportError } from './transport.ts';

/** Time as retries see it; tests put their own in its place. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Rejects with the signal's reason where that comes first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** From 0 up to 1. */
  random(): number;
}

/** Is called before each wait; the reason is a sentence for people. */
export type OnWait = (reason: string, ms: number) => void;

/** The longest single wait. A service that asks for more is not waited for. */
export const maxWaitMs = 5 * 60_000;

const attemptsOnFault = 4;
const attemptsOnLimit = 12;

/** The longest that is waited on top of what the service asks for after a 429: less than a minute in all its attempts. */
const maxExtraMs = 5_000;

/** Proxies send 408 and 425, caches send 520 to 524: none of them says anything about the request. */
const faultyStatus = new Set([408, 425, 500, 502, 503, 504, 520, 521, 522, 523, 524]);

/** How a request is retried. */
export interface RetryOptions {
  /** Whether the request changes nothing, so that asking twice does no harm. */
  isRead: boolean;
  clock: Clock;
  onWait?: OnWait | undefined;
  signal?: AbortSignal | undefined;
  /** How often it is tried at most where it meets faults. */
  attempts?: number | undefined;
}

/**
 * Sends a request, with retries. A read is retried after faults; a write only where it was certainly not sent, or was
 * refused by the rate limit. Returns the last answer, or throws the last TransportError.
 */
export async function sendWithRetries(
  transport: Transport,
  request: HttpRequest,
  { isRead, clock, onWait, signal, attempts }: RetryOptions,
): Promise<HttpAnswer> {
  const pauseAfter = retryPolicy(isRead, clock, attempts);
  for (;;) {
    const outcome = await attempt(transport, request, signal);
    const pause = pauseAfter(outcome);
    if (pause) {
      onWait?.(pause.reason, pause.ms);
      await clock.sleep(pause.ms, signal);
    } else if (outcome instanceof TransportError) {
      throw outcome;
    } else {
      return outcome;
    }
  }
}

interface Pause {
  reason: string;
  ms: number;
}

/** Judges the outcomes of one request in turn: the pause before the next try, or undefined where there is none. */
function retryPolicy(
  isRead: boolean,
  clock: Clock,
  attempts = attemptsOnFault,
): (outcome: HttpAnswer | TransportError) => Pause | undefined {
  let faults = 0;
  let limits = 0;
  return (outcome) => {
    if (outcome instanceof TransportError) {
      const mayRepeat = (isRead || !outcome.mayHaveArrived) && !outcome.isLasting;
      if (!mayRepeat || ++faults >= attempts) return undefined;
      return { reason: outcome.message, ms: backoffMs(faults, clock) };
    }
    if (outcome.status === 429) {
      if (++limits >= attemptsOnLimit) return undefined;
      return retryAfterPause('The service asks for a pause (429).', outcome, limits + 1, clock, maxExtraMs);
    }
    if (isRead && faultyStatus.has(outcome.status)) {
      if (++faults >= attempts) return undefined;
      return retryAfterPause(`The service reported an error (${outcome.status}).`, outcome, faults, clock);
    }
    return undefined;
  };
}

/**
 * What the service asks for, and some more so that several runs don't come back at the same instant.
 * `X-RateLimit-Remaining: 0` alone causes no wait: it doesn't say for how long, and the 429 that follows does.
 */
function retryAfterPause(
  reason: string,
  answer: HttpAnswer,
  attempts: number,
  clock: Clock,
  longestMs?: number,
): Pause | undefined {
  const requestedMs = retryAfterMs(answer, clock.now()) ?? 0;
  if (requestedMs > maxWaitMs) return undefined;
  return { reason, ms: Math.min(requestedMs + backoffMs(attempts, clock, longestMs), maxWaitMs) };
}

/** Full jitter: anywhere up to a ceiling that doubles from half a second. */
function backoffMs(attempts: number, clock: Pick<Clock, 'random'>, longestMs = 60_000): number {
  return Math.round(clock.random() * Math.min(longestMs, 500 * 2 ** (attempts - 1)));
}

async function attempt(
  transport: Transport,
  request: HttpRequest,
  signal: AbortSignal | undefined,
): Promise<HttpAnswer | TransportError> {
  try {
    return await transport(request, signal);
  } catch (error) {
    if (error instanceof TransportError) return error;
    throw error;
  }
}

/** The clock of the system. */
export const systemClock: Clock = {
  now: Date.now,
  random: Math.random,
  sleep: async (ms, signal) => {
    try {
      // A timer may fire a millisecond early, which would be earlier than the service asked for.
      await wait(ms + 1, undefined, signal && { signal });
    } catch (error) {
      throw signal?.aborted ? signal.reason : error;
    }
  },
};

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
  // A service that says "now" and still refused the request isn't believed.
  return ms === undefined || ms <= 0 ? undefined : `in ${spanInWords(ms)}`;
}

const anyHttpDate = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? .*\d\d:\d\d:\d\d/;

/** RFC 9110, 5.6.7: three forms, all in UTC, of which the oldest doesn't say so. `Date.parse` alone takes "Soon 5" for a day. */
function httpDate(text: string): number | undefined {
  if (!anyHttpDate.test(text)) return undefined;
  const moment = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(moment) ? undefined : moment;
}
