/** Remembers which records have been read, in about six bytes for each: a list of a million must not fill the memory. */
import type { ListPage } from './response.ts';
import type { Row } from './shape.ts';

/** The maximum number of records in a list. A longer list counts as endless. */
export const maxRecords = 10_000_000;

/** A set of records by their keys. */
export interface SeenRecords {
  readonly size: number;
  /** Sets the expected number of records, so that memory is allocated once. */
  expect(count: number): void;
  has(fingerprint: RecordFingerprint): boolean;
  add(fingerprint: RecordFingerprint): boolean;
}

/** The hash of a record's key. */
export interface RecordFingerprint {
  readonly slotHash: number;
  /** The lower bits; never 0, which marks a free slot. */
  readonly low: number;
  readonly high: number;
}

const minSlots = 4096;

/** The maximum share of used slots: beyond it, searching for a free slot takes long. */
const maxFillRatio = 0.85;

/**
 * Creates an empty set of records. Its tables contain hashes of 40 bits, and another 32 bits select the slot, so that two
 * IDs are confused about once in 300,000 lists of a million. When a table is full, a larger one is added, and nothing is moved.
 */
export function createSeenRecords(): SeenRecords {
  const tables: HashTable[] = [];
  let size = 0;
  let expected = 0;
  const has = (fingerprint: RecordFingerprint) => tables.some((table) => table.has(fingerprint));
  return {
    get size() {
      return size;
    },
    expect(count) {
      expected = count;
    },
    has,
    add(fingerprint) {
      if (has(fingerprint)) return false;
      let last = tables.at(-1);
      if (last === undefined || last.isFull()) {
        last = createTable(Math.max(expected - size, size));
        tables.push(last);
      }
      last.add(fingerprint);
      size++;
      return true;
    },
  };
}

interface HashTable {
  has(fingerprint: RecordFingerprint): boolean;
  add(fingerprint: RecordFingerprint): void;
  isFull(): boolean;
}

/** Creates a table with open addressing: if a slot is taken, the next free one is used. */
function createTable(expected: number): HashTable {
  const capacity = Math.max(minSlots, Math.ceil(Math.min(expected, maxRecords) / maxFillRatio));
  const low = new Uint32Array(capacity);
  const high = new Uint8Array(capacity);
  let count = 0;

  const slotOf = (fingerprint: RecordFingerprint): number => {
    let slot = Math.floor((fingerprint.slotHash / 2 ** 32) * capacity);
    while (low[slot] !== 0 && (low[slot] !== fingerprint.low || high[slot] !== fingerprint.high)) {
      slot = slot + 1 === capacity ? 0 : slot + 1;
    }
    return slot;
  };

  return {
    has: (fingerprint) => low[slotOf(fingerprint)] !== 0,
    add(fingerprint) {
      const slot = slotOf(fingerprint);
      low[slot] = fingerprint.low;
      high[slot] = fingerprint.high;
      count++;
    },
    isFull: () => count >= Math.floor(capacity * maxFillRatio),
  };
}

/** Returns the key of a record: its id, or its JSON if it has none. */
export function keyOf(row: Row): string {
  const { id } = row;
  const isId = typeof id === 'string' || typeof id === 'number' || id instanceof Number;
  return isId ? String(id) : JSON.stringify(row);
}

/** Returns the hash of a record's key, computed as cyrb53 does, with a third word. */
export function fingerprintOf(row: Row): RecordFingerprint {
  const key = keyOf(row);
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  let c = 0x9e3779b9;
  for (let index = 0; index < key.length; index++) {
    const code = key.charCodeAt(index);
    a = Math.imul(a ^ code, 2654435761);
    b = Math.imul(b ^ code, 1597334677);
    c = Math.imul(c ^ code, 2246822519);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(c ^ (c >>> 13), 3266489909);
  c = Math.imul(c ^ (c >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return { slotHash: a >>> 0, low: (b | 1) >>> 0, high: (c >>> 8) & 0xff };
}

export function keysOf({ rows }: ListPage): string[] {
  return rows.map(keyOf);
}

export function haveSameKeys(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((key, index) => key === b[index]);
}
