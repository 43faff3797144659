/**
 * Lets only one thread run at a time. The scheduler hands a baton to a simulated process, and waits until the process
 * returns it. A process also returns it inside synchronous calls, so that others can act between two writes to a disk.
 */
import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';

/** A request that a process has started to send. */
export interface SentRequest {
  id: number;
  method: string;
  target: string;
  headers: Readonly<Record<string, string>>;
  body: string;
}

export interface Timer {
  id: number;
  /** The time in milliseconds of the steady clock. */
  dueMs: number;
}

export interface CommandResult {
  exitCode: number;
  stdout: string;
  stderr: string;
}

/** The report of a process when it returns the baton. */
export interface Report {
  /**
   * The state of the process. `disk`: inside a call, before a write. `busy`: inside a call, because another process locks
   * the file. `idle`: it waits for responses and timers. `over`: the command line has ended.
   */
  state: 'disk' | 'busy' | 'idle' | 'over';
  /** The write, or the locked file. */
  label?: string;
  requests?: SentRequest[];
  /** Requests that the process has stopped waiting for. */
  abandoned?: number[];
  timers?: Timer[];
  ended?: CommandResult;
  /** Unhandled rejections, which are bugs. */
  unhandled?: string[];
}

/** An order of the scheduler when it hands the baton over. */
export type Order =
  | { run: readonly string[]; env: Record<string, string>; pid: number; seed: number }
  | { fireTimer: number }
  | { markSent: number }
  | { respondTo: number; status: number; headers: Record<string, string>; body: string; truncateAt?: number }
  | { failRequest: number; code: string }
  | { interrupt: true }
  | { proceed: true; fault?: DiskFault };

/** A failure of the disk. `full`: the disk has no space. `short`: only a part is written. */
export type DiskFault = 'full' | 'short';

/** The memory that the threads share: the holder of the baton, and the time. */
export interface SharedMemory {
  baton: SharedArrayBuffer;
  clock: SharedArrayBuffer;
}

export function createSharedMemory(): SharedMemory {
  return { baton: new SharedArrayBuffer(4), clock: new SharedArrayBuffer(16) };
}

/** Milliseconds between two stops after which a process counts as hanging. */
const hangMs = 120_000;

const [schedulerHasBaton, processHasBaton] = [0, 1];

/** Hands the baton to a process, waits until it returns it, and returns its report. */
export function runUntilReturn({ shared, port }: Thread, order: Order): Report {
  const baton = new Int32Array(shared.baton);
  port.postMessage(order);
  Atomics.store(baton, 0, processHasBaton);
  Atomics.notify(baton, 0);
  waitWhile(baton, processHasBaton, hangMs);
  return takeMessage(port) as Report;
}

/** Waits until a new thread has loaded the program and returns the baton for the first time. */
export function waitForFirstReport({ shared, port }: Thread): void {
  waitWhile(new Int32Array(shared.baton), processHasBaton);
  takeMessage(port);
}

/** Returns the baton, blocks the thread until the next order, and returns it. */
export function returnBaton(shared: SharedMemory, port: MessagePort, report: Report): Order {
  const baton = new Int32Array(shared.baton);
  port.postMessage(report);
  Atomics.store(baton, 0, schedulerHasBaton);
  Atomics.notify(baton, 0);
  waitWhile(baton, schedulerHasBaton);
  return takeMessage(port) as Order;
}

/** A thread that runs command lines like processes. */
export interface Thread {
  shared: SharedMemory;
  port: MessagePort;
}

/** Passes the baton to a process that is starting. */
export function passToProcess(shared: SharedMemory): void {
  Atomics.store(new Int32Array(shared.baton), 0, processHasBaton);
}

/** Waits while `holder` has the baton. Checks the value, because a notification may be late. */
function waitWhile(baton: Int32Array, holder: number, ms = Number.POSITIVE_INFINITY): void {
  while (Atomics.load(baton, 0) === holder) {
    if (Atomics.wait(baton, 0, holder, ms) === 'timed-out')
      throw new Error('A process has not returned the baton: it hangs.');
  }
}

function takeMessage(port: MessagePort): unknown {
  const message = receiveMessageOnPort(port);
  if (!message) throw new Error('The baton was handed over without a message.');
  return message.message;
}

/** The time of the simulated machine, which all its processes share. */
export class MachineClock {
  readonly #cells: Float64Array;

  constructor({ clock }: SharedMemory) {
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
  get wallOffset(): number {
    return this.#cells[1] ?? 0;
  }

  set wallOffset(ms: number) {
    this.#cells[1] = ms;
  }

  /** Milliseconds since 1970, as programs read them. */
  get wall(): number {
    return Math.floor(this.steady + this.wallOffset);
  }
}
