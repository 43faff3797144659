/** Uses paths that cannot be read or written: the error is reported before anything is sent, and no file is lost. */
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { runBoh } from '../harness/run-boh.ts';
import { quotedProgram, spawnBoh } from '../harness/spawn-boh.ts';
import { waitForTurns } from '../harness/wait-until.ts';
import { temporaryFolders } from '../settings/temporary-folder.ts';

const newFolder = temporaryFolders();

interface TestFolder {
  pathOf(name: string): string;
  boh(...line: string[]): ReturnType<typeof spawnBoh>;
}

function newTestFolder(): TestFolder {
  const folder = newFolder();
  const env = { BOH_CONFIG_DIR: join(folder, 'config') };
  return {
    pathOf: (name) => join(folder, name),
    boh: (...line) => spawnBoh(['--sandbox', ...line], { env }),
  };
}

/** Writes a CSV file with one valid and one invalid row, and returns its path. */
function writeRows({ pathOf }: TestFolder): string {
  writeFileSync(pathOf('rows.csv'), 'name,dial_code,phone\nNew Guest,966,512345678\nOther,abc,5\n');
  return pathOf('rows.csv');
}

describe('import --failed', () => {
  test('a path that is not a regular file: is refused before anything is sent, and left unchanged', async () => {
    const folder = newTestFolder();
    const rows = writeRows(folder);
    execFileSync('mkfifo', [folder.pathOf('pipe')]);
    mkdirSync(folder.pathOf('folder'));
    for (const name of ['pipe', 'folder', 'missing/file']) {
      const line = [
        'customers',
        'import',
        rows,
        '--mode',
        'create',
        '--yes',
        '--failed',
        folder.pathOf(name),
      ];
      const result = await folder.boh(...line);
      expect([2, 8], result.stderr).toContain(result.exitCode);
      expect(result.stdout).toBe('');
    }
    expect(lstatSync(folder.pathOf('pipe')).isFIFO()).toBe(true);
    expect((await folder.boh('customers', 'list', '--phone', '512345678', '-o', 'id')).stdout).toBe('');
  });

  test('a link: is followed, and stays a link', async () => {
    const folder = newTestFolder();
    writeFileSync(folder.pathOf('target.csv'), 'before');
    symlinkSync(folder.pathOf('target.csv'), folder.pathOf('link.csv'));
    const line = ['--mode', 'create', '--yes', '--skip-invalid', '--failed', folder.pathOf('link.csv')];
    await folder.boh('customers', 'import', writeRows(folder), ...line);
    expect(lstatSync(folder.pathOf('link.csv')).isSymbolicLink()).toBe(true);
    expect(readFileSync(folder.pathOf('target.csv'), 'utf8')).toContain('Other,abc');
  });
});

describe('a path that cannot be read', () => {
  test.each([
    ['an endless device', ['customers', 'import', '/dev/zero', '--mode', 'create'], 'it is not a file'],
    [
      'a path through a file',
      ['customers', 'import', '/etc/passwd/x.csv'],
      'part of its path is not a folder',
    ],
    ['a long name', ['customers', 'import', 'a'.repeat(300)], 'the name is too long'],
    ['an empty name', ['customers', 'import', '', '--mode', 'create'], 'The name of the file is empty.'],
    ['an empty --to', ['customers', 'export', '--to', ''], '--to needs a file name, but it is empty.'],
    ['an empty --ledger', ['customers', 'import', 'x.csv', '--ledger='], '--ledger needs a file name'],
    [
      'a folder as a watermark',
      ['customers', 'export', '--to', 'x.csv', '--since', '.'],
      "Can't read .: it is a folder",
    ],
    [
      'a body at a path through a file',
      ['customers', 'create', '--data', '@/etc/passwd/x'],
      'part of its path is not a folder',
    ],
    [
      'a manifest at a path through a file',
      ['plan', '/etc/passwd/x.yaml'],
      'part of its path is not a folder',
    ],
  ])('%s: the error names the cause', async (_, line, message) => {
    const result = await newTestFolder().boh(...line);
    expect([result.exitCode, result.stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});

test('import of a file that changes while it is read: is refused and sends nothing', async () => {
  const { pathOf } = newTestFolder();
  // The import runs in this process, so that the test can write whenever the reading pauses.
  const boh = (...line: string[]) =>
    runBoh(['--sandbox', ...line], { env: { BOH_CONFIG_DIR: pathOf('config') } });
  const rows = Array.from({ length: 20_000 }, (_, row) => `Growing ${row},88${row}`);
  writeFileSync(pathOf('rows.csv'), `name,phone\n${rows.join('\n')}\n`);
  let isFinished = false;
  const appending = (async () => {
    for (let count = 0; !isFinished; count++) {
      appendFileSync(pathOf('rows.csv'), `More ${count},99${count}\n`);
      await waitForTurns(1);
    }
  })();
  const result = await boh('customers', 'import', pathOf('rows.csv'), '--mode', 'create', '--yes');
  isFinished = true;
  await appending;
  expect([result.exitCode, result.stdout]).toEqual([2, '']);
  expect(result.stderr).toContain('rows.csv changed while it was read; nothing was sent.');
  expect((await boh('customers', 'list', '--name', 'Growing', '-o', 'id')).stdout).toBe('');
});

test('export to a link whose target does not exist: creates the target, and the link stays', async () => {
  const folder = newTestFolder();
  mkdirSync(folder.pathOf('exports'));
  symlinkSync('exports/today.csv', folder.pathOf('link.csv'));
  symlinkSync(folder.pathOf('link.csv'), folder.pathOf('other.csv'));
  const result = await folder.boh('tags', 'export', '--to', folder.pathOf('other.csv'));
  expect(result.exitCode).toBe(0);
  for (const name of ['link.csv', 'other.csv'])
    expect(lstatSync(folder.pathOf(name)).isSymbolicLink()).toBe(true);
  expect(readFileSync(folder.pathOf('exports/today.csv'), 'utf8')).toContain('name,');
});

test('apply --outputs with a path that is not a regular file: is refused before anything is sent', async () => {
  const folder = newTestFolder();
  writeFileSync(folder.pathOf('tags.yaml'), 'tags:\n  - name: Fresh\n    type: customer\n');
  mkdirSync(folder.pathOf('folder'));
  for (const name of ['folder', 'missing/ids.json']) {
    const result = await folder.boh(
      'apply',
      folder.pathOf('tags.yaml'),
      '--yes',
      '--outputs',
      folder.pathOf(name),
    );
    expect([2, 8], result.stderr).toContain(result.exitCode);
    expect((await folder.boh('tags', 'list', '--name', 'Fresh', '-o', 'id')).stdout).toBe('');
  }
});

test('mirror sync --every 25d: is refused, because the timer would overflow and never pause', async () => {
  const result = await newTestFolder().boh('mirror', 'sync', '--every', '25d');
  expect(result).toMatchObject({ exitCode: 2, stdout: '' });
  expect(result.stderr).toContain('24d at most');
});

describe('home and XDG folders', () => {
  const runIn = (folder: string, env: Record<string, string>, line: string) => {
    const run = `cd '${folder}' && ${quotedProgram} ${line} 2>&1; echo "ended with $?"`;
    return execFileSync('sh', ['-c', run], { env: { PATH: process.env.PATH, ...env }, encoding: 'utf8' });
  };

  test('relative XDG folders: are ignored, and nothing is written to the working folder', () => {
    const { pathOf } = newTestFolder();
    mkdirSync(pathOf('work'));
    mkdirSync(pathOf('home'));
    const names = ['XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_CACHE_HOME', 'XDG_STATE_HOME'];
    const env = { ...Object.fromEntries(names.map((name) => [name, 'mine'])), HOME: pathOf('home') };
    const output = runIn(pathOf('work'), env, 'profiles add shop --base-url https://shop.example.com');
    expect(output).toContain('ended with 0');
    expect(runIn(pathOf('work'), env, '--sandbox tags list -o id')).toContain('ended with 0');
    expect(runIn(pathOf('work'), env, '--sandbox tags update tag-1 --name Other')).toContain('ended with 0');
    expect(readdirSync(pathOf('work'))).toEqual([]);
    expect(existsSync(join(pathOf('home'), '.config/boh/config.json'))).toBe(true);
    expect(readdirSync(join(pathOf('home'), '.local/share/boh')).sort()).toEqual(['accounts', 'sandboxes']);
  });

  test.each(['', 'mine'])('HOME=“%s”: the home folder of the system is used', (home) => {
    const { pathOf } = newTestFolder();
    mkdirSync(pathOf('work'));
    // The cache of compiled code would be stored in that home folder.
    const env = { HOME: home, NODE_DISABLE_COMPILE_CACHE: '1' };
    const output = runIn(pathOf('work'), env, 'doctor');
    expect(output).toContain('Configuration');
    expect(output).not.toMatch(/(^|[^/\w])(mine\/)?\.config/m);
    expect(readdirSync(pathOf('work'))).toEqual([]);
  });
});

describe('a settings folder that cannot be created', () => {
  test.runIf(existsSync('/proc/self'))('in /proc: fails, although Node would retry endlessly', async () => {
    for (const line of ['tags create --name x --type customer', 'suppliers list', 'customers list']) {
      const result = await spawnBoh(['--sandbox', ...line.split(' ')], {
        env: { BOH_CONFIG_DIR: '/proc/boh/config', HOME: '/proc/boh' },
      });
      expect(result.exitCode, result.stderr).toBe(8);
    }
  });

  test('below a file: fails without a bug report', async () => {
    const { pathOf } = newTestFolder();
    writeFileSync(pathOf('file'), '');
    const result = await spawnBoh(['suppliers', 'list'], { env: { HOME: pathOf('file') } });
    expect([2, 3, 8], result.stderr).toContain(result.exitCode);
    expect(result.stderr).not.toContain('bug');
  });
});

test('a working folder that was deleted: is reported, and not as a bug', () => {
  const { pathOf } = newTestFolder();
  const line = `mkdir '${pathOf('deleted')}' && cd '${pathOf('deleted')}' && rmdir '${pathOf('deleted')}' && `;
  const run = `${quotedProgram} --sandbox tags export --to x.csv 2>&1; echo "ended with $?"`;
  const env = { PATH: process.env.PATH, HOME: pathOf('home'), BOH_CONFIG_DIR: pathOf('config') };
  const output = execFileSync('sh', ['-c', line + run], { env, encoding: 'utf8' });
  expect(output).toContain('ended with 2');
  expect(output).toContain('current folder no longer exists');
});

describe('a path that is not a ledger', () => {
  test.each(['show', 'resume'])(
    'runs %s: reports that it is not a ledger, and does not call it damaged',
    async (verb) => {
      const { pathOf, boh } = newTestFolder();
      writeFileSync(pathOf('prices.csv'), 'sku,cost\nSKU-001,1\n'.repeat(200));
      const otherDatabase = new DatabaseSync(pathOf('other.sqlite'));
      otherDatabase.exec('CREATE TABLE t (a)');
      otherDatabase.close();
      mkdirSync(pathOf('folder'));
      for (const name of ['prices.csv', 'other.sqlite', 'folder']) {
        const result = await boh('runs', verb, pathOf(name));
        expect([result.exitCode, result.stderr]).toEqual([
          2,
          expect.stringContaining(`${name} isn't the ledger of a run.`),
        ]);
      }
      expect((await boh('runs', verb, '')).stderr).toContain('Missing the ID of the run.');
    },
  );
});
