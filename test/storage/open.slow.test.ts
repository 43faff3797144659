/** Files of boh: created completely, upgraded step by step, and left unchanged if they can't be used. */

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
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Failure } from '../../src/base/errors.ts';
import { formatHint } from '../../src/base/hint.ts';
import { checkIntegrity } from '../../src/storage/check.ts';
import { Database } from '../../src/storage/database.ts';
import { type DatabaseFormat, openFile } from '../../src/storage/open.ts';
import { form, openLedger, steps, texts, write } from './ledger.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'boh-storage-'));
  file = join(folder, 'ledger.sqlite');
});
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));

function using<T>(ledger: Database, work: (ledger: Database) => T): T {
  try {
    return work(ledger);
  } finally {
    ledger.close();
  }
}

const script = fileURLToPath(new URL('ledger-process.ts', import.meta.url));

/** Makes the file as the first version of boh did. */
function makeOld(...entries: string[]): void {
  using(openLedger(file, { steps: steps.slice(0, 1) }), (ledger) => {
    for (const text of entries) write(ledger, text);
  });
}

describe('a file', () => {
  it('is created with its initial content when it is first opened, and leaves no other files', () => {
    using(
      openFile(file, form(), (ledger) => write(ledger, 'first')),
      (ledger) => expect(texts(ledger)).toEqual(['first']),
    );
    expect(readdirSync(folder)).toEqual(['ledger.sqlite']);
    using(openLedger(file), (ledger) => expect(texts(ledger)).toEqual(['first']));
  });

  it('is private to its user from the start, also if its path has special characters', () => {
    const odd = join(folder, 'a%41 ?mode=ro#é.sqlite');
    using(openLedger(odd), (ledger) => write(ledger, 'first'));
    expect((statSync(odd).mode & 0o777).toString(8)).toBe(process.platform === 'win32' ? '666' : '600');
    using(openLedger(odd), (ledger) => expect(texts(ledger)).toEqual(['first']));
    expect(readdirSync(folder)).toEqual(['a%41 ?mode=ro#é.sqlite']);
  });

  it('is unreachable if its links are circular or its folder is a file', () => {
    symlinkSync(file, file);
    expect(() => openLedger(file)).toThrow(expect.objectContaining({ problem: 'unreachable' }));
    writeFileSync(join(folder, 'plain'), '');
    const below = join(folder, 'plain', 'ledger.sqlite');
    expect(() => openLedger(below)).toThrow(expect.objectContaining({ problem: 'unreachable' }));
  });

  it('is not created if its initial content fails', () => {
    const fail = () => {
      throw new Error('no beginning');
    };
    expect(() => openFile(file, form(), fail)).toThrow('no beginning');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('deletes old drafts of killed processes, not recent ones', () => {
    const [old, recent] = ['.ledger.sqlite.000000000001', '.ledger.sqlite.000000000002'];
    for (const name of [old, `${old}-wal`, recent]) writeFileSync(join(folder, name), 'a draft');
    const longAgo = new Date(Date.now() - 2 * 3_600_000);
    for (const name of [old, `${old}-wal`]) utimesSync(join(folder, name), longAgo, longAgo);
    openLedger(file).close();
    expect(readdirSync(folder).sort()).toEqual([recent, 'ledger.sqlite']);
  });

  it('can be in memory only', () => {
    using(openLedger(':memory:'), (ledger) => {
      write(ledger, 'temporary');
      expect(texts(ledger)).toEqual(['temporary']);
    });
  });

  it('has the functions that the form declares', () => {
    using(openLedger(file), (ledger) =>
      expect(ledger.get("SELECT shout('hear') AS said")).toEqual({ said: 'HEAR' }),
    );
  });

  it('syncs each write to the disk if it must survive a power failure', () => {
    const synchronous = (durability: DatabaseFormat['durability']) =>
      using(openLedger(file, { durability }), (ledger) => ledger.get('PRAGMA synchronous'));
    expect([synchronous('process'), synchronous('power')]).toEqual([{ synchronous: 1 }, { synchronous: 2 }]);
  });
});

describe('a file of an older version', () => {
  it('runs the missing steps once and keeps its content', () => {
    makeOld('kept');
    const taken: number[] = [];
    const counting = steps.map((step, index) => (ledger: Database) => {
      taken.push(index);
      step(ledger);
    });
    for (let count = 0; count < 2; count++) {
      using(openLedger(file, { steps: counting }), (ledger) =>
        expect(ledger.all('SELECT text, note FROM entries')).toEqual([{ text: 'kept', note: null }]),
      );
    }
    expect(taken).toEqual([1]);
  });

  it('stays at its version if a step fails', () => {
    makeOld('kept');
    const failing: DatabaseFormat['steps'] = [
      ...steps,
      (ledger) => {
        ledger.run('DELETE FROM entries');
        throw new Error('half way');
      },
    ];
    expect(() => openLedger(file, { steps: failing })).toThrow('half way');
    using(openLedger(file, { steps: steps.slice(0, 1) }), (ledger) =>
      expect(texts(ledger)).toEqual(['kept']),
    );
  });

  it('checks its upkeep at each opening, and writes only if it is due', () => {
    makeOld();
    let wanted = 'one';
    const done: string[] = [];
    const upkeep = {
      isDone: (ledger: Database) => texts(ledger).at(-1) === wanted,
      run: (ledger: Database) => {
        done.push(wanted);
        write(ledger, wanted);
      },
    };
    for (const next of ['one', 'one', 'two']) {
      wanted = next;
      openLedger(file, { upkeep }).close();
    }
    expect(done).toEqual(['one', 'two']);
  });

  it('is upgraded once by processes that open it at the same time', () => {
    makeOld('kept');
    const names = ['a', 'b', 'c', 'd'];
    const command = names.map((name) => `"${process.execPath}" "${script}" "${file}" write ${name} 5 &`);
    const { status, stderr } = spawnSync('sh', ['-c', `${command.join(' ')} wait`]);
    expect([status, String(stderr)]).toEqual([0, '']);
    using(openLedger(file), (ledger) => {
      expect(texts(ledger).sort()).toEqual(
        [
          'kept',
          ...names.flatMap((name) => Array.from({ length: 5 }, (_, count) => `${name} ${count}`)),
        ].sort(),
      );
      expect(checkIntegrity(ledger)).toEqual([]);
    });
  });
});

describe('a file that cannot be used', () => {
  const scribble = (at: number) => {
    const descriptor = openSync(file, 'r+');
    writeSync(descriptor, 'not what was here '.repeat(100), at);
    closeSync(descriptor);
  };
  const byte = (at: number, value: number) => {
    const descriptor = openSync(file, 'r+');
    writeSync(descriptor, Buffer.from([value]), 0, 1, at);
    closeSync(descriptor);
  };
  const pragma = (setting: string) => using(openLedger(file), (ledger) => ledger.script(`PRAGMA ${setting}`));
  const cases: [string, string, () => void][] = [
    ['cut short', 'damaged', () => truncateSync(file, 5000)],
    ['nothing but its beginning', 'damaged', () => truncateSync(file, 60)],
    ['scribbled on', 'damaged', () => scribble(100)],
    ['a letter', 'damaged', () => writeFileSync(file, 'Dear aunt, '.repeat(1000))],
    ['not of the version that it says', 'damaged', () => pragma('user_version = 0')],
    ['said to be in another encoding', 'damaged', () => byte(59, 2)],
    ['said to be of another format', 'damaged', () => byte(47, 17)],
    ['empty', 'foreign', () => truncateSync(file, 0)],
    ["another program's", 'foreign', () => pragma('application_id = 7')],
    ['of a newer version', 'newer', () => pragma('user_version = 3')],
  ];
  it.each(cases)(
    'because it is %s: is reported as %s and stays byte for byte the same',
    (_, problem, damage) => {
      using(openLedger(file), (ledger) => {
        for (let count = 0; count < 500; count++) write(ledger, `entry ${count}`);
      });
      damage();
      const before = readFileSync(file);
      let caught: unknown;
      try {
        using(openLedger(file), texts);
      } catch (error) {
        caught = error;
      }
      expect(caught).toMatchObject({
        category: 'unavailable',
        problem,
        message: expect.stringMatching(`^The ledger ${file} `),
      });
      expect(formatHint((caught as Failure).details.hint ?? '')).toContain('Begin a new one.');
      expect(readFileSync(file).equals(before)).toBe(true);
      expect(readdirSync(folder).filter((name) => !/-(wal|shm)$/.test(name))).toEqual(['ledger.sqlite']);
    },
  );

  it('because of damage in a part not read yet: is found by a check of the whole file', () => {
    using(openLedger(file), (ledger) => {
      for (let count = 0; count < 5000; count++) write(ledger, `entry ${count}`);
      expect(checkIntegrity(ledger)).toEqual([]);
    });
    scribble(10 * 4096);
    using(openLedger(file), (ledger) => expect(checkIntegrity(ledger)).not.toEqual([]));
  });

  it('because its folder is a file: is unreachable', () => {
    writeFileSync(join(folder, 'inside'), 'a file');
    expect(() => openLedger(join(folder, 'inside', 'ledger.sqlite'))).toThrow(
      expect.objectContaining({ problem: 'unreachable' }),
    );
  });

  it('because it was just deleted: is not created again', () => {
    expect(() => new Database({ ...form(), file })).toThrow(
      expect.objectContaining({ problem: 'unreachable' }),
    );
    expect(existsSync(file)).toBe(false);
  });
});

describe('a log that is left when its database is deleted', () => {
  it('is set aside, and the next database is intact', () => {
    openLedger(file).close();
    spawnSync(process.execPath, [script, file, 'die']);
    expect(existsSync(`${file}-wal`)).toBe(true);
    const log = readFileSync(`${file}-wal`);
    rmSync(file);
    using(openLedger(file), (ledger) => {
      expect(texts(ledger)).toEqual([]);
      write(ledger, 'new');
      expect(checkIntegrity(ledger)).toEqual([]);
    });
    using(openLedger(file), (ledger) => expect(texts(ledger)).toEqual(['new']));
    const aside = readdirSync(folder).find((name) => name.endsWith('.aside-wal'));
    expect(readFileSync(join(folder, String(aside))).equals(log)).toBe(true);
  });

  it('belongs to the database beside it', () => {
    openLedger(file).close();
    spawnSync(process.execPath, [script, file, 'die']);
    const copy = join(folder, 'copy.sqlite');
    copyFileSync(file, copy);
    copyFileSync(`${file}-wal`, `${copy}-wal`);
    for (const path of [file, copy]) {
      using(openLedger(path), (ledger) => expect(texts(ledger)).toEqual(['last words']));
    }
  });
});
