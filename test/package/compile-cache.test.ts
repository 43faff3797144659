/** The cache of compiled code. Its files are executed, so only the user may have access to it. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { randomNumbers } from '../harness/random-numbers.ts';
import { repetitions } from '../harness/repetitions.ts';
import { launcherFile } from '../harness/spawn-boh.ts';

const isRoot = process.geteuid?.() === 0;
const otherUser = 12_345;

let home: string;
let cache: string;
let compiled: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'boh-cache-'));
  cache = join(home, '.cache');
  compiled = join(cache, 'boh', 'compiled');
});
afterEach(() => rmSync(home, { recursive: true, force: true, maxRetries: 10 }));

function run(uid?: number): void {
  boh(['--help'], uid);
}

function boh(args: readonly string[], uid?: number, moreEnv: Record<string, string> = {}): void {
  const options = {
    env: { HOME: home, PATH: process.env.PATH, ...moreEnv },
    encoding: 'utf8',
    ...(uid && { uid }),
  } as const;
  const { status, stderr } = spawnSync(process.execPath, [launcherFile, ...args], options);
  expect([status, stderr]).toEqual([0, '']);
}

const namesIn = (build: string) => readdirSync(join(compiled, build));

const modeOf = (path: string) => (lstatSync(path).mode & 0o777).toString(8);

describe.skipIf(process.platform === 'win32')('compile cache (Windows has no such file modes)', () => {
  test('is created with access for its owner only, and used', () => {
    run();
    expect([modeOf(join(cache, 'boh')), modeOf(compiled)]).toEqual(['700', '700']);
    expect(readdirSync(compiled)).toHaveLength(1);
  });

  test('a damaged file of compiled code: is ignored, whichever bytes are changed', () => {
    run();
    const [build = ''] = readdirSync(compiled);
    const draw = randomNumbers(23);
    for (let round = 0; round < repetitions(12); round++) {
      for (const name of namesIn(build)) {
        const file = join(compiled, build, name);
        const bytes = readFileSync(file);
        const offset = Math.floor(draw() * bytes.length);
        // Changes three bytes, fills up to a page with zeros, or truncates the file.
        if (round % 3 === 0)
          for (let index = 0; index < 3; index++) bytes[offset + index] = Math.floor(draw() * 256);
        else if (round % 3 === 1) bytes.fill(0, offset, Math.min(offset + 4096, bytes.length));
        writeFileSync(file, round % 3 === 2 ? bytes.subarray(0, offset) : bytes);
      }
      // Exits with 0 and prints nothing; damaged entries are compiled and stored again.
      run();
      run();
    }
  });

  test('contains the functions that were run, and is extended when others run', () => {
    run();
    const [build = ''] = readdirSync(compiled);
    const firstNames = namesIn(build);
    expect(firstNames).toContain('main.cjs');
    for (const name of firstNames) utimesSync(join(compiled, build, name), 1, 1);
    boh(['--sandbox', 'customers', 'list', '-o', 'id']);
    expect(namesIn(build).length).toBeGreaterThan(firstNames.length);
    // More functions have run now.
    expect(lstatSync(join(compiled, build, 'main.cjs')).mtimeMs).toBeGreaterThan(1000);
  });

  test('is used after a command that sets memory options of V8', async () => {
    const server = spawn(process.execPath, ['scripts/bench/list-server.ts', '40000'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    onTestFinished(() => void server.kill());
    const [address] = await once(server.stdout, 'data');
    const list = ['customers', 'list', '-o', 'id'];
    const account = { BOH_TOKEN: 'a-token-of-a-test', BOH_BASE_URL: String(address).trim() };
    boh(list, undefined, account);
    const [build = ''] = readdirSync(compiled);
    const files = namesIn(build).map((name) => join(compiled, build, name));
    for (const file of files) utimesSync(file, 1, 1);
    boh(list, undefined, account);
    // Refused entries are created again.
    expect(files.some((file) => lstatSync(file).mtimeMs === 1000)).toBe(true);
  });

  test('an entry that V8 cannot read: is created again', () => {
    run();
    const [build = ''] = readdirSync(compiled);
    writeFileSync(join(compiled, build, 'main.cjs'), 'no code of V8');
    run();
    expect(lstatSync(join(compiled, build, 'main.cjs')).size).toBeGreaterThan(10_000);
  });

  test('files of builds not used for a month: are deleted with the next new build', () => {
    mkdirSync(join(compiled, 'old'), { recursive: true, mode: 0o700 });
    mkdirSync(join(compiled, 'fresh'));
    utimesSync(join(compiled, 'old'), 1, 1);
    run();
    expect(readdirSync(compiled)).toHaveLength(2);
    expect(readdirSync(compiled)).toContain('fresh');
  });

  test.each([
    ['', 0o777],
    ['boh', 0o777],
    ['boh/compiled', 0o777],
    ['boh/compiled', 0o1777],
  ])('a folder that others can write to: is not used: .cache/%s', (part, mode) => {
    mkdirSync(join(cache, part), { recursive: true });
    chmodSync(join(cache, part), mode);
    run();
    expect(existsSync(compiled) ? readdirSync(compiled) : []).toEqual([]);
  });

  test.each([
    ['HOME is empty', { HOME: '' }, 'nowhere'],
    ['XDG_CACHE_HOME is relative', { XDG_CACHE_HOME: 'cache' }, 'at home'],
  ])('is never in the working folder: %s', (_, env, where) => {
    const work = join(home, 'work');
    mkdirSync(work);
    const { status, stderr } = spawnSync(process.execPath, [launcherFile, '--help'], {
      env: { HOME: home, PATH: process.env.PATH, ...env },
      cwd: work,
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([0, '']);
    expect(readdirSync(work)).toEqual([]);
    expect(existsSync(compiled)).toBe(where === 'at home');
    expect(existsSync('/.cache/boh')).toBe(false);
  });

  test('a cache that others can write to: is neither used nor repaired', () => {
    mkdirSync(compiled, { recursive: true });
    chmodSync(compiled, 0o777);
    run();
    expect([modeOf(compiled), readdirSync(compiled)]).toEqual(['777', []]);
  });

  test.skipIf(!isRoot)(
    'files of another user: are not used by root, in any location (skipped unless run by root)',
    () => {
      for (const folder of [home, cache, compiled]) {
        mkdirSync(folder, { recursive: true });
        chownSync(folder, otherUser, otherUser);
        const before = readdirSync(folder);
        run();
        expect(readdirSync(folder)).toEqual(before);
        chownSync(folder, 0, 0);
        rmSync(cache, { recursive: true, force: true, maxRetries: 10 });
      }
    },
  );

  test.skipIf(!isRoot)(
    'a link to files of another user: is not followed by root (skipped unless run by root)',
    () => {
      const target = join(home, 'target');
      mkdirSync(target);
      chownSync(target, otherUser, otherUser);
      mkdirSync(join(cache, 'boh'), { recursive: true });
      symlinkSync(target, compiled);
      run();
      expect(readdirSync(target)).toEqual([]);
    },
  );
});
