/** Tests that writes are atomic and go only to the file at the path. */
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

it('a database without references: is garbage-collected', async () => {
  const reference = (() => {
    const other = openLedger(file);
    expect(texts(other)).toEqual([]);
    return new WeakRef(other);
  })();
  await waitUntil(() => {
    collectGarbage();
    expect(reference.deref() === undefined).toBe(true);
  });
});

describe('a transaction', () => {
  it('is atomic, even inside another transaction', () => {
    const outer = () =>
      ledger.write(() => {
        write(ledger, 'first');
        ledger.write(() => write(ledger, 'second'));
        throw new Error('after both writes');
      });
    expect(outer).toThrow('after both writes');
    expect(texts(ledger)).toEqual([]);
    ledger.write(() => ledger.write(() => write(ledger, 'third')));
    expect(texts(ledger)).toEqual(['third']);
  });

  it('that reads: sees a snapshot, even if another connection writes', () => {
    const other = openLedger(file);
    ledger.read(() => {
      expect(texts(ledger)).toEqual([]);
      write(other, 'concurrent');
      expect(texts(ledger)).toEqual([]);
    });
    expect(texts(ledger)).toEqual(['concurrent']);
    other.close();
  });

  it('returns the ID of a new row or the number of changed rows', () => {
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

  it('changes the version of the content if any connection writes, but not if one reads', () => {
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
    expect(() => write(ledger, 'during the lock')).toThrow(expect.objectContaining({ problem: 'busy' }));
    expect(texts(ledger)).toEqual(['before']);
    other.script('COMMIT');
    write(ledger, 'after');
    expect(texts(other)).toEqual(['before', 'after']);
    other.close();
  });

  const moves: [string, () => void][] = [
    ['moved', () => renameSync(file, `${file}.moved`)],
    ['deleted', () => rmSync(file)],
    [
      'replaced by another file',
      () => {
        rmSync(file);
        openLedger(file).close();
      },
    ],
  ];
  it.each(moves)('to a file that was %s: fails and writes nothing', (_, move) => {
    write(ledger, 'before');
    move();
    expect(() => write(ledger, 'lost')).toThrow(
      expect.objectContaining({ category: 'unavailable', problem: 'moved' }),
    );
    expect(texts(ledger)).toEqual(['before']);
    const next = openLedger(file);
    expect(texts(next)).not.toContain('lost');
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

  it('to a file whose log was deleted: fails and keeps all earlier writes', () => {
    write(ledger, 'before');
    rmSync(`${file}-wal`);
    expect(() => write(ledger, 'lost')).toThrow('was moved or deleted');
    expect(texts(ledger)).toEqual(['before']);
    ledger.close();
    const next = openLedger(file);
    expect([texts(next), checkIntegrity(next)]).toEqual([['before'], []]);
    next.close();
  });

  it('succeeds after the file is moved back', () => {
    renameSync(file, `${file}.moved`);
    expect(() => write(ledger, 'lost')).toThrow('was moved or deleted');
    renameSync(`${file}.moved`, file);
    write(ledger, 'restored');
    expect(texts(ledger)).toEqual(['restored']);
  });
});

describe('a write-ahead log with maxKeptLogBytes', () => {
  it('is kept when the file is closed, and is checkpointed once it is larger', () => {
    const sizes: (number | undefined)[] = [];
    for (const text of ['a', 'b', 'c'.repeat(200_000), 'd']) {
      const connection = openLedger(file, { maxKeptLogBytes: 100_000 });
      ledger.close();
      write(connection, text);
      connection.close();
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

  it('is checkpointed by a connection without maxKeptLogBytes', () => {
    const connection = openLedger(file, { maxKeptLogBytes: 100_000 });
    write(connection, 'a');
    connection.close();
    ledger.close();
    expect(readdirSync(folder)).toEqual(['ledger.sqlite']);
    ledger = openLedger(file);
    expect(texts(ledger)).toEqual(['a']);
  });
});

describe('a full disk', () => {
  it('keeps all earlier writes, and accepts writes once there is space', ({ skip }) => {
    const disk = mountSmallDisk(256);
    if (disk === undefined) return skip(needsRoot);
    const path = join(disk.path, 'ledger.sqlite');
    const smallLedger = openLedger(path);
    disk.fill(160);
    const writtenTexts: string[] = [];
    let failure: unknown;
    for (let count = 0; failure === undefined && count < 1000; count++) {
      const text = `${count} `.repeat(500);
      try {
        write(smallLedger, text);
        writtenTexts.push(text);
      } catch (error) {
        failure = error;
      }
    }
    expect(failure).toMatchObject({ category: 'unavailable', problem: 'full' });
    expect(texts(smallLedger)).toEqual(writtenTexts);
    expect(writtenTexts.length).toBeGreaterThan(3);
    disk.empty();
    write(smallLedger, 'space again');
    expect(texts(smallLedger)).toEqual([...writtenTexts, 'space again']);
    expect(checkIntegrity(smallLedger)).toEqual([]);
    smallLedger.close();
  });

  it('results in no file or a complete file', ({ skip }) => {
    const disk = mountSmallDisk(256);
    if (disk === undefined) return skip(needsRoot);
    for (const free of [0, 20]) {
      disk.fill(free);
      expect(() => openLedger(join(disk.path, 'ledger.sqlite'))).toThrow(
        expect.objectContaining({ problem: 'full' }),
      );
      // If there was space only for the file, it exists with its companion files.
      const otherFiles = readdirSync(disk.path).filter(
        (name) => !/^(ballast|ledger\.sqlite(-\w+)?)$/.test(name),
      );
      expect(otherFiles).toEqual([]);
    }
    disk.empty();
    const created = openLedger(join(disk.path, 'ledger.sqlite'));
    expect([texts(created), checkIntegrity(created)]).toEqual([[], []]);
    created.close();
  });
});
