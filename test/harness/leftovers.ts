/** Lists files that tests leave outside their temporary folder, by comparing the state before and after all tests. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';

export interface WatchedPaths {
  /** Home folders of all accounts of this machine, to find files of programs that ran without the test's HOME. */
  homes: readonly string[];
  /** System folders, in which only names that contain "boh" count. */
  system: readonly string[];
  /** The checkout. `git status` must not show new files in it, and in CI no changes at all. */
  checkout: string;
}

/** Paths in a home folder that boh creates on any platform. */
const bohPaths = [
  ...['boh', '.boh', '.config/boh', '.cache/boh', '.local/share/boh', '.local/state/boh'],
  ...['Preferences', 'Application Support', 'Caches', 'Logs'].map((name) => `Library/${name}/boh`),
  ...['AppData/Roaming/boh', 'AppData/Local/boh'],
];

/** Paths of programs that tests start. The user of the machine may start them at the same time; in CI no one does. */
const pathsOfPrograms = [
  ...['.config/chromium', '.cache/chromium', '.config/google-chrome-for-testing', '.pki', '.psql_history'],
];

/** Paths that builds and the test runner create. They aren't leftovers of tests. */
const ignoredPaths = /^!! (dist|executable|node_modules|coverage|\.vitest)\//;

/** Returns the places outside the tests' folder. Call it before the environment is changed. */
export function pathsOutside(checkout: string, env: NodeJS.ProcessEnv = process.env): WatchedPaths {
  const xdg = ['CONFIG', 'CACHE', 'DATA', 'STATE'].map((name) => env[`XDG_${name}_HOME`] ?? '');
  const homes = [homedir(), userInfo().homedir, '/nonexistent', '/var/empty', ...homesOfAccounts(), ...xdg];
  return {
    homes: [...new Set(homes.filter((home) => isAbsolute(home)))],
    system: [
      '/',
      '/etc',
      '/etc/xdg',
      '/opt',
      '/srv',
      '/usr/local/share',
      '/var/cache',
      '/var/lib',
      '/var/log',
    ],
    checkout,
  };
}

function homesOfAccounts(): string[] {
  try {
    const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
    return lines.map((line) => line.split(':')[5] ?? '');
  } catch {
    // This system is not Linux.
    return [];
  }
}

/** Returns the existing paths and the lines of `git status`. */
export function entriesOutside({ homes, system, checkout }: WatchedPaths): Set<string> {
  const paths = process.env.CI ? [...bohPaths, ...pathsOfPrograms] : bohPaths;
  return new Set([
    ...homes.flatMap((home) => [home, ...paths.map((path) => join(home, path))]).filter(existsSync),
    ...system.flatMap((folder) =>
      namesIn(folder)
        .filter((name) => /boh/i.test(name))
        .map((name) => join(folder, name)),
    ),
    ...statusOf(checkout),
  ]);
}

/** Returns new entries, without those inside a new folder. */
export function addedSince(before: ReadonlySet<string>, after: ReadonlySet<string>): string[] {
  const addedEntries = [...after].filter((entry) => !before.has(entry));
  return addedEntries.filter(
    (entry) =>
      !addedEntries.includes(dirname(entry)) && !addedEntries.some((other) => entry.startsWith(`${other}/`)),
  );
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Returns the changes in the checkout, including ignored files; empty outside of a repository. */
function statusOf(checkout: string): string[] {
  // Takes no locks, so that a developer can commit at the same time.
  const args = ['--no-optional-locks', 'status', '--porcelain', '--ignored', '--untracked-files=all', '-z'];
  const { status, stdout } = spawnSync('git', args, { cwd: checkout, encoding: 'utf8' });
  if (status !== 0) return [];
  const lines = stdout.split('\0').filter((line) => line !== '' && !ignoredPaths.test(`${line}/`));
  // A developer may edit files of the checkout during the tests; in CI only tests change them.
  return process.env.CI ? lines : lines.filter((line) => /^(\?\?|!!) /.test(line));
}
