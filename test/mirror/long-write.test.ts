/** Consecutive writes are committed in order and soon; a failed one rolls all of them back. */
import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { LongWrite } from '../../src/mirror/stores/long-write.ts';
import type { Database } from '../../src/storage/database.ts';
import { StorageFailure } from '../../src/storage/failures.ts';
import { openLedger, texts, write } from '../storage/ledger.ts';

let folder: string;
let [mine, other]: Database[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'boh-long-write-'));
  mine = openLedger(join(folder, 'ledger.sqlite'));
  other = openLedger(join(folder, 'ledger.sqlite'));
});
afterEach(() => {
  vi.useRealTimers();
  mine?.close();
  other?.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
});

function opened(): { long: LongWrite; put(text: string, isGoingOn: boolean): void; seen(): string[] } {
  const [own, looking] = [mine, other];
  if (!own || !looking) throw new Error('nothing is open');
  const long = new LongWrite(own);
  return {
    long,
    put: (text, isGoingOn) => long.write(() => void write(own, text), isGoingOn),
    seen: () => texts(looking),
  };
}

test('writes with hasMore: the next write without it, or the end, commits them', () => {
  const { long, put, seen } = opened();
  put('a', true);
  put('b', true);
  expect(seen()).toEqual([]);
  put('c', false);
  expect(seen()).toEqual(['a', 'b', 'c']);
  put('d', true);
  long.end();
  expect(seen()).toEqual(['a', 'b', 'c', 'd']);
});

test('writes with hasMore: they are committed within a second if nothing follows', () => {
  vi.useFakeTimers();
  const { put, seen } = opened();
  put('a', true);
  vi.advanceTimersByTime(900);
  expect(seen()).toEqual([]);
  put('b', true);
  vi.advanceTimersByTime(200);
  expect(seen()).toEqual(['a', 'b']);
});

test('a failed write: rolls back the writes before it, and the next one starts a new transaction', () => {
  const { long, put, seen } = opened();
  put('a', false);
  put('b', true);
  const fail = () =>
    long.write(() => {
      throw new Error('half way');
    }, true);
  expect(fail).toThrow('half way');
  put('c', false);
  expect(seen()).toEqual(['a', 'c']);
});

test('a failed commit: the next write throws its error', () => {
  vi.useFakeTimers();
  const { long, put, seen } = opened();
  put('a', true);
  const file = join(folder, 'ledger.sqlite');
  renameSync(file, `${file}.moved`);
  vi.advanceTimersByTime(1100);
  renameSync(`${file}.moved`, file);
  expect(() => put('b', true)).toThrow('moved');
  put('c', true);
  long.end();
  expect(seen()).toEqual(['c']);
});

test('a transaction that SQLite rolled back: the next write or end throws, and nothing later is committed', () => {
  const { long, put, seen } = opened();
  const rollBackWith = (text: string) => {
    put(text, true);
    const pages = Number(mine?.get('PRAGMA page_count')?.page_count);
    mine?.script(`PRAGMA max_page_count = ${pages}`);
    // Outside of the shared transaction, like other statements.
    expect(() => mine?.script(`INSERT INTO entries (text) VALUES (hex(zeroblob(${1 << 20})))`)).toThrow(
      'the disk is full',
    );
    mine?.script('PRAGMA max_page_count = 1000000');
  };
  rollBackWith('a');
  expect(() => put('b', true)).toThrow(StorageFailure);
  expect(seen()).toEqual([]);
  put('c', false);
  rollBackWith('d');
  expect(() => long.end()).toThrow(StorageFailure);
  long.end();
  put('e', false);
  expect(seen()).toEqual(['c', 'e']);
});
