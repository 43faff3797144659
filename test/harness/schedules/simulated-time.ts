/** Replaces the time and the random numbers of a process: by a simulated clock, timers that the scheduler fires, and seeded numbers. */
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { randomNumbers } from '../random-numbers.ts';
import type { MachineClock, Timer } from './baton.ts';

interface PendingTimer {
  dueMs: number;
  fire(): void;
  everyMs?: number | undefined;
}

const require = createRequire(import.meta.url);

/** The timers of the process that runs in this thread. */
export class SimulatedTimers {
  readonly #clock: MachineClock;
  readonly #pending = new Map<number, PendingTimer>();
  #lastId = 0;

  constructor(clock: MachineClock) {
    this.#clock = clock;
  }

  list(): Timer[] {
    return [...this.#pending].map(([id, { dueMs }]) => ({ id, dueMs }));
  }

  fire(id: number): void {
    const timer = this.#pending.get(id);
    if (!timer) return;
    if (timer.everyMs === undefined) this.#pending.delete(id);
    else timer.dueMs = this.#clock.steady + timer.everyMs;
    timer.fire();
  }

  /** Clears the timers of a process that has ended. */
  clear(): void {
    this.#pending.clear();
    this.#lastId = 0;
  }

  add(ms: number, fire: () => void, isRepeated = false): number {
    const delayMs = Math.max(Number.isFinite(ms) ? ms : 0, 0);
    this.#lastId += 1;
    this.#pending.set(this.#lastId, {
      dueMs: this.#clock.steady + delayMs,
      fire,
      everyMs: isRepeated ? Math.max(delayMs, 1) : undefined,
    });
    return this.#lastId;
  }

  remove(id: number): void {
    this.#pending.delete(id);
  }
}

/** The part of the result of Node's `setTimeout` that boh uses. */
class TimerHandle {
  readonly id: number;
  readonly #timers: SimulatedTimers;

  constructor(id: number, timers: SimulatedTimers) {
    this.id = id;
    this.#timers = timers;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return true;
  }

  close(): this {
    this.#timers.remove(this.id);
    return this;
  }

  [Symbol.toPrimitive](): number {
    return this.id;
  }
}

/** Replaces Node's timers, and returns a function that waits for a turn of the real event loop. */
export function replaceTimers(timers: SimulatedTimers, clock: MachineClock): () => Promise<void> {
  const { setImmediate: realImmediate } = globalThis;
  const add =
    (isRepeated: boolean) =>
    (work: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) =>
      new TimerHandle(
        timers.add(ms, () => work(...args), isRepeated),
        timers,
      );
  const addImmediate = (work: (...args: unknown[]) => void, ...args: unknown[]) =>
    add(false)(work, 0, ...args);
  const remove = (handle: unknown) => {
    if (handle instanceof TimerHandle) timers.remove(handle.id);
    else if (typeof handle === 'number') timers.remove(handle);
  };
  Object.assign(globalThis, {
    setTimeout: add(false),
    setInterval: add(true),
    setImmediate: addImmediate,
    clearTimeout: remove,
    clearInterval: remove,
    clearImmediate: remove,
  });
  const delay = (ms = 0, value?: unknown, { signal }: { signal?: AbortSignal } = {}) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(createAbortError(signal));
      const onAbort = () => {
        timers.remove(id);
        reject(createAbortError(signal));
      };
      const id = timers.add(ms, () => {
        signal?.removeEventListener('abort', onAbort);
        resolve(value);
      });
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  Object.assign(require('node:timers/promises'), {
    setTimeout: delay,
    setImmediate: (value?: unknown, options?: { signal?: AbortSignal }) => delay(0, value, options),
  });

  const RealDate = globalThis.Date;
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [clock.wall] : args, newTarget),
    apply: () => new RealDate(clock.wall).toString(),
    get: (target, name) => (name === 'now' ? () => clock.wall : Reflect.get(target, name)),
  });
  performance.now = () => clock.steady;
  process.hrtime.bigint = () => BigInt(Math.round(clock.steady * 1e6));
  syncBuiltinESMExports();
  return () => new Promise((resolve) => realImmediate(resolve));
}

function createAbortError(signal: AbortSignal | undefined): Error {
  const error = new Error('The operation was aborted', { cause: signal?.reason });
  return Object.assign(error, { name: 'AbortError', code: 'ABORT_ERR' });
}

/** Replaces all random numbers of this thread. They depend only on the seed. Returns a function that sets the seed. */
export function replaceRandom(): (seed: number) => void {
  let next = randomNumbers(1);
  const crypto = require('node:crypto');
  const fill = <Bytes extends ArrayBufferView>(view: Bytes): Bytes => {
    const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
    for (let index = 0; index < bytes.length; index++) bytes[index] = Math.floor(next() * 256);
    return view;
  };
  const between = (start: number, end: number) => start + Math.floor(next() * (end - start));
  Math.random = () => next();
  crypto.randomBytes = (size: number) => fill(Buffer.alloc(size));
  crypto.randomFillSync = fill;
  Object.defineProperty(crypto.webcrypto, 'getRandomValues', { value: fill });
  crypto.randomInt = (first: number, end?: number) =>
    end === undefined ? between(0, first) : between(first, end);
  crypto.randomUUID = () =>
    crypto
      .randomBytes(16)
      .toString('hex')
      .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  syncBuiltinESMExports();
  return (seed) => {
    next = randomNumbers(seed);
    // Skips the first numbers, which are similar for similar seeds.
    for (let skipped = 0; skipped < 8; skipped++) next();
  };
}
