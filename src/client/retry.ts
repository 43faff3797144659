/** When a request is asked again and how long to wait first: never earlier than the service says, never blindly. */
import type { HttpAnswer, HttpRequest, Transport } from './transport.ts';
import { TransportError } from './transport.ts';

/** Time as retries see it; tests put their own in its place. */
export interface Clock {
  now(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** From 0 up to 1. */
  random(): number;
}

/** Told before each wait: the reason is a sentence for people. */
export type OnWait = (reason: string, ms: number) => void;

/** The longest single wait. A service that asks for more is not waited for. */
export const longestWaitMs = 5 * 60_000;

const attemptsOnFault = 4;
const attemptsOnLimit = 12;
const faultyStatus = new Set([500, 502, 503, 504]);

export interface RetryOptions {
  clock: Clock;
  onWait?: OnWait | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Carries a request until it is answered for good. A read is repeated after faults; a write only where it surely
 * never arrived, or was turned away by the rate limit. Answers the last answer, or throws the last TransportError.
 */
export async function sendWithRetries(
  transport: Transport,
  request: HttpRequest,
  { clock, onWait, signal }: RetryOptions,
): Promise<HttpAnswer> {
  const isRead = request.method === 'GET';
  let faults = 0;
  let limits = 0;
  for (;;) {
    const outcome = await attempt(transport, request, signal);
    const wait = (reason: string, ms: number) => {
      onWait?.(reason, ms);
      return clock.sleep(ms, signal);
    };
    if (outcome instanceof TransportError) {
      const mayRepeat = isRead || !outcome.mayHaveArrived;
      if (!mayRepeat || ++faults >= attemptsOnFault) throw outcome;
      await wait(outcome.message, backoffMs(faults, clock));
    } else if (outcome.status === 429) {
      const ms = retryAfterMs(outcome, clock) ?? backoffMs(limits + 2, clock);
      if (++limits >= attemptsOnLimit || ms > longestWaitMs) return outcome;
      await wait('The service asks for a pause (429).', ms);
    } else if (isRead && faultyStatus.has(outcome.status)) {
      const ms = Math.max(retryAfterMs(outcome, clock) ?? 0, backoffMs(faults + 1, clock));
      if (++faults >= attemptsOnFault || ms > longestWaitMs) return outcome;
      await wait(`The service has a fault (${outcome.status}).`, ms);
    } else {
      return outcome;
    }
  }
}

/** `Retry-After` in milliseconds, from seconds or an HTTP date. Undefined where it is missing or makes no sense. */
export function retryAfterMs({ headers }: HttpAnswer, clock: Pick<Clock, 'now'>): number | undefined {
  const value = headers['retry-after']?.trim();
  if (!value) return undefined;
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1000;
  const date = /^[A-Za-z]/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - clock.now());
}

/** Full jitter: anywhere up to a ceiling that doubles from half a second to a minute. */
function backoffMs(attempt: number, clock: Pick<Clock, 'random'>): number {
  return Math.round(clock.random() * Math.min(60_000, 500 * 2 ** (attempt - 1)));
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

export const systemClock: Clock = {
  now: Date.now,
  random: Math.random,
  sleep: async (ms, signal) => {
    const { setTimeout: wait } = await import('node:timers/promises');
    await wait(ms, undefined, signal ? { signal } : {});
  },
};
