/** Waiting for a file that another process keeps: in order of coming, while everything else of this process goes on. */
import { isBusy } from './failures.ts';

export interface Waiting {
  /** Ends the waiting with its reason. */
  signal?: AbortSignal | undefined;
  /** How long to wait, in milliseconds; then the failure is what it was. */
  timeout?: number | undefined;
}

/** As long as people are ready to look at a command that does nothing. */
const usualTimeout = 5000;

/** Between two attempts, in milliseconds: at first, and at most. */
const pace = { first: 2, longest: 25 };

interface InLine {
  /** Whether it need not stand in line any more: it is done, has failed, or was given up. */
  attempt(): boolean;
}

/** The line before one file. Its connections have a `wait` of 0. */
export class Turns {
  readonly #line: InLine[] = [];
  #pause = pace.first;
  #timer: NodeJS.Timeout | undefined;

  /** Done at once where the file is free, also before those who wait: for work that only reads. */
  soon<T>(work: () => T, waiting: Waiting = {}): Promise<T> {
    return this.#takeTurn(work, waiting, true);
  }

  /** Done after all that came before. */
  inTurn<T>(work: () => T, waiting: Waiting = {}): Promise<T> {
    return this.#takeTurn(work, waiting, this.#line.length === 0);
  }

  async #takeTurn<T>(work: () => T, waiting: Waiting, isFirst: boolean): Promise<T> {
    waiting.signal?.throwIfAborted();
    if (isFirst) {
      try {
        return work();
      } catch (error) {
        if (!isBusy(error)) throw error;
      }
    }
    return this.#wait(work, waiting);
  }

  #wait<T>(work: () => T, { signal, timeout = usualTimeout }: Waiting): Promise<T> {
    const deadline = performance.now() + timeout;
    return new Promise((resolve, reject) => {
      const attempt = (): boolean => {
        try {
          signal?.throwIfAborted();
          resolve(work());
        } catch (error) {
          if (isBusy(error) && performance.now() < deadline) return false;
          reject(error);
        }
        // A signal may be that of a whole run, and would keep all that was waited for under it.
        signal?.removeEventListener('abort', leave);
        return true;
      };
      const inLine = { attempt };
      // Nobody waits for what was given up, wherever in the line it stands.
      const leave = () => this.#leave(inLine);
      signal?.addEventListener('abort', leave, { once: true });
      this.#line.push(inLine);
      this.#lookSoon();
    });
  }

  #leave(inLine: InLine): void {
    const at = this.#line.indexOf(inLine);
    if (at !== -1 && inLine.attempt()) this.#line.splice(at, 1);
  }

  #lookSoon(): void {
    this.#timer ??= setTimeout(() => this.#look(), this.#pause);
  }

  /** As many as can be served are served; between two of them others get their chance. */
  #look(): void {
    this.#timer = undefined;
    const isServed = this.#line[0]?.attempt() ?? false;
    if (isServed) this.#line.shift();
    this.#pause = isServed ? 0 : Math.min(this.#pause * 2 || pace.first, pace.longest);
    if (this.#line.length > 0) this.#lookSoon();
    else this.#pause = pace.first;
  }
}
