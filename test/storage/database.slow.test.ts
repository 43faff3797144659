/** Writes are atomic and go only into the file at the path. Tests what can prevent them. */
import { mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkIntegrity } from '../../src/storage/check.ts';
import type { Database } from '../../src/storage/database.ts';
import { collectGarbage } from '../harness/garbage-collection.ts';
import { mountSmallDisk, needsRoot } from '../harness/small-disk.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { openLedger, texts, write } from './ledger.ts';

let folder: string;
let file: string;
let ledger: Database;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'boh-storage-'));
  file = join(folder, 'ledger.sqlite');
  ledger = openLedger(file);
});
afterEach(() => {
  ledger.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
});

it('a database that is not closed: is closed when it is garbage-collected', async () => {
  const left = (() => {
    const other = openLedger(file);
    expect(texts(other)).toEqual([]);
    return new WeakRef(other);
  })();
  await waitUntil(() => {
    collectGarbage();
    expect(left.deref() === undefined).toBe(true);
  });
});

describe('a transaction', () => {
  it('is atomic, also inside another transaction', () => {
    const outer = () =>
      ledger.write(() => {
        write(ledger, 'first');
        ledger.write(() => write(ledger, 'second'));
        throw new Error('after both');
      });
    expect(outer).toThrow('after both');
    expect(texts(ledger)).toEqual([]);
    ledger.write(() => ledger.write(() => write(ledger, 'third')));
    expect(texts(ledger)).toEqual(['third']);
  });

  it('that reads: sees a snapshot, whatever other connections write', () => {
    const other = openLedger(file);
    ledger.read(() => {
      expect(texts(ledger)).toEqual([]);
      write(other, 'meanwhile');
      expect(texts(ledger)).toEqual([]);
    });
    expect(texts(ledger)).toEqual(['meanwhile']);
    other.close();
  });

  it('returns the id of a new row or the number of changed rows', () => {
    expect([write(ledger, 'a'), write(ledger, 'b')]).toEqual([1, 2]);
    expect(ledger.run("UPDATE entries SET text = 'c'")).toBe(2);
    expect(ledger.get('SELECT text FROM entries WHERE id = ?', 3)).toBeUndefined();
  });

  it('that fails: reports that nothing was written', () => {
    const fail = () =>
      ledger.write(() => {
        write(ledger, 'first');
        throw ledger.damagedFailure();
      });
    expect(fail).toThrow(
      expect.objectContaining({ details: expect.objectContaining({ outcome: 'not_sent' }) }),
    );
    expect(texts(ledger)).toEqual([]);
  });

  it('changes the version of the content if any connection writes, not if one reads', () => {
    const other = openLedger(file);
    const versions = [
      () => {},
      () => write(ledger, 'own'),
      () => write(other, "another's"),
      () => texts(ledger),
    ].map((work) => {
      work();
      return ledger.read(() => ledger.version);
    });
    expect(new Set(versions.slice(0, 3)).size).toBe(3);
    expect(versions[3]).toBe(versions[2]);
    other.close();
  });
});

describe('a write', () => {
  it('while another process writes: fails as busy and writes nothing; reads work', () => {
    write(ledger, 'before');
    const other = openLedger(file);
    other.script('BEGIN IMMEDIATE');
    expect(() => write(ledger, 'too soon')).toThrow(expect.objectContaining({ problem: 'busy' }));
    expect(texts(ledger)).toEqual(['before']);
    other.script('COMMIT');
    write(ledger, 'after');
    expect(texts(other)).toEqual(['before', 'after']);
    other.close();
  });

  const moves: [string, () => void][] = [
    ['moved', () => renameSync(file, `${file}.elsewhere`)],
    ['deleted', () => rmSync(file)],
    [
      'replaced by another',
      () => {
        rmSync(file);
        openLedger(file).close();
      },
    ],
  ];
  it.each(moves)('to a file that was %s: fails and writes nothing', (_, move) => {
    write(ledger, 'before');
    move();
    expect(() => write(ledger, 'into nowhere')).toThrow(
      expect.objectContaining({ category: 'unavailable', problem: 'moved' }),
    );
    expect(texts(ledger)).toEqual(['before']);
    const next = openLedger(file);
    expect(texts(next)).not.toContain('into nowhere');
    write(next, 'continues');
    // Closing the old connection changes nothing in the new file.
    ledger.close();
    expect(texts(next)).toContain('continues');
    expect(checkIntegrity(next)).toEqual([]);
    next.close();
    const last = openLedger(file);
    expect(texts(last)).toContain('continues');
    last.close();
  });

  it('to a file whose log was deleted: fails, and keeps everything written before', () => {
    write(ledger, 'before');
    rmSync(`${file}-wal`);
    expect(() => write(ledger, 'into nowhere')).toThrow('was moved or deleted');
    expect(texts(ledger)).toEqual(['before']);
    ledger.close();
    const next = openLedger(file);
    expect([texts(next), checkIntegrity(next)]).toEqual([['before'], []]);
    next.close();
  });

  it('works again after the file is restored', () => {
    renameSync(file, `${file}.elsewhere`);
    expect(() => write(ledger, 'into nowhere')).toThrow('was moved or deleted');
    renameSync(`${file}.elsewhere`, file);
    write(ledger, 'here again');
    expect(texts(ledger)).toEqual(['here again']);
  });
});

describe('a write-ahead log that is kept', () => {
  it('stays after the file is closed, is reused, and is moved into the file once it is large', () => {
    const sizes: (number | undefined)[] = [];
    for (const text of ['a', 'b', 'c'.repeat(200_000), 'd']) {
      const kept = openLedger(file, { maxKeptLogBytes: 100_000 });
      ledger.close();
      write(kept, text);
      kept.close();
      sizes.push(statSync(`${file}-wal`, { throwIfNoEntry: false })?.size);
    }
    expect(sizes[0]).toBeGreaterThan(0);
    expect(sizes[1]).toBeGreaterThan(sizes[0] ?? 0);
    expect(sizes[2]).toBeUndefined();
    expect(sizes[3]).toBeGreaterThan(0);
    ledger = openLedger(file);
    expect(texts(ledger).map((text) => text[0])).toEqual(['a', 'b', 'c', 'd']);
    expect(checkIntegrity(ledger)).toEqual([]);
  });

  it('is moved into the file by a connection that keeps no log', () => {
    const kept = openLedger(file, { maxKeptLogBytes: 100_000 });
    write(kept, 'a');
    kept.close();
    ledger.close();
    expect(readdirSync(folder)).toEqual(['ledger.sqlite']);
    ledger = openLedger(file);
    expect(texts(ledger)).toEqual(['a']);
  });
});

describe('a full disk', () => {
  it('keeps everything written before, and accepts writes once there is space', ({ skip }) => {
    const disk = mountSmallDisk(256);
    if (disk === undefined) return skip(needsRoot);
    const path = join(disk.path, 'ledger.sqlite');
    const small = openLedger(path);
    disk.fill(160);
    const written: string[] = [];
    let failure: unknown;
    for (let count = 0; failure === undefined && count < 1000; count++) {
      const text = `${count} `.repeat(500);
      try {
        write(small, text);
        written.push(text);
      } catch (error) {
        failure = error;
      }
    }
    expect(failure).toMatchObject({ category: 'unavailable', problem: 'full' });
    expect(texts(small)).toEqual(written);
    expect(written.length).toBeGreaterThan(3);
    disk.empty();
    write(small, 'room again');
    expect(texts(small)).toEqual([...written, 'room again']);
    expect(checkIntegrity(small)).toEqual([]);
    small.close();
  });

  it('creates no file or a complete one', ({ skip }) => {
    const disk = mountSmallDisk(256);
    if (disk === undefined) return skip(needsRoot);
    for (const free of [0, 20]) {
      disk.fill(free);
      expect(() => openLedger(join(disk.path, 'ledger.sqlite'))).toThrow(
        expect.objectContaining({ problem: 'full' }),
      );
      // If there was space for the file alone, it exists with the files that SQLite keeps beside it.
      const others = readdirSync(disk.path).filter((name) => !/^(ballast|ledger\.sqlite(-\w+)?)$/.test(name));
      expect(others).toEqual([]);
    }
    disk.empty();
    const made = openLedger(join(disk.path, 'ledger.sqlite'));
    expect([texts(made), checkIntegrity(made)]).toEqual([[], []]);
    made.close();
  });
});
