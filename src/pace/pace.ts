/** The pace of requests: one budget for each token, shared by all processes of this machine, learnt from what answers say. */
import { existsSync } from 'node:fs';
import { Failure } from '../base/errors.ts';
import type { Pace, Turn } from '../client/pace.ts';
import { type Clock, longestWaitMs, retryAfterMs, spanInWords, systemClock } from '../client/retry.ts';
import { StorageFailure } from '../storage/failures.ts';
import type { BudgetFile } from './budget-file.ts';
import { type Limit, limitInWords, longestBlock, minute, slower } from './limit.ts';

export { readLimit } from './limit.ts';

export interface PaceOptions {
  /** Made once there is a limit to keep to: most commands never need it. */
  file: string;
  /** Stands for the token, and gives nothing of it away. */
  key: string;
  /** As somebody has set it; a service that allows less is kept to all the same. */
  own?: Limit | undefined;
  clock?: Clock | undefined;
  /** Told once of each wait that is long enough to tell of, in a sentence. */
  onWait?: ((sentence: string) => void) | undefined;
}

/** A pause that is shorter is no end of a minute. In milliseconds. */
const shortestWindow = 2000;

/** Of the requests before any limit is known, so many are remembered: more in a minute no limit lets through. */
const mostSent = 1000;

/** Shorter waits are nothing to tell of. */
const told = 2000;

export function openPace({ file, key, own, clock = systemClock, onWait }: PaceOptions): Pace {
  let opened: Promise<BudgetFile> | undefined;
  let budget: BudgetFile | undefined;
  let toldOf = 0;

  /** Requests that wait together wait for the same. */
  const tell = (at: number, ms: number, limit: Limit | undefined) => {
    if (at - toldOf < told) return;
    toldOf = at;
    const why = limit ? `the limit is ${limitInWords(limit)}` : 'the service asks for a pause';
    const until = new Date(at).toTimeString().slice(0, 8);
    onWait?.(`Waiting ${spanInWords(ms)}, until ${until}: ${why}.`);
  };

  /** Of this process, until there is a limit and so a file to count in. */
  let sent: number[] = [];

  const open = async (): Promise<BudgetFile> => {
    opened ??= (async () => {
      const { openBudgetFile } = await import('./budget-file.ts');
      budget = openBudgetFile(file);
      for (const at of sent) if (at > clock.now() - minute) budget.add(key, at, 1);
      sent = [];
      return budget;
    })();
    return opened;
  };
  if (own || existsSync(file)) open().catch(unpaced);

  const turn: Pace['turn'] = async (signal) => {
    const now = clock.now();
    if (!own && !opened) {
      sent.push(now);
      if (sent.length > 2 * mostSent) sent = sent.slice(-mostSent);
      return { over: (answer) => void learn(answer, undefined, now).catch(unpaced) };
    }
    return take(await open(), signal).catch(unpaced);
  };

  const take = async (from: BudgetFile, signal: AbortSignal | undefined): Promise<Turn> => {
    for (;;) {
      signal?.throwIfAborted();
      const now = clock.now();
      const { id, at, limit, isBlocked } = from.take(key, now, own, slower);
      const ms = at - now;
      try {
        if (isBlocked && ms > longestWaitMs) throw blocked(ms);
        if (ms > told) tell(at, ms, isBlocked ? undefined : limit);
        if (ms > 0) await clock.sleep(ms, signal);
      } catch (error) {
        from.giveBack(id);
        throw error;
      }
      // Meanwhile the service may have asked for a pause.
      if (from.known(key, clock.now()).blockedUntil <= clock.now()) {
        return { over: (answer) => void learn(answer, id, now).catch(unpaced) };
      }
      from.giveBack(id);
    }
  };

  const learn = async (
    answer: Parameters<Turn['over']>[0],
    id: number | undefined,
    began: number,
  ): Promise<void> => {
    const now = clock.now();
    if (id !== undefined) budget?.arrived(id, now);
    const [most, left] = ['limit', 'remaining'].map((name) =>
      countIn(answer?.headers[`x-ratelimit-${name}`]),
    );
    const isRefused = answer?.status === 429;
    if (!answer || (most === undefined && !isRefused)) return;
    const from = await open();
    if (most !== undefined && most > 0) {
      if (from.known(key, now).limit?.count !== most)
        from.learn(key, { count: most, window: minute }, 'told', now);
      const others = left === undefined ? 0 : most - left - from.count(key, now, minute);
      if (others > 0 && !isRefused) from.add(key, began, others);
    }
    if (!isRefused) return;
    const asked = Math.min(retryAfterMs(answer, now) ?? 0, longestBlock);
    if (most === undefined && asked >= shortestWindow) conclude(from, now);
    if (asked > 0) from.block(key, now + asked, now);
  };

  /** A service that names no limit shows it by what it lets through, the same twice: once could be anything. */
  const conclude = (from: BudgetFile, now: number) => {
    const count = from.count(key, now, minute) - 1;
    const before = from.suspected(key);
    const isAlike = Math.abs(count - before) <= before / 10;
    if (count > 0 && isAlike) {
      from.learn(key, { count: Math.max(count, before), window: minute }, 'concluded', now);
    }
    from.suspect(key, count);
  };

  return {
    turn,
    estimate(requests) {
      const limit = slower(own, budget?.known(key, clock.now()).limit);
      if (!limit) return undefined;
      const free = Math.max(0, limit.count - (budget?.count(key, clock.now(), limit.window) ?? 0));
      return Math.ceil(Math.max(0, requests - free) / limit.count) * limit.window;
    },
    limitInWords() {
      const limit = slower(own, budget?.known(key, clock.now()).limit);
      return limit && limitInWords(limit);
    },
    close: () => budget?.close(),
  };
}

/** A count that can’t be kept keeps nobody from sending: the service says itself what is too much. */
function unpaced(error: unknown): Turn {
  if (error instanceof StorageFailure) return { over() {} };
  throw error;
}

function blocked(ms: number): Failure {
  return new Failure('rate_limited', `The service wants no requests for another ${spanInWords(ms)}.`, {
    status: 429,
    retryAfter: Math.ceil(ms / 1000),
    hint: `Try again in ${spanInWords(ms)}.`,
  });
}

function countIn(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text.trim()) ? Number(text) : undefined;
}
