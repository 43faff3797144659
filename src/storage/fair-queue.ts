/** Waits for a file that another process has locked, in a fair queue and without blocking this process. */
import { isBusy } from './failures.ts';

/** The options of a wait in the queue. */
export interface QueueOptions {
  /** Ends the wait with its reason. */
  signal?: AbortSignal | undefined;
  /** How long to wait before the original failure is thrown, in milliseconds. */
  timeoutMs?: number | undefined;
}

/** The default time to wait, in milliseconds. */
const defaultTimeoutMs = 5000;

/** The first and the longest delay between two attempts, in milliseconds. */
const retryDelayMs = { first: 2, longest: 25 };

interface QueuedWork {
  /** Tries to run the work. Returns whether it is finished: it succeeded, failed, or was canceled. */
  attempt(): boolean;
}

/** A queue of work for one file. Its connections have a `busyTimeoutMs` of 0. */
export class FairQueue {
  readonly #queue: QueuedWork[] = [];
  #delayMs = retryDelayMs.first;
  #timer: NodeJS.Timeout | undefined;

  /** Runs work that only reads. Runs it immediately if the file is free, even before queued work. */
  readNow<T>(work: () => T, queueOptions: QueueOptions = {}): Promise<T> {
    return this.#takeTurn(work, queueOptions, true);
  }

  /** Runs the work after all earlier work in the queue. */
  enqueue<T>(work: () => T, queueOptions: QueueOptions = {}): Promise<T> {
    return this.#takeTurn(work, queueOptions, this.#queue.length === 0);
  }

  async #takeTurn<T>(work: () => T, queueOptions: QueueOptions, isFirst: boolean): Promise<T> {
    queueOptions.signal?.throwIfAborted();
    if (isFirst) {
      try {
        return work();
      } catch (error) {
        if (!isBusy(error)) throw error;
      }
    }
    return this.#wait(work, queueOptions);
  }

  #wait<T>(work: () => T, { signal, timeoutMs = defaultTimeoutMs }: QueueOptions): Promise<T> {
    const deadline = performance.now() + timeoutMs;
    return new Promise((resolve, reject) => {
      const attempt = (): boolean => {
        try {
          signal?.throwIfAborted();
          resolve(work());
        } catch (error) {
          if (isBusy(error) && performance.now() < deadline) return false;
          reject(error);
        }
        // The signal may belong to a whole run, and would keep each finished wait in memory.
        signal?.removeEventListener('abort', cancel);
        return true;
      };
      const queued = { attempt };
      // Canceled work leaves the queue at any position.
      const cancel = () => this.#leave(queued);
      signal?.addEventListener('abort', cancel, { once: true });
      this.#queue.push(queued);
      this.#schedule();
    });
  }

  #leave(queuedWork: QueuedWork): void {
    const index = this.#queue.indexOf(queuedWork);
    if (index !== -1 && queuedWork.attempt()) this.#queue.splice(index, 1);
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => this.#serveQueue(), this.#delayMs);
  }

  /** Runs queued work as far as possible; other processes get their turn in between. */
  #serveQueue(): void {
    this.#timer = undefined;
    const isDone = this.#queue[0]?.attempt() ?? false;
    if (isDone) this.#queue.shift();
    this.#delayMs = isDone ? 0 : Math.min(this.#delayMs * 2 || retryDelayMs.first, retryDelayMs.longest);
    if (this.#queue.length > 0) this.#schedule();
    else this.#delayMs = retryDelayMs.first;
  }
}
