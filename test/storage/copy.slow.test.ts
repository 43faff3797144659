/** Tests that copies of files in use are complete snapshots, or fail without changes. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { copyDatabaseFile, replaceDatabaseContent, sourceSchema } from '../../src/base/storage/copy.ts';
import { createFileAsync } from '../../src/base/storage/create.ts';
import type { Database } from '../../src/base/storage/database.ts';
import { repetitions, reportTried } from '../harness/repetitions.ts';
import { createRichTables, ledgerFormat, openLedger, texts, write } from './ledger.ts';

let folder: string;
const open: Database[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'boh-storage-'));
});
afterEach(() => {
  for (const ledger of open.splice(0)) ledger.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
});

const path = (name: string) => join(folder, name);
const describeFile = (name: string) => ({ ...ledgerFormat(), file: path(name) });

function ledgerOf(name: string, ...entries: string[]): Database {
  const ledger = openLedger(path(name), { createTables: createRichTables });
  open.push(ledger);
  for (const text of entries) write(ledger, text);
  return ledger;
}

const contentOf = (ledger: Database) => ({
  texts: texts(ledger),
  count: ledger.get('SELECT number FROM counts')?.number,
  loud: ledger.all('SELECT text FROM loud ORDER BY text').map(({ text }) => text),
  next: write(ledger, 'next'),
  damage: ledger.checkIntegrity(),
});

describe('a copy', () => {
  it('is a snapshot, even if another connection writes in the meantime', async () => {
    const ledger = ledgerOf('one', ...Array.from({ length: 200 }, (_, count) => `entry ${count}`));
    const copying = copyDatabaseFile(describeFile('one'), path('copy'));
    const before = texts(ledger).length;
    for (let count = 0; count < 50; count++) write(ledger, 'concurrent');
    await copying;
    const copy = openLedger(path('copy'), { createTables: createRichTables });
    open.push(copy);
    expect([200, before]).toContain(texts(copy).length);
    expect(copy.checkIntegrity()).toEqual([]);
  });

  it('of a file that is not a database: fails with the name of the file and creates nothing', async () => {
    writeFileSync(path('text'), 'Some text, '.repeat(1000));
    const creation = createFileAsync(
      describeFile('new'),
      (draft) => copyDatabaseFile(describeFile('text'), draft),
      {
        isReplacing: false,
      },
    );
    await expect(creation).rejects.toMatchObject({
      problem: 'damaged',
      message: expect.stringContaining(path('text')),
    });
  });

  it('replaces an existing file only with isReplacing', async () => {
    ledgerOf('one', 'new');
    ledgerOf('two', 'old').close();
    const createCopy = (isReplacing: boolean) =>
      createFileAsync(describeFile('two'), (draft) => copyDatabaseFile(describeFile('one'), draft), {
        isReplacing,
      });
    const read = () => {
      const ledger = openLedger(path('two'), { createTables: createRichTables });
      const content = texts(ledger);
      ledger.close();
      return content;
    };
    expect([await createCopy(false), read()]).toEqual([false, ['old']]);
    expect([await createCopy(true), read()]).toEqual([true, ['new']]);
  });
});

describe('replaceDatabaseContent', () => {
  const replace = (ledger: Database, name: string) =>
    replaceDatabaseContent(ledger, path(name), { keep: [], finish: () => {} });

  it('copies rows, indexes, triggers, views and the next ID', () => {
    const firstLedger = ledgerOf('one', 'a', 'another');
    const two = ledgerOf('two', 'b', 'c', 'd', 'e');
    firstLedger.run('INSERT INTO keys VALUES (?)', 'of one');
    two.run('DELETE FROM entries WHERE id = 4');
    const reference = ledgerOf('reference', 'b', 'c', 'd', 'e');
    reference.run('DELETE FROM entries WHERE id = 4');
    replace(firstLedger, 'two');
    const schemaOf = (ledger: Database) =>
      ledger.all(
        "SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY type, name",
      );
    expect(schemaOf(firstLedger)).toEqual(schemaOf(reference));
    expect(firstLedger.all('SELECT * FROM keys')).toEqual([]);
    expect(contentOf(firstLedger)).toEqual(contentOf(reference));
    expect(contentOf(firstLedger).damage).toEqual([]);
  });

  it('lets other connections read the new content and write', () => {
    const ledger = ledgerOf('one', 'a');
    ledgerOf('two', 'b');
    const otherConnection = openLedger(path('one'), { createTables: createRichTables });
    open.push(otherConnection);
    expect(contentOf(otherConnection).texts).toEqual(['a']);
    replace(ledger, 'two');
    expect(contentOf(otherConnection)).toMatchObject({ texts: ['b'], count: 1 });
    expect(texts(ledger)).toEqual(['b', 'next']);
  });

  it('keeps tables in `keep`, which `finish` can merge with those of the source', () => {
    const ledger = ledgerOf('one', 'a');
    const two = ledgerOf('two', 'b');
    ledger.run('INSERT INTO keys VALUES (?)', 'of one');
    two.run('INSERT INTO keys VALUES (?)', 'of two');
    replaceDatabaseContent(ledger, path('two'), {
      keep: ['keys'],
      finish: () => ledger.run(`INSERT OR IGNORE INTO keys SELECT * FROM ${sourceSchema}.keys`),
    });
    expect(ledger.all('SELECT name FROM keys').map(({ name }) => name)).toEqual(['of one', 'of two']);
    expect(texts(ledger)).toEqual(['b']);
  });

  it('changes nothing if `finish` fails or the source is not a database', () => {
    const ledger = ledgerOf('one', 'a');
    ledgerOf('two', 'b');
    const fail = () => {
      throw new Error('finish failed');
    };
    expect(() => replaceDatabaseContent(ledger, path('two'), { keep: [], finish: fail })).toThrow(
      'finish failed',
    );
    writeFileSync(path('text'), 'Some text, '.repeat(1000));
    expect(() => replace(ledger, 'text')).toThrow(expect.objectContaining({ problem: 'damaged' }));
    expect(contentOf(ledger)).toMatchObject({ texts: ['a'], damage: [] });
  });

  it('leaves the old or the new content if the process is killed', { timeout: 600_000 }, async () => {
    const entries = (word: string) => Array.from({ length: 300 }, (_, count) => `${word} ${count}`);
    ledgerOf('one', ...entries('first')).close();
    await copyDatabaseFile(describeFile('one'), path('target'));
    ledgerOf('two', ...entries('second')).close();
    const script = fileURLToPath(new URL('ledger-process.ts', import.meta.url));
    for (let round = 0; round < repetitions(4); round++) {
      const args = [script, path('target'), 'swap', path('one'), path('two')];
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
      onTestFinished(() => void child.kill('SIGKILL'));
      let swaps = 0;
      for await (const text of child.stdout.setEncoding('utf8')) {
        swaps += String(text).split('swapped').length - 1;
        if (swaps > round % 7) child.kill('SIGKILL');
      }
      if (child.signalCode === null) await once(child, 'exit');
      const target = openLedger(path('target'), { createTables: createRichTables });
      const content = texts(target);
      expect([entries('first'), entries('second')]).toContainEqual(content);
      expect(target.get('SELECT number FROM counts')).toEqual({ number: 300 });
      expect(target.checkIntegrity()).toEqual([]);
      target.close();
    }
    reportTried({ tried: `${repetitions(4)} kills` });
  });
});
