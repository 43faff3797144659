/** Entries that were written ahead of their writes, in one transaction with that of another one: each waits for its own to leave. */
import type { OutgoingWrite } from '../../session/write.ts';

/** The entry of a write. */
export interface Written {
  number: number;
  canBeTakenBack: boolean;
}

interface Waiting extends Written {
  /** What it says is sent. */
  request: OutgoingWrite['request'];
}

/** With so few left, the next ones are due. */
const few = 1;

export class Ahead {
  readonly #byPart = new Map<string, Waiting>();
  #soon: NodeJS.Immediate | undefined;

  add(write: OutgoingWrite, { number, canBeTakenBack }: Written): void {
    this.#byPart.set(keyOf(write), { number, canBeTakenBack, request: write.request });
  }

  has(write: OutgoingWrite): boolean {
    return this.#byPart.has(keyOf(write));
  }

  /** The entry of a write that leaves now. What leaves is what was written down, or else it needs an entry of its own. */
  take(write: OutgoingWrite): Written | undefined {
    const key = keyOf(write);
    const found = this.#byPart.get(key);
    if (!found || !isSame(found.request, write.request)) return undefined;
    this.#byPart.delete(key);
    return found;
  }

  /** Does the work where few are left: once what is leaving now has left, so that no request waits for it. */
  refill(work: () => void): void {
    if (this.#byPart.size > few) return;
    this.#soon ??= setImmediate(() => {
      this.#soon = undefined;
      work();
    });
  }

  /** The numbers of those that did not leave; none is left. */
  takeAll(): number[] {
    clearImmediate(this.#soon);
    this.#soon = undefined;
    const numbers = [...this.#byPart.values()].map(({ number }) => number);
    this.#byPart.clear();
    return numbers;
  }
}

function keyOf({ told: { part } }: OutgoingWrite): string {
  return part === undefined ? '' : `${part.run} ${part.name}`;
}

function isSame(one: OutgoingWrite['request'], other: OutgoingWrite['request']): boolean {
  return one.method === other.method && one.target === other.target && one.body === other.body;
}
