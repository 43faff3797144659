/**
 * The durable watermark of a run: the highest row that may have been sent, which is synced to the disk before the rows
 * are.
 */
import { readFileSync } from 'node:fs';

/** A sync takes some milliseconds. It covers the rows that are expected within this time, in ms. */
const coveredMs = 500;
const maxRowsAhead = 2000;

/**
 * Moves the watermark ahead of the rows, so that a power cut can't hide a row that was sent. `write` syncs it to the
 * disk.
 */
export class DurableWatermark {
  readonly #write: (to: number) => void;
  #to = 0;
  #from = 0;
  #movedAt = 0;

  constructor(write: (to: number) => void) {
    this.#write = write;
  }

  /** Moves the watermark if necessary. Call it before a row is recorded as sent. */
  reach(seq: number): void {
    if (seq <= this.#to) return;
    const now = performance.now();
    // The watermark moves by as many rows as were sent in that time before: slow services have one, fast ones hundreds.
    const speed = this.#movedAt === 0 ? 0 : (seq - this.#from) / Math.max(1, now - this.#movedAt);
    const ahead = Math.min(maxRowsAhead, Math.floor(speed * coveredMs));
    this.#write(seq + ahead);
    [this.#from, this.#to, this.#movedAt] = [seq, seq + ahead, now];
  }
}

/** Returns an id that changes each time the machine starts; undefined where the system has none. */
export function bootId(): string | undefined {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return undefined;
  }
}
