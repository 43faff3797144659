/**
 * One thread runs at a time: the scheduler hands the baton to a simulated process, and waits until that gives it back.
 * A process gives it back inside a synchronous call too, so that others can act between two writes to a disk.
 */
import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';

/** A request that a process has begun to send. */
export interface SentRequest {
  id: number;
  method: string;
  target: string;
  headers: Readonly<Record<string, string>>;
  body: string;
}

export interface Timer {
  id: number;
  /** In milliseconds of the steady clock. */
  at: number;
}

export interface Ended {
  exitCode: number;
  stdout: string;
  stderr: string;
}

/** What a process says when it gives the baton back. */
export interface Report {
  /**
   * `disk`: inside a call, before it writes. `busy`: inside a call, as another process has the file. `idle`: it waits for
   * answers and timers. `over`: the command line has ended.
   */
  parked: 'disk' | 'busy' | 'idle' | 'over';
  /** The write, or the file that is busy. */
  label?: string;
  requests?: SentRequest[];
  /** Requests that the process has stopped waiting for. */
  abandoned?: number[];
  timers?: Timer[];
  ended?: Ended;
  /** Unhandled rejections, which are bugs. */
  unhandled?: string[];
}

/** What the scheduler says when it hands the baton over. */
export type Order =
  | { run: readonly string[]; env: Record<string, string>; pid: number; seed: number }
  | { fire: number }
  | { leave: number }
  | { answer: number; status: number; headers: Record<string, string>; body: string; cutAt?: number }
  | { breakOff: number; code: string }
  | { goOn: true; fault?: DiskFault };

/** `full`: the disk has no room. `short`: a part is written before that is noticed. */
export type DiskFault = 'full' | 'short';

/** Memory that the threads share: who has the baton, and what time it is. */
export interface Shared {
  baton: SharedArrayBuffer;
  clock: SharedArrayBuffer;
}

export function makeShared(): Shared {
  return { baton: new SharedArrayBuffer(4), clock: new SharedArrayBuffer(16) };
}

/** A process that works longer than this between two stops hangs. */
const hangMs = 120_000;

const [withScheduler, withProcess] = [0, 1];

/** Hands the baton to a process and returns what it says when it gives it back. */
export function handOver({ shared, port }: Thread, order: Order): Report {
  const baton = new Int32Array(shared.baton);
  port.postMessage(order);
  Atomics.store(baton, 0, withProcess);
  Atomics.notify(baton, 0);
  waitWhile(baton, withProcess, hangMs);
  return received(port) as Report;
}

/** Waits until a thread that has loaded its program gives the baton back for the first time. */
export function firstReport({ shared, port }: Thread): void {
  waitWhile(new Int32Array(shared.baton), withProcess);
  received(port);
}

/** Gives the baton back and returns the next order, for which the whole thread waits. */
export function giveBack(shared: Shared, port: MessagePort, report: Report): Order {
  const baton = new Int32Array(shared.baton);
  port.postMessage(report);
  Atomics.store(baton, 0, withScheduler);
  Atomics.notify(baton, 0);
  waitWhile(baton, withScheduler);
  return received(port) as Order;
}

/** A thread that runs command lines as processes would. */
export interface Thread {
  shared: Shared;
  port: MessagePort;
}

/** A process that is still starting has the baton. */
export function beginWithProcess(shared: Shared): void {
  Atomics.store(new Int32Array(shared.baton), 0, withProcess);
}

/** A notification may come late, when the baton is back already: only the value counts. */
function waitWhile(baton: Int32Array, holder: number, ms = Number.POSITIVE_INFINITY): void {
  while (Atomics.load(baton, 0) === holder) {
    if (Atomics.wait(baton, 0, holder, ms) === 'timed-out')
      throw new Error('A process has not given the baton back: it never ends by itself.');
  }
}

function received(port: MessagePort): unknown {
  const held = receiveMessageOnPort(port);
  if (!held) throw new Error('The baton came without a message.');
  return held.message;
}

/** The time of the simulated machine, which all its processes share. */
export class MachineClock {
  readonly #cells: Float64Array;

  constructor({ clock }: Shared) {
    this.#cells = new Float64Array(clock);
  }

  /** Elapsed milliseconds, which never decrease. */
  get steady(): number {
    return this.#cells[0] ?? 0;
  }

  set steady(ms: number) {
    this.#cells[0] = ms;
  }

  /** The offset of the wall clock from the steady clock, in milliseconds. */
  get ahead(): number {
    return this.#cells[1] ?? 0;
  }

  set ahead(ms: number) {
    this.#cells[1] = ms;
  }

  /** Milliseconds since 1970, as programs ask for them. */
  get wall(): number {
    return Math.floor(this.steady + this.ahead);
  }
}
