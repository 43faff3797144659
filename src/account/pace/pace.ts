/** Limits the request rate with one budget for each token. All processes of this machine share it, and responses update it. */
import { existsSync } from 'node:fs';
import { formatDuration } from '../../base/duration.ts';
import { Failure } from '../../base/errors.ts';
import { StorageFailure } from '../../base/storage/failures.ts';
import type { Pace, RequestTurn } from '../client/pace.ts';
import { type Clock, maxWaitMs, retryAfterMs, systemClock } from '../client/retry.ts';
import type { BudgetFile } from './budget-file.ts';
import { formatRateLimit, lowerLimit, maxBlockMs, minuteMs, type RequestLimit } from './limit.ts';

export { parseLimit } from './limit.ts';

/** Options for `openPace`. */
export interface PaceOptions {
  /** The path of the budget file. It is created when a limit is known; most commands don't need it. */
  file: string;
  /** Identifies the token without revealing it. */
  key: string;
  /** The limit in the settings. A lower limit of the service takes precedence. */
  configuredLimit?: RequestLimit | undefined;
  clock?: Clock | undefined;
  /** Called once for each wait of several seconds. */
  onWait?: ((message: string) => void) | undefined;
}

/** Shorter pauses aren't the end of a one-minute window, so no limit is inferred from them. */
const minWindowMs = 2000;

/** The maximum number of requests that are remembered before a limit is known. No limit allows more in a minute. */
const maxRememberedRequests = 1000;

/** Waits that are shorter, in milliseconds, aren't reported. */
const minReportedWaitMs = 2000;

/** Opens the pace of a token. If a limit is known, the first request is counted too. */
export function openPace(options: PaceOptions): Pace {
  return new TokenPace(options);
}

class TokenPace implements Pace {
  readonly #options: PaceOptions;
  readonly #clock: Clock;
  #opening: Promise<BudgetFile> | undefined;
  #budget: BudgetFile | undefined;
  /** The times of this process's requests, until a limit is known and they are counted in the file. */
  #sentTimes: number[] = [];
  /** The end of the last reported wait. */
  #reportedUntil = 0;

  constructor(options: PaceOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    if (options.configuredLimit || existsSync(options.file)) this.#open().catch(unlimitedTurn);
  }

  async turn(signal?: AbortSignal): Promise<RequestTurn> {
    const now = this.#clock.now();
    if (this.#options.configuredLimit || this.#opening)
      return this.#waitForSlot(await this.#open(), signal).catch(unlimitedTurn);
    this.#sentTimes.push(now);
    if (this.#sentTimes.length > 2 * maxRememberedRequests)
      this.#sentTimes = this.#sentTimes.slice(-maxRememberedRequests);
    return this.#createTurn(undefined, now);
  }

  estimate(requests: number): number | undefined {
    const limit = this.#limit();
    if (!limit) return undefined;
    const { key } = this.#options;
    const freeRequests = Math.max(
      0,
      limit.maxRequests - (this.#budget?.countRequests(key, this.#clock.now(), limit.windowMs) ?? 0),
    );
    return Math.ceil(Math.max(0, requests - freeRequests) / limit.maxRequests) * limit.windowMs;
  }

  describeLimit(): string | undefined {
    const limit = this.#limit();
    return limit && formatRateLimit(limit);
  }

  close(): void {
    this.#budget?.close();
  }

  #limit(): RequestLimit | undefined {
    const { configuredLimit, key } = this.#options;
    return lowerLimit(configuredLimit, this.#budget?.limitOf(key, this.#clock.now()).limit);
  }

  #open(): Promise<BudgetFile> {
    this.#opening ??= this.#openFile();
    return this.#opening;
  }

  async #openFile(): Promise<BudgetFile> {
    const { file, key } = this.#options;
    const { openBudgetFile } = await import('./budget-file.ts');
    this.#budget = openBudgetFile(file);
    const now = this.#clock.now();
    for (const time of this.#sentTimes)
      if (time > now - minuteMs && time <= now) this.#budget.addRequests(key, time, 1);
    this.#sentTimes = [];
    return this.#budget;
  }

  /** Reserves the next free slot within the limit and waits for it. */
  async #waitForSlot(budget: BudgetFile, signal: AbortSignal | undefined): Promise<RequestTurn> {
    const { key, configuredLimit } = this.#options;
    for (;;) {
      signal?.throwIfAborted();
      const now = this.#clock.now();
      const { id, time, limit, isBlocked } = budget.takeSlot(key, now, configuredLimit, lowerLimit);
      const ms = time - now;
      try {
        if (isBlocked && ms > maxWaitMs) throw blockedFailure(ms);
        if (ms > minReportedWaitMs) this.#reportWait(time, ms, isBlocked ? undefined : limit);
        if (ms > 0) await this.#clock.sleep(ms, signal);
      } catch (error) {
        budget.releaseSlot(id);
        throw error;
      }
      // The service may have requested a pause in the meantime.
      const { blockedUntil } = budget.limitOf(key, this.#clock.now());
      if (blockedUntil <= this.#clock.now()) return this.#createTurn(id, now);
      budget.releaseSlot(id);
    }
  }

  /** Reports a wait, once for all concurrent requests. */
  #reportWait(time: number, ms: number, limit: RequestLimit | undefined): void {
    if (time - this.#reportedUntil < minReportedWaitMs) return;
    this.#reportedUntil = time;
    const reason = limit ? `the limit is ${formatRateLimit(limit)}` : 'the service limits the request rate';
    const until = new Date(time).toTimeString().slice(0, 8);
    this.#options.onWait?.(`Waiting ${formatDuration(ms)}, until ${until}: ${reason}.`);
  }

  #createTurn(id: number | undefined, startedAt: number): RequestTurn {
    return { end: (response) => void this.#updateBudget(response, id, startedAt).catch(unlimitedTurn) };
  }

  /** Updates the budget from a response: the limit of the service, and a pause that it requests. */
  async #updateBudget(
    response: Parameters<RequestTurn['end']>[0],
    id: number | undefined,
    startedAt: number,
  ): Promise<void> {
    const { key } = this.#options;
    const now = this.#clock.now();
    if (id !== undefined) this.#budget?.recordArrival(id, now);
    const [max, remaining] = ['limit', 'remaining'].map((name) =>
      parseCount(response?.headers[`x-ratelimit-${name}`]),
    );
    const isRefused = response?.status === 429;
    if (!response || (max === undefined && !isRefused)) return;
    const budget = await this.#open();
    if (max !== undefined && max > 0) {
      const isNew = budget.limitOf(key, now).limit?.maxRequests !== max;
      if (isNew) budget.saveLimit(key, { maxRequests: max, windowMs: minuteMs }, 'reported', now);
      const requestsOfOthers =
        remaining === undefined ? 0 : max - remaining - budget.countRequests(key, now, minuteMs);
      if (requestsOfOthers > 0 && !isRefused) budget.addRequests(key, startedAt, requestsOfOthers);
    }
    if (!isRefused) return;
    const pauseMs = Math.min(retryAfterMs(response, now) ?? 0, maxBlockMs);
    if (max === undefined && pauseMs >= minWindowMs) this.#inferLimit(budget, now);
    if (pauseMs > 0) budget.block(key, now + pauseMs, now);
  }

  /** Infers the limit of a service that reports none from two refusals at a similar count. */
  #inferLimit(budget: BudgetFile, now: number): void {
    const { key } = this.#options;
    const count = budget.countRequests(key, now, minuteMs) - 1;
    const previousCount = budget.suspectedCount(key);
    const isSimilar = Math.abs(count - previousCount) <= previousCount / 10;
    if (count > 0 && isSimilar) {
      budget.saveLimit(
        key,
        { maxRequests: Math.max(count, previousCount), windowMs: minuteMs },
        'inferred',
        now,
      );
    }
    budget.saveSuspectedCount(key, count);
  }
}

/** Handles a budget file that can't be used: returns a turn without a limit. Other errors are thrown. */
function unlimitedTurn(error: unknown): RequestTurn {
  if (error instanceof StorageFailure) return { end() {} };
  throw error;
}

function blockedFailure(ms: number): Failure {
  return new Failure('rate_limited', `The service accepts no requests for ${formatDuration(ms)}.`, {
    status: 429,
    retryAfterSeconds: Math.ceil(ms / 1000),
    hint: `Try again in ${formatDuration(ms)}.`,
  });
}

function parseCount(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text.trim()) ? Number(text) : undefined;
}
