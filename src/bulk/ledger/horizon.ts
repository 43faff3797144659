/** How far a run may have come at most: written to the disk itself, ahead of the rows, so that no power cut hides a sent one. */
import { readFileSync } from 'node:fs';

/** Each wait for the disk is worth the rows of so many milliseconds. */
const worth = 500;
const mostAhead = 2000;

export class Horizon {
  readonly #write: (to: number) => void;
  #to = 0;
  #from = 0;
  #movedAt = 0;

  constructor(write: (to: number) => void) {
    this.#write = write;
  }

  reach(seq: number): void {
    if (seq <= this.#to) return;
    const now = performance.now();
    // As many rows ahead as were sent in that time before: slow services have one, fast ones hundreds.
    const speed = this.#movedAt === 0 ? 0 : (seq - this.#from) / Math.max(1, now - this.#movedAt);
    const ahead = Math.min(mostAhead, Math.floor(speed * worth));
    [this.#from, this.#to, this.#movedAt] = [seq, seq + ahead, now];
    this.#write(this.#to);
  }
}

/** Another one each time that the machine starts; undefined where it doesn’t tell. */
export function bootId(): string | undefined {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return undefined;
  }
}
