/** The pace of requests: one budget for each token, shared by all processes of this machine, learnt from what answers say. */
import { existsSync } from 'node:fs';
import { spanInWords } from '../base/duration.ts';
import { Failure } from '../base/errors.ts';
import type { Pace, Turn } from '../client/pace.ts';
import { type Clock, maxWaitMs, retryAfterMs, systemClock } from '../client/retry.ts';
import { StorageFailure } from '../storage/failures.ts';
import type { BudgetFile } from './budget-file.ts';
import { type Limit, limitInWords, maxBlockMs, minute, slower } from './limit.ts';

export { readLimit } from './limit.ts';

/** What a pace is kept with. */
export interface PaceOptions {
  /** Made once there is a limit to keep to: most commands never need it. */
  file: string;
  /** Identifies the token without revealing it. */
  key: string;
  /** The limit that is set; a lower limit of the service takes precedence. */
  own?: Limit | undefined;
  clock?: Clock | undefined;
  /** Is called once for each wait of some seconds. */
  onWait?: ((message: string) => void) | undefined;
}

/** A service that asks for a shorter pause doesn't mean the end of a minute. */
const minWindowMs = 2000;

/** Requests that are remembered before any limit is known: no limit allows more in a minute. */
const maxRemembered = 1000;

/** Shorter waits are not reported. */
const minReportedWaitMs = 2000;

/** Opens the pace of a token. Where a limit is known, requests are counted from the first one on. */
export function openPace(options: PaceOptions): Pace {
  return new TokenPace(options);
}

class TokenPace implements Pace {
  readonly #options: PaceOptions;
  readonly #clock: Clock;
  #opened: Promise<BudgetFile> | undefined;
  #budget: BudgetFile | undefined;
  /** When the requests of this process were sent, until there is a limit and so a file to count in. */
  #sent: number[] = [];
  /** Until when the last reported wait lasts. */
  #reportedUntil = 0;

  constructor(options: PaceOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    if (options.own || existsSync(options.file)) this.#open().catch(unpaced);
  }

  async turn(signal?: AbortSignal): Promise<Turn> {
    const now = this.#clock.now();
    if (this.#options.own || this.#opened) return this.#take(await this.#open(), signal).catch(unpaced);
    this.#sent.push(now);
    if (this.#sent.length > 2 * maxRemembered) this.#sent = this.#sent.slice(-maxRemembered);
    return this.#turnOf(undefined, now);
  }

  estimate(requests: number): number | undefined {
    const limit = this.#limit();
    if (!limit) return undefined;
    const { key } = this.#options;
    const free = Math.max(0, limit.count - (this.#budget?.count(key, this.#clock.now(), limit.window) ?? 0));
    return Math.ceil(Math.max(0, requests - free) / limit.count) * limit.window;
  }

  limitInWords(): string | undefined {
    const limit = this.#limit();
    return limit && limitInWords(limit);
  }

  close(): void {
    this.#budget?.close();
  }

  #limit(): Limit | undefined {
    const { own, key } = this.#options;
    return slower(own, this.#budget?.known(key, this.#clock.now()).limit);
  }

  #open(): Promise<BudgetFile> {
    this.#opened ??= this.#openFile();
    return this.#opened;
  }

  async #openFile(): Promise<BudgetFile> {
    const { file, key } = this.#options;
    const { openBudgetFile } = await import('./budget-file.ts');
    this.#budget = openBudgetFile(file);
    for (const at of this.#sent) if (at > this.#clock.now() - minute) this.#budget.add(key, at, 1);
    this.#sent = [];
    return this.#budget;
  }

  /** Takes the next slot that the limit leaves free, and waits for it. */
  async #take(budget: BudgetFile, signal: AbortSignal | undefined): Promise<Turn> {
    const { key, own } = this.#options;
    for (;;) {
      signal?.throwIfAborted();
      const now = this.#clock.now();
      const { id, at, limit, isBlocked } = budget.take(key, now, own, slower);
      const ms = at - now;
      try {
        if (isBlocked && ms > maxWaitMs) throw blocked(ms);
        if (ms > minReportedWaitMs) this.#report(at, ms, isBlocked ? undefined : limit);
        if (ms > 0) await this.#clock.sleep(ms, signal);
      } catch (error) {
        budget.giveBack(id);
        throw error;
      }
      // Meanwhile the service may have asked for a pause.
      const { blockedUntil } = budget.known(key, this.#clock.now());
      if (blockedUntil <= this.#clock.now()) return this.#turnOf(id, now);
      budget.giveBack(id);
    }
  }

  /** Requests that wait together wait for the same: it is reported once. */
  #report(at: number, ms: number, limit: Limit | undefined): void {
    if (at - this.#reportedUntil < minReportedWaitMs) return;
    this.#reportedUntil = at;
    const why = limit ? `the limit is ${limitInWords(limit)}` : 'the service limits the request rate';
    const until = new Date(at).toTimeString().slice(0, 8);
    this.#options.onWait?.(`Waiting ${spanInWords(ms)}, until ${until}: ${why}.`);
  }

  #turnOf(id: number | undefined, began: number): Turn {
    return { over: (answer) => void this.#learn(answer, id, began).catch(unpaced) };
  }

  /** Learns from an answer how many requests the service allows, and whether it wants a pause. */
  async #learn(answer: Parameters<Turn['over']>[0], id: number | undefined, began: number): Promise<void> {
    const { key } = this.#options;
    const now = this.#clock.now();
    if (id !== undefined) this.#budget?.arrived(id, now);
    const [max, left] = ['limit', 'remaining'].map((name) => countIn(answer?.headers[`x-ratelimit-${name}`]));
    const isRefused = answer?.status === 429;
    if (!answer || (max === undefined && !isRefused)) return;
    const budget = await this.#open();
    if (max !== undefined && max > 0) {
      const isNew = budget.known(key, now).limit?.count !== max;
      if (isNew) budget.learn(key, { count: max, window: minute }, 'told', now);
      const others = left === undefined ? 0 : max - left - budget.count(key, now, minute);
      if (others > 0 && !isRefused) budget.add(key, began, others);
    }
    if (!isRefused) return;
    const pauseMs = Math.min(retryAfterMs(answer, now) ?? 0, maxBlockMs);
    if (max === undefined && pauseMs >= minWindowMs) this.#conclude(budget, now);
    if (pauseMs > 0) budget.block(key, now + pauseMs, now);
  }

  /** Learns the limit of a service that reports none: after two refusals at the same count. */
  #conclude(budget: BudgetFile, now: number): void {
    const { key } = this.#options;
    const count = budget.count(key, now, minute) - 1;
    const before = budget.suspected(key);
    const isSimilar = Math.abs(count - before) <= before / 10;
    if (count > 0 && isSimilar) {
      budget.learn(key, { count: Math.max(count, before), window: minute }, 'concluded', now);
    }
    budget.suspect(key, count);
  }
}

/** Handles a budget file that can't be used: requests are sent anyway, and the service reports its limit itself. */
function unpaced(error: unknown): Turn {
  if (error instanceof StorageFailure) return { over() {} };
  throw error;
}

function blocked(ms: number): Failure {
  return new Failure('rate_limited', `The service accepts no requests for ${spanInWords(ms)}.`, {
    status: 429,
    retryAfter: Math.ceil(ms / 1000),
    hint: `Try again in ${spanInWords(ms)}.`,
  });
}

function countIn(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text.trim()) ? Number(text) : undefined;
}
