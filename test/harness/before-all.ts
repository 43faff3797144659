/** Runs once before all tests: builds the program where it is older than its sources, and clears the environment. */
import { spawnSync } from 'node:child_process';
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addedSince, entriesOutside, outside } from './left-behind.ts';

/** Returns what is to be done after all tests. */
export default function beforeAll(): () => void {
  if (isStale()) build();
  const places = outside(process.cwd());
  const before = entriesOutside(places);
  // What the person at this machine has set is no part of the tests.
  for (const name of Object.keys(process.env)) {
    if (/^BOH_(?!TESTED$)|^(NO|FORCE)_COLOR$|^(https?|no)_proxy$|^XDG_/i.test(name)) delete process.env[name];
  }
  // All that tests write, and what a test’s own process keeps of its writes, where it names no folder, for this person.
  const temporary = temporaryFolder();
  process.env.TMPDIR = temporary;
  process.env.XDG_DATA_HOME = join(temporary, 'data');
  // Also what other programs keep at home: npm its logs, a browser its profile.
  process.env.HOME = join(temporary, 'home');
  for (const folder of [process.env.XDG_DATA_HOME, process.env.HOME]) mkdirSync(folder);
  // What a test starts of our sources is read and compiled once.
  process.env.NODE_COMPILE_CACHE = join(temporary, 'node-compiled');
  return () => {
    const left = [...addedSince(before, entriesOutside(places)), ...leftIn(temporary)];
    rmSync(temporary, { recursive: true, force: true, maxRetries: 10 });
    endWithin(120_000);
    if (left.length > 0) throw new Error(`The tests have left behind:\n  ${left.join('\n  ')}`);
  };
}

/**
 * What may be left in the folder that goes with all tests: what they share; the scratch of processes that are about to
 * end; locks that hold nothing any more; and what completion fetches once it has given its answer.
 */
const mayBeLeft = [
  /^(data|home|node-compiled|compiled)$/,
  /^(demo|empty)(-business)?\.sqlite$/,
  /^boh-\w+-\d+-\w+$/,
  /^boh-mirror-\d+-\w+-hold$/,
  /^boh-completion-\w+$/,
];

/** Returns the paths of what single tests have left in the temporary folder, each of which removes its own. */
function leftIn(temporary: string): string[] {
  return readdirSync(temporary)
    .filter((name) => !mayBeLeft.some((pattern) => pattern.test(name)))
    .map((name) => join(temporary, name));
}

/** In memory where there is plenty: what a disk takes to have it for sure is half of the time of many a test. */
function temporaryFolder(): string {
  const memory = '/dev/shm';
  const folder = mkdtempSync(join(freeBytes(memory) > 4e9 ? memory : tmpdir(), 'boh-'));
  // A database of a test may run as another user, who has to get to its folder in here.
  chmodSync(folder, 0o711);
  return folder;
}

/** 0 if it is unknown or not writable. */
function freeBytes(folder: string): number {
  try {
    accessSync(folder, constants.W_OK);
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return 0;
  }
}

/** A process that a failed test left behind may hold the pipes of its worker, for whose end Vitest waits for ever. */
function endWithin(ms: number): void {
  setTimeout(() => {
    console.error('A test left a process behind, which kept the tests from ending.');
    process.exit(1);
  }, ms).unref();
}

function isStale(): boolean {
  if (!existsSync('dist/main.cjs')) return true;
  const built = statSync('dist/main.cjs').mtimeMs;
  const sources = ['package.json', ...globSync(['src/**/*.ts', 'scripts/build.ts', 'scripts/release/*'])];
  return sources.some((file) => statSync(file).mtimeMs > built);
}

/** Where it fails, the tests of the built program fail with it rather than test an old one; the others can run. */
function build(): void {
  const { status } = spawnSync(process.execPath, ['scripts/build.ts'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) rmSync('dist', { recursive: true, force: true, maxRetries: 10 });
}
