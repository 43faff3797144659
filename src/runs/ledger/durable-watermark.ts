/**
 * Maintains the durable watermark of a run: the highest row that may have been sent. It is synced to the disk before
 * the rows are sent.
 */
import { readFileSync } from 'node:fs';

/** Each sync covers the rows that are expected within this time in ms, because a sync takes some milliseconds. */
const coveredMs = 500;
/** The maximum number of rows that one sync covers. */
const maxRowsAhead = 2000;

/**
 * Moves the watermark ahead of the rows, so that a power failure can't hide a row that was sent. `write` syncs it to the
 * disk.
 */
export class DurableWatermark {
  readonly #write: (to: number) => void;
  #watermark = 0;
  #lastSeq = 0;
  #movedAt = 0;

  constructor(write: (to: number) => void) {
    this.#write = write;
  }

  /** Moves the watermark if necessary. Call it before a row is recorded as sent. */
  advanceTo(seq: number): void {
    if (seq <= this.#watermark) return;
    const now = performance.now();
    // The watermark moves by the number of rows that were sent in that time before: one for slow services, hundreds for
    // fast ones.
    const rowsPerMs = this.#movedAt === 0 ? 0 : (seq - this.#lastSeq) / Math.max(1, now - this.#movedAt);
    const rowsAhead = Math.min(maxRowsAhead, Math.floor(rowsPerMs * coveredMs));
    this.#write(seq + rowsAhead);
    [this.#lastSeq, this.#watermark, this.#movedAt] = [seq, seq + rowsAhead, now];
  }
}

/** Returns an ID that changes each time the machine starts; undefined if the system has no such ID. */
export function bootId(): string | undefined {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return undefined;
  }
}
