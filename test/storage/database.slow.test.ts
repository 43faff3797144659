/** Tests that writes are atomic and go only to the file at the path. */
import { mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../src/base/storage/database.ts';
import { StorageFailure } from '../../src/base/storage/failures.ts';
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
  const weakReference = (() => {
    const otherLedger = openLedger(file);
    expect(texts(otherLedger)).toEqual([]);
    return new WeakRef(otherLedger);
  })();
  await waitUntil(() => {
    collectGarbage();
    expect(weakReference.deref() === undefined).toBe(true);
  });
});

it.each([
  ['a constraint', 'INSERT INTO entries (id, text) VALUES (1, NULL), (1, NULL)', 'UNIQUE constraint failed'],
  ['the type of a column', "INSERT INTO entries (id) VALUES ('text')", 'datatype mismatch'],
])('a write that violates %s: is a bug of boh, not a damaged file', (_, sql, message) => {
  const failure = expect.objectContaining({ message: expect.stringContaining(message) });
  expect(() => ledger.run(sql)).toThrow(failure);
  expect(() => ledger.run(sql)).not.toThrow(StorageFailure);
});

describe('a transaction', () => {
  it('is atomic, even inside another transaction', () => {
    const failAfterBothWrites = () =>
      ledger.write(() => {
        write(ledger, 'first');
        ledger.write(() => write(ledger, 'second'));
        throw new Error('after both writes');
      });
    expect(failAfterBothWrites).toThrow('after both writes');
    expect(texts(ledger)).toEqual([]);
    ledger.write(() => ledger.write(() => write(ledger, 'third')));
    expect(texts(ledger)).toEqual(['third']);
  });

  it('that reads: sees a snapshot, even if another connection writes', () => {
    const otherLedger = openLedger(file);
    ledger.read(() => {
      expect(texts(ledger)).toEqual([]);
      write(otherLedger, 'concurrent');
      expect(texts(ledger)).toEqual([]);
    });
    expect(texts(ledger)).toEqual(['concurrent']);
    otherLedger.close();
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
    const otherLedger = openLedger(file);
    const versions = [
      () => {},
      () => write(ledger, 'own'),
      () => write(otherLedger, "another's"),
      () => texts(ledger),
    ].map((work) => {
      work();
      return ledger.read(() => ledger.version);
    });
    expect(new Set(versions.slice(0, 3)).size).toBe(3);
    expect(versions[3]).toBe(versions[2]);
    otherLedger.close();
  });
});

describe('a write', () => {
  it('while another process writes: fails as busy and writes nothing; reads work', () => {
    write(ledger, 'before');
    const otherLedger = openLedger(file);
    otherLedger.script('BEGIN IMMEDIATE');
    expect(() => write(ledger, 'during the lock')).toThrow(expect.objectContaining({ problem: 'busy' }));
    expect(texts(ledger)).toEqual(['before']);
    otherLedger.script('COMMIT');
    write(ledger, 'after');
    expect(texts(otherLedger)).toEqual(['before', 'after']);
    otherLedger.close();
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
    const reopenedLedger = openLedger(file);
    expect(texts(reopenedLedger)).not.toContain('lost');
    write(reopenedLedger, 'continues');
    // Closing the old connection changes nothing in the new file.
    ledger.close();
    expect(texts(reopenedLedger)).toContain('continues');
    expect(reopenedLedger.checkIntegrity()).toEqual([]);
    reopenedLedger.close();
    const lastLedger = openLedger(file);
    expect(texts(lastLedger)).toContain('continues');
    lastLedger.close();
  });

  it('to a file whose log was deleted: fails and keeps all earlier writes', () => {
    write(ledger, 'before');
    rmSync(`${file}-wal`);
    expect(() => write(ledger, 'lost')).toThrow('was moved or deleted');
    expect(texts(ledger)).toEqual(['before']);
    ledger.close();
    const reopenedLedger = openLedger(file);
    expect([texts(reopenedLedger), reopenedLedger.checkIntegrity()]).toEqual([['before'], []]);
    reopenedLedger.close();
  });

  it('succeeds after the file is moved back', () => {
    renameSync(file, `${file}.moved`);
    expect(() => write(ledger, 'lost')).toThrow('was moved or deleted');
    renameSync(`${file}.moved`, file);
    write(ledger, 'restored');
    expect(texts(ledger)).toEqual(['restored']);
  });
});

describe('a write-ahead log', () => {
  it('is written to the file and deleted when the last connection closes', () => {
    const connection = openLedger(file);
    write(connection, 'a');
    connection.close();
    expect(readdirSync(folder)).toContain('ledger.sqlite-wal');
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
    expect(smallLedger.checkIntegrity()).toEqual([]);
    smallLedger.close();
  });

  it('new file: opening it fails, and leaves no other files', ({ skip }) => {
    const disk = mountSmallDisk(256);
    if (disk === undefined) return skip(needsRoot);
    for (const freeKilobytes of [0, 20]) {
      disk.fill(freeKilobytes);
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
    const newLedger = openLedger(join(disk.path, 'ledger.sqlite'));
    expect([texts(newLedger), newLedger.checkIntegrity()]).toEqual([[], []]);
    newLedger.close();
  });
});
