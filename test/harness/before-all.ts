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
import { addedSince, entriesOutside, outside } from './leftovers.ts';

/** Returns a function that runs after all tests. */
export default function beforeAll(): () => void {
  if (isStale()) build();
  const places = outside(process.cwd());
  const before = entriesOutside(places);
  // Settings of the user of this machine must not affect the tests.
  for (const name of Object.keys(process.env)) {
    if (/^BOH_(?!TESTED$)|^(NO|FORCE)_COLOR$|^(https?|no)_proxy$|^XDG_/i.test(name)) delete process.env[name];
  }
  // Folders for everything that tests write without naming a folder.
  const temporary = temporaryFolder();
  process.env.TMPDIR = temporary;
  process.env.XDG_DATA_HOME = join(temporary, 'data');
  // Also for the files of other programs in the home folder, such as npm logs and browser profiles.
  process.env.HOME = join(temporary, 'home');
  for (const folder of [process.env.XDG_DATA_HOME, process.env.HOME]) mkdirSync(folder);
  // Caches the compiled sources that tests start.
  process.env.NODE_COMPILE_CACHE = join(temporary, 'node-compiled');
  return () => {
    const left = [...addedSince(before, entriesOutside(places)), ...leftIn(temporary)];
    rmSync(temporary, { recursive: true, force: true, maxRetries: 10 });
    endWithin(120_000);
    if (left.length > 0) throw new Error(`The tests have left behind:\n  ${left.join('\n  ')}`);
  };
}

/**
 * Files that may remain in the temporary folder of all tests: shared files, scratch files of processes that are about to
 * end, unlocked lock files, and what completion stores after it has answered.
 */
const mayBeLeft = [
  /^(data|home|node-compiled|compiled)$/,
  /^(demo|empty)(-business)?\.sqlite$/,
  /^boh-\w+-\d+-\w+$/,
  /^boh-mirror-\d+-\w+-hold$/,
  /^boh-completion-\w+$/,
];

/** Returns the paths of other files in the temporary folder, which the tests that made them should have deleted. */
function leftIn(temporary: string): string[] {
  return readdirSync(temporary)
    .filter((name) => !mayBeLeft.some((pattern) => pattern.test(name)))
    .map((name) => join(temporary, name));
}

/** Returns a folder in memory if there is room: syncing to a disk takes half of the time of many tests. */
function temporaryFolder(): string {
  const memory = '/dev/shm';
  const folder = mkdtempSync(join(freeBytes(memory) > 4e9 ? memory : tmpdir(), 'boh-'));
  // A database may run as another user, who needs access to its folder in here.
  chmodSync(folder, 0o711);
  return folder;
}

/** Returns 0 if the free space is unknown or the folder is not writable. */
function freeBytes(folder: string): number {
  try {
    accessSync(folder, constants.W_OK);
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return 0;
  }
}

/** Ends this process: one that a failed test left may keep the pipes of its worker open, for which Vitest waits forever. */
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

/** Builds the program. If that fails, its tests fail too instead of testing an old build; other tests can run. */
function build(): void {
  const { status } = spawnSync(process.execPath, ['scripts/build.ts'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) rmSync('dist', { recursive: true, force: true, maxRetries: 10 });
}
