/** Runs once before all tests: builds the program if it is older than its sources, and clears the environment. */
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
import { addedSince, entriesOutside, pathsOutside } from './leftovers.ts';

/** Returns a function that runs after all tests. */
export default function beforeAll(): () => void {
  if (isStale()) build();
  const watchedPaths = pathsOutside(process.cwd());
  const entriesBefore = entriesOutside(watchedPaths);
  // Settings of the user of this machine must not affect the tests.
  for (const name of Object.keys(process.env)) {
    if (/^BOH_(?!TESTED$)|^(NO|FORCE)_COLOR$|^(https?|no)_proxy$|^XDG_/i.test(name)) delete process.env[name];
  }
  // Default folders for files that tests write.
  const temporary = temporaryFolder();
  process.env.TMPDIR = temporary;
  process.env.XDG_DATA_HOME = join(temporary, 'data');
  // Other programs also write to the home folder, such as npm logs and browser profiles.
  process.env.HOME = join(temporary, 'home');
  for (const folder of [process.env.XDG_DATA_HOME, process.env.HOME]) mkdirSync(folder);
  // Caches the compiled sources that tests start.
  process.env.NODE_COMPILE_CACHE = join(temporary, 'node-compiled');
  return () => {
    const leftovers = [...addedSince(entriesBefore, entriesOutside(watchedPaths)), ...leftoversIn(temporary)];
    rmSync(temporary, { recursive: true, force: true, maxRetries: 10 });
    endWithin(120_000);
    if (leftovers.length > 0) throw new Error(`The tests left files behind:\n  ${leftovers.join('\n  ')}`);
  };
}

/**
 * The files that may remain in the temporary folder of all tests: shared files, scratch files of processes that are about
 * to end, and files that completion writes after its output.
 */
const allowedLeftovers = [
  /^(data|home|node-compiled|compiled)$/,
  /^(demo|empty)(-business)?\.sqlite$/,
  /^boh-\w+-\d+-\w+$/,
  /^boh-completion-\w+$/,
];

/** Returns the paths of other files in the temporary folder. The tests that created them should have deleted them. */
function leftoversIn(temporary: string): string[] {
  return readdirSync(temporary)
    .filter((name) => !allowedLeftovers.some((pattern) => pattern.test(name)))
    .map((name) => join(temporary, name));
}

/** Returns a folder in memory if there is enough space: syncing to a disk takes half of the time of many tests. */
function temporaryFolder(): string {
  const memory = '/dev/shm';
  const folder = mkdtempSync(join(freeBytes(memory) > 4e9 ? memory : tmpdir(), 'boh-'));
  // A database may run as another user, which needs access to its folder inside this one.
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

/** Ends this process after a delay. Without this, Vitest waits forever if a failed test left a process with open pipes. */
function endWithin(ms: number): void {
  setTimeout(() => {
    console.error('A test left a running process behind.');
    process.exit(1);
  }, ms).unref();
}

function isStale(): boolean {
  if (!existsSync('dist/main.cjs')) return true;
  const buildTimeMs = statSync('dist/main.cjs').mtimeMs;
  const sources = ['package.json', ...globSync(['src/**/*.ts', 'scripts/build.ts', 'scripts/release/*'])];
  return sources.some((file) => statSync(file).mtimeMs > buildTimeMs);
}

/** Builds the program. If that fails, the old build is deleted, so that tests of the program fail too. */
function build(): void {
  const { status } = spawnSync(process.execPath, ['scripts/build.ts'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) rmSync('dist', { recursive: true, force: true, maxRetries: 10 });
}
