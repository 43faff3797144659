/** Writing: all or nothing, into the file that stands at its path and no other, and what keeps it from being done. */
import { mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { damageIn } from '../../src/storage/check.ts';
import type { Database } from '../../src/storage/database.ts';
import { needsRoot, smallDisk } from '../harness/small-disk.ts';
import { collect } from '../harness/tidy-memory.ts';
import { until } from '../harness/until.ts';
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

it('is closed with what nobody refers to any more, where nobody closes it', async () => {
  const left = (() => {
    const other = openLedger(file);
    expect(texts(other)).toEqual([]);
    return new WeakRef(other);
  })();
  await until(() => {
    collect();
    expect(left.deref() === undefined).toBe(true);
  });
});

describe('a transaction', () => {
  it('is all there or not at all, also where one is inside another', () => {
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

  it('that reads sees one moment, whatever others write meanwhile', () => {
    const other = openLedger(file);
    ledger.read(() => {
      expect(texts(ledger)).toEqual([]);
      write(other, 'meanwhile');
      expect(texts(ledger)).toEqual([]);
    });
    expect(texts(ledger)).toEqual(['meanwhile']);
    other.close();
  });

  it('answers what it did: the number of a new row, how many rows changed', () => {
    expect([write(ledger, 'a'), write(ledger, 'b')]).toEqual([1, 2]);
    expect(ledger.run("UPDATE entries SET text = 'c'")).toBe(2);
    expect(ledger.get('SELECT text FROM entries WHERE id = ?', 3)).toBeUndefined();
  });

  it('that fails on its way says that nothing was done', () => {
    const fail = () =>
      ledger.write(() => {
        write(ledger, 'first');
        throw ledger.damaged();
      });
    expect(fail).toThrow(
      expect.objectContaining({ details: expect.objectContaining({ outcome: 'not_sent' }) }),
    );
    expect(texts(ledger)).toEqual([]);
  });

  it('changes the version of the content, whoever writes; reading doesn’t', () => {
    const other = openLedger(file);
    const versions = [
      () => {},
      () => write(ledger, 'own'),
      () => write(other, 'another’s'),
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
  it('while another process writes is busy, and nothing has happened; reading goes on', () => {
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
  it.each(moves)('to a file that was %s fails, and is not there', (_, move) => {
    write(ledger, 'before');
    move();
    expect(() => write(ledger, 'into nowhere')).toThrow(
      expect.objectContaining({ category: 'unavailable', problem: 'moved' }),
    );
    expect(texts(ledger)).toEqual(['before']);
    const next = openLedger(file);
    expect(texts(next)).not.toContain('into nowhere');
    write(next, 'goes on');
    // Closing takes nothing away from who has the file now.
    ledger.close();
    expect(texts(next)).toContain('goes on');
    expect(damageIn(next)).toEqual([]);
    next.close();
    const last = openLedger(file);
    expect(texts(last)).toContain('goes on');
    last.close();
  });

  it('to a file whose log was deleted fails, and all that was written before is there afterwards', () => {
    write(ledger, 'before');
    rmSync(`${file}-wal`);
    expect(() => write(ledger, 'into nowhere')).toThrow('was moved or deleted');
    expect(texts(ledger)).toEqual(['before']);
    ledger.close();
    const next = openLedger(file);
    expect([texts(next), damageIn(next)]).toEqual([['before'], []]);
    next.close();
  });

  it('goes on where the file is put back', () => {
    renameSync(file, `${file}.elsewhere`);
    expect(() => write(ledger, 'into nowhere')).toThrow('was moved or deleted');
    renameSync(`${file}.elsewhere`, file);
    write(ledger, 'here again');
    expect(texts(ledger)).toEqual(['here again']);
  });
});

describe('a log that is kept', () => {
  it('stays beside the file when that is closed, is read and added to, and is moved once it is large', () => {
    const sizes: (number | undefined)[] = [];
    for (const text of ['a', 'b', 'c'.repeat(200_000), 'd']) {
      const kept = openLedger(file, { keptLog: 100_000 });
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
    expect(damageIn(ledger)).toEqual([]);
  });

  it('is moved by whoever keeps none', () => {
    const kept = openLedger(file, { keptLog: 100_000 });
    write(kept, 'a');
    kept.close();
    ledger.close();
    expect(readdirSync(folder)).toEqual(['ledger.sqlite']);
    ledger = openLedger(file);
    expect(texts(ledger)).toEqual(['a']);
  });
});

describe('a disk that is full', () => {
  it('keeps what was written before, and takes more as soon as there is room', ({ skip }) => {
    const disk = smallDisk(256);
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
    expect(damageIn(small)).toEqual([]);
    small.close();
  });

  it('makes no file, or a whole one', ({ skip }) => {
    const disk = smallDisk(256);
    if (disk === undefined) return skip(needsRoot);
    for (const free of [0, 20]) {
      disk.fill(free);
      expect(() => openLedger(join(disk.path, 'ledger.sqlite'))).toThrow(
        expect.objectContaining({ problem: 'full' }),
      );
      // Where there was room for it alone, it is there, with what SQLite keeps beside it.
      const others = readdirSync(disk.path).filter((name) => !/^(ballast|ledger\.sqlite(-\w+)?)$/.test(name));
      expect(others).toEqual([]);
    }
    disk.empty();
    const made = openLedger(join(disk.path, 'ledger.sqlite'));
    expect([texts(made), damageIn(made)]).toEqual([[], []]);
    made.close();
  });
});
