/** Writes that follow each other: for good in their order, soon, and all of them taken back by one that fails. */
import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { LongWrite } from '../../src/mirror/stores/long-write.ts';
import type { Database } from '../../src/storage/database.ts';
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

test('what goes on is for good with the next write that doesn’t, or when it is ended', () => {
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

test('what goes on is for good within a second, though nothing follows', () => {
  vi.useFakeTimers();
  const { put, seen } = opened();
  put('a', true);
  vi.advanceTimersByTime(900);
  expect(seen()).toEqual([]);
  put('b', true);
  vi.advanceTimersByTime(200);
  expect(seen()).toEqual(['a', 'b']);
});

test('one that fails takes back what it followed, and the next begins anew', () => {
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

test('what could not be ended later is told to whoever writes next', () => {
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

test('what SQLite has taken back by itself is told, by whoever writes or ends next, and nothing is written as if it stood', () => {
  const { long, put, seen } = opened();
  const takenBack = (text: string) => {
    put(text, true);
    const pages = Number(mine?.get('PRAGMA page_count')?.page_count);
    mine?.script(`PRAGMA max_page_count = ${pages}`);
    // Outside of the long write, as what is done between two of them.
    expect(() => mine?.script(`INSERT INTO entries (text) VALUES (hex(zeroblob(${1 << 20})))`)).toThrow(
      'room',
    );
    mine?.script('PRAGMA max_page_count = 1000000');
  };
  takenBack('a');
  expect(() => put('b', true)).toThrow('took back');
  expect(seen()).toEqual([]);
  put('c', false);
  takenBack('d');
  expect(() => long.end()).toThrow('took back');
  long.end();
  put('e', false);
  expect(seen()).toEqual(['c', 'e']);
});
