/** Retries requests, never earlier than the service allows. */

import { setTimeout as wait } from 'node:timers/promises';
import { formatDuration } from '../../base/duration.ts';
import { type HttpRequest, type HttpResponse, type Transport, TransportError } from './transport.ts';

/** The time for retries; tests replace it. */
export interface Clock {
  /** Returns milliseconds since 1970. */
  now(): number;
  /** Waits. Rejects with the signal's reason if it is aborted first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Returns a number from 0 to 1, without 1. */
  random(): number;
}

/** Called before each wait; the reason is a sentence for users. */
export type OnWait = (reason: string, ms: number) => void;

/** The longest single wait, in ms. If a service asks for more, the request fails. */
export const maxWaitMs = 5 * 60_000;

const maxFaultAttempts = 4;
const maxRateLimitAttempts = 12;

/**
 * The longest wait in addition to what the service asks for after a 429, in ms: less than a minute in all attempts.
 */
const maxExtraMs = 5_000;

/**
 * The statuses of temporary faults. Proxies send 408 and 425, and caches send 520 to 524. The request itself isn't the
 * cause.
 */
const temporaryStatuses = new Set([408, 425, 500, 502, 503, 504, 520, 521, 522, 523, 524]);

/** The options of a request with retries. */
export interface RetryOptions {
  /** Whether the request changes nothing, so that it can be repeated safely. */
  isRead: boolean;
  clock: Clock;
  onWait?: OnWait | undefined;
  signal?: AbortSignal | undefined;
  /** The maximum number of attempts if the service fails. */
  attempts?: number | undefined;
}

/**
 * Sends a request, with retries. A read is retried after faults; a write only if it was certainly not sent, or was
 * refused by the rate limit. Returns the last response, or throws the last TransportError.
 */
export async function sendWithRetries(
  transport: Transport,
  request: HttpRequest,
  { isRead, clock, onWait, signal, attempts }: RetryOptions,
): Promise<HttpResponse> {
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

/** Returns a function that decides after each attempt: the pause before the next one, or undefined to stop. */
function retryPolicy(
  isRead: boolean,
  clock: Clock,
  maxAttempts = maxFaultAttempts,
): (outcome: HttpResponse | TransportError) => Pause | undefined {
  let faultCount = 0;
  let rateLimitCount = 0;
  return (outcome) => {
    if (outcome instanceof TransportError) {
      const mayRepeat = (isRead || !outcome.mayHaveArrived) && !outcome.isPermanent;
      if (!mayRepeat || ++faultCount >= maxAttempts) return undefined;
      return { reason: outcome.message, ms: backoffMs(faultCount, clock) };
    }
    if (outcome.status === 429) {
      if (++rateLimitCount >= maxRateLimitAttempts) return undefined;
      return retryAfterPause(
        'The service limits the request rate (429).',
        outcome,
        rateLimitCount + 1,
        clock,
        maxExtraMs,
      );
    }
    if (isRead && temporaryStatuses.has(outcome.status)) {
      if (++faultCount >= maxAttempts) return undefined;
      return retryAfterPause(
        `The service reported an error (${outcome.status}).`,
        outcome,
        faultCount,
        clock,
      );
    }
    return undefined;
  };
}

/**
 * Returns the pause that the service asks for, plus a random time so that several runs don't retry at the same
 * instant. `X-RateLimit-Remaining: 0` alone causes no wait: it doesn't say for how long, and the 429 that follows
 * does.
 */
function retryAfterPause(
  reason: string,
  response: HttpResponse,
  attemptCount: number,
  clock: Clock,
  maxMs?: number,
): Pause | undefined {
  const requestedMs = retryAfterMs(response, clock.now()) ?? 0;
  if (requestedMs > maxWaitMs) return undefined;
  return { reason, ms: Math.min(requestedMs + backoffMs(attemptCount, clock, maxMs), maxWaitMs) };
}

/** Returns a random pause (full jitter) up to a limit that starts at half a second and doubles. */
function backoffMs(attemptCount: number, clock: Pick<Clock, 'random'>, maxMs = 60_000): number {
  return Math.round(clock.random() * Math.min(maxMs, 500 * 2 ** (attemptCount - 1)));
}

async function attempt(
  transport: Transport,
  request: HttpRequest,
  signal: AbortSignal | undefined,
): Promise<HttpResponse | TransportError> {
  try {
    return await transport(request, signal);
  } catch (error) {
    if (error instanceof TransportError) return error;
    throw error;
  }
}

/** The longest timer of Node; it would end a longer one immediately. */
const maxTimerMs = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: Date.now,
  random: Math.random,
  sleep: async (ms, signal) => {
    try {
      // A timer may fire a millisecond early, which would be earlier than the service asked for.
      await wait(Math.min(ms + 1, maxTimerMs), undefined, signal && { signal });
    } catch (error) {
      throw signal?.aborted ? signal.reason : error;
    }
  },
};

type Headers = Pick<HttpResponse, 'headers'>;

/** Returns the requested pause in milliseconds from `now`, never negative; undefined if it is missing or invalid. */
export function retryAfterMs({ headers }: Headers, now: number): number | undefined {
  const value = headers['retry-after']?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(value)) return Math.min(Number(value) * 1000, Number.MAX_SAFE_INTEGER);
  const timeMs = parseHttpDate(value);
  if (timeMs === undefined) return undefined;
  // Relative to the service's clock if it sends the time: the clock of this machine may be wrong.
  const from = parseHttpDate(headers.date ?? '') ?? now;
  return Math.max(0, timeMs - from);
}

/** Returns when to retry, such as "in 90 seconds" or "in 3 hours"; undefined if the service doesn't say. */
export function whenToRetry(response: Headers): string | undefined {
  const ms = retryAfterMs(response, Date.now());
  // A pause of zero together with a refusal can't be right.
  return ms === undefined || ms <= 0 ? undefined : `in ${formatDuration(ms)}`;
}

const httpDatePattern = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? .*\d\d:\d\d:\d\d/;

/**
 * Parses a date of RFC 9110, 5.6.7: three formats, all in UTC, although the oldest doesn't name it. `Date.parse` alone
 * accepts "Soon 5".
 */
function parseHttpDate(text: string): number | undefined {
  if (!httpDatePattern.test(text)) return undefined;
  const timeMs = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(timeMs) ? undefined : timeMs;
}
