/** Which records have come, in eight bytes for each: a list of a million must not fill the memory with ids. */
import type { Row } from './shape.ts';

/** More than any account has; past it a list doesn't end. A third of it is where two ids are alike once in a million lists. */
export const mostRecords = 10_000_000;

export interface SeenRecords {
  readonly size: number;
  has(row: Row): boolean;
  /** Answers whether it is new. */
  add(row: Row): boolean;
}

/** An open-addressed table of 63-bit hashes; it doubles when it is three quarters full. */
export function seenRecords(): SeenRecords {
  let capacity = 1024;
  let slots = new Uint32Array(2 * capacity);
  let size = 0;

  /** Where the hash stands, or the free slot where it would. */
  const slotOf = (high: number, low: number): number => {
    const mask = capacity - 1;
    let slot = low & mask;
    while (slots[2 * slot] !== 0 && (slots[2 * slot] !== high || slots[2 * slot + 1] !== low)) {
      slot = (slot + 1) & mask;
    }
    return slot;
  };

  const put = (slot: number, high: number, low: number) => {
    slots[2 * slot] = high;
    slots[2 * slot + 1] = low;
  };

  const grow = () => {
    const before = slots;
    capacity *= 2;
    slots = new Uint32Array(2 * capacity);
    for (let at = 0; at < before.length; at += 2) {
      const [high = 0, low = 0] = [before[at], before[at + 1]];
      if (high !== 0) put(slotOf(high, low), high, low);
    }
  };

  return {
    get size() {
      return size;
    },
    has(row) {
      const [high, low] = hashOf(keyOf(row));
      return slots[2 * slotOf(high, low)] !== 0;
    },
    add(row) {
      const [high, low] = hashOf(keyOf(row));
      const slot = slotOf(high, low);
      if (slots[2 * slot] !== 0) return false;
      put(slot, high, low);
      if (++size > capacity * 0.75) grow();
      return true;
    },
  };
}

/** What tells one record from another: its id, or all of it where it has none. */
export function keyOf(row: Row): string {
  const { id } = row;
  return typeof id === 'string' || typeof id === 'number' ? String(id) : JSON.stringify(row);
}

/** Two halves of 32 bits, after cyrb53; the first is never 0, which marks a free slot. */
function hashOf(text: string): [number, number] {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    high = Math.imul(high ^ code, 2654435761);
    low = Math.imul(low ^ code, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return [(high | 1) >>> 0, low >>> 0];
}
