/** Tests that files are created completely, maintained, and left unchanged if they can't be used. */

import { spawnSync } from 'node:child_process';
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Failure } from '../../src/base/errors.ts';
import { formatHint } from '../../src/base/hint.ts';
import { Database } from '../../src/base/storage/database.ts';
import { type DatabaseFormat, openFile } from '../../src/base/storage/open.ts';
import { ledgerFormat, openLedger, texts, write } from './ledger.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'boh-storage-'));
  file = join(folder, 'ledger.sqlite');
});
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));

function withLedger<T>(ledger: Database, work: (ledger: Database) => T): T {
  try {
    return work(ledger);
  } finally {
    ledger.close();
  }
}

const script = fileURLToPath(new URL('ledger-process.ts', import.meta.url));

describe('a file', () => {
  it('is created with its initial content and without other files', () => {
    withLedger(
      openFile(file, ledgerFormat(), (ledger) => write(ledger, 'first')),
      (ledger) => expect(texts(ledger)).toEqual(['first']),
    );
    expect(readdirSync(folder)).toEqual(['ledger.sqlite']);
    withLedger(openLedger(file), (ledger) => expect(texts(ledger)).toEqual(['first']));
  });

  it('is created with access only for its user, even if its path has special characters', () => {
    const specialPath = join(folder, 'a%41 ?mode=ro#é.sqlite');
    withLedger(openLedger(specialPath), (ledger) => write(ledger, 'first'));
    expect((statSync(specialPath).mode & 0o777).toString(8)).toBe(
      process.platform === 'win32' ? '666' : '600',
    );
    withLedger(openLedger(specialPath), (ledger) => expect(texts(ledger)).toEqual(['first']));
    expect(readdirSync(folder)).toEqual(['a%41 ?mode=ro#é.sqlite']);
  });

  it('is unreachable if its links are circular or its folder is a file', () => {
    symlinkSync(file, file);
    expect(() => openLedger(file)).toThrow(expect.objectContaining({ problem: 'unreachable' }));
    writeFileSync(join(folder, 'file'), '');
    const pathBelowFile = join(folder, 'file', 'ledger.sqlite');
    expect(() => openLedger(pathBelowFile)).toThrow(expect.objectContaining({ problem: 'unreachable' }));
  });

  it('is not created if writing its initial content fails', () => {
    const fail = () => {
      throw new Error('content failed');
    };
    expect(() => openFile(file, ledgerFormat(), fail)).toThrow('content failed');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is created without the drafts of killed processes', () => {
    // No process has an ID this high.
    const [old, recent] = [99_999_999, process.pid].map((pid) => `.ledger.sqlite.${pid}-0123abcd.part`);
    for (const name of [`${old}`, `${old}-wal`, `${recent}`]) writeFileSync(join(folder, name), 'a draft');
    openLedger(file).close();
    expect(readdirSync(folder).sort()).toEqual([recent, 'ledger.sqlite']);
  });

  it('can be in memory', () => {
    withLedger(openLedger(':memory:'), (ledger) => {
      write(ledger, 'temporary');
      expect(texts(ledger)).toEqual(['temporary']);
    });
  });

  it('has the functions of its format', () => {
    withLedger(openLedger(file), (ledger) =>
      expect(ledger.get("SELECT shout('hear') AS result")).toEqual({ result: 'HEAR' }),
    );
  });

  it('uses synchronous=FULL for the durability `power`', () => {
    const synchronous = (durability: DatabaseFormat['durability']) =>
      withLedger(openLedger(file, { durability }), (ledger) => ledger.get('PRAGMA synchronous'));
    expect([synchronous('process'), synchronous('power')]).toEqual([{ synchronous: 1 }, { synchronous: 2 }]);
  });
});

describe('upkeep', () => {
  it('is checked whenever the file is opened, and runs only if needed', () => {
    openLedger(file).close();
    let expectedText = 'one';
    const upkeepRuns: string[] = [];
    const upkeep = {
      isDone: (ledger: Database) => texts(ledger).at(-1) === expectedText,
      run: (ledger: Database) => {
        upkeepRuns.push(expectedText);
        write(ledger, expectedText);
      },
    };
    for (const text of ['one', 'one', 'two']) {
      expectedText = text;
      openLedger(file, { upkeep }).close();
    }
    expect(upkeepRuns).toEqual(['one', 'two']);
  });

  it('that fails leaves the content unchanged', () => {
    withLedger(openLedger(file), (ledger) => write(ledger, 'before'));
    const upkeep = {
      isDone: () => false,
      run: (ledger: Database) => {
        ledger.run('DELETE FROM entries');
        throw new Error('upkeep failed');
      },
    };
    expect(() => openLedger(file, { upkeep })).toThrow('upkeep failed');
    withLedger(openLedger(file), (ledger) => expect(texts(ledger)).toEqual(['before']));
  });

  it('runs once if several processes open the file at the same time', () => {
    openLedger(file).close();
    const names = ['a', 'b', 'c', 'd'];
    const command = names.map((name) => `"${process.execPath}" "${script}" "${file}" maintain ${name} 5 &`);
    const { status, stderr } = spawnSync('sh', ['-c', `${command.join(' ')} wait`]);
    expect([status, String(stderr)]).toEqual([0, '']);
    withLedger(openLedger(file), (ledger) => {
      expect(texts(ledger).sort()).toEqual(
        [
          'maintained',
          ...names.flatMap((name) => Array.from({ length: 5 }, (_, count) => `${name} ${count}`)),
        ].sort(),
      );
      expect(ledger.checkIntegrity()).toEqual([]);
    });
  });
});

describe('a file that cannot be used', () => {
  const overwriteBytes = (offset: number) => {
    const descriptor = openSync(file, 'r+');
    writeSync(descriptor, 'overwritten '.repeat(100), offset);
    closeSync(descriptor);
  };
  const overwriteByte = (offset: number, value: number) => {
    const descriptor = openSync(file, 'r+');
    writeSync(descriptor, Buffer.from([value]), 0, 1, offset);
    closeSync(descriptor);
  };
  const setPragma = (setting: string) =>
    withLedger(openLedger(file), (ledger) => ledger.script(`PRAGMA ${setting}`));
  const cases: [string, string, () => void][] = [
    ['truncated', 'damaged', () => truncateSync(file, 5000)],
    ['truncated in its header', 'damaged', () => truncateSync(file, 60)],
    ['overwritten', 'damaged', () => overwriteBytes(100)],
    ['text', 'damaged', () => writeFileSync(file, 'Some text, '.repeat(1000))],
    ['without a version', 'version', () => setPragma('user_version = 0')],
    ['of another encoding in its header', 'damaged', () => overwriteByte(59, 2)],
    ['of another schema format in its header', 'damaged', () => overwriteByte(47, 17)],
    ['empty', 'foreign', () => truncateSync(file, 0)],
    ["another program's", 'foreign', () => setPragma('application_id = 7')],
    ['of another version', 'version', () => setPragma('user_version = 2')],
  ];
  it.each(cases)('because it is %s: is reported as %s and is left unchanged', (_, problem, damageFile) => {
    withLedger(openLedger(file), (ledger) => {
      for (let count = 0; count < 500; count++) write(ledger, `entry ${count}`);
    });
    damageFile();
    const before = readFileSync(file);
    let failure: unknown;
    try {
      withLedger(openLedger(file), texts);
    } catch (error) {
      failure = error;
    }
    expect(failure).toMatchObject({
      category: 'unavailable',
      problem,
      message: expect.stringMatching(`^The ledger ${file} `),
    });
    expect(formatHint((failure as Failure).details.hint ?? '')).toContain('Create a new one.');
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(readdirSync(folder).filter((name) => !/-(wal|shm)$/.test(name))).toEqual(['ledger.sqlite']);
  });

  it('because an unread part is damaged: is detected by checkIntegrity', () => {
    withLedger(openLedger(file), (ledger) => {
      for (let count = 0; count < 5000; count++) write(ledger, `entry ${count}`);
      expect(ledger.checkIntegrity()).toEqual([]);
    });
    overwriteBytes(10 * 4096);
    withLedger(openLedger(file), (ledger) => expect(ledger.checkIntegrity()).not.toEqual([]));
  });

  it('because its folder is a file: is unreachable', () => {
    writeFileSync(join(folder, 'inside'), 'a file');
    expect(() => openLedger(join(folder, 'inside', 'ledger.sqlite'))).toThrow(
      expect.objectContaining({ problem: 'unreachable' }),
    );
  });

  it('because it was just deleted: is not created again', () => {
    expect(() => new Database({ ...ledgerFormat(), file })).toThrow(
      expect.objectContaining({ problem: 'unreachable' }),
    );
    expect(existsSync(file)).toBe(false);
  });
});

describe('the log of a deleted database', () => {
  it('is moved aside, and the new database is intact', () => {
    openLedger(file).close();
    spawnSync(process.execPath, [script, file, 'die']);
    expect(existsSync(`${file}-wal`)).toBe(true);
    const logBytes = readFileSync(`${file}-wal`);
    rmSync(file);
    withLedger(openLedger(file), (ledger) => {
      expect(texts(ledger)).toEqual([]);
      write(ledger, 'new');
      expect(ledger.checkIntegrity()).toEqual([]);
    });
    withLedger(openLedger(file), (ledger) => expect(texts(ledger)).toEqual(['new']));
    const movedLog = readdirSync(folder).find((name) => name.endsWith('.aside-wal'));
    expect(readFileSync(join(folder, String(movedLog))).equals(logBytes)).toBe(true);
  });

  it('is used if it was copied with its database', () => {
    openLedger(file).close();
    spawnSync(process.execPath, [script, file, 'die']);
    const copy = join(folder, 'copy.sqlite');
    copyFileSync(file, copy);
    copyFileSync(`${file}-wal`, `${copy}-wal`);
    for (const path of [file, copy]) {
      withLedger(openLedger(path), (ledger) => expect(texts(ledger)).toEqual(['last entry']));
    }
  });
});
