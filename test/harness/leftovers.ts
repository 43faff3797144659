/** Lists what tests leave outside of their own folder, by a comparison before and after all of them. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';

export interface Outside {
  /** Folders of programs that were given no home or the wrong one, for every account of this machine. */
  homes: readonly string[];
  /** System folders, in which only names that contain "boh" count. */
  system: readonly string[];
  /** In this folder `git status` must show no new file, and in CI no change at all. */
  checkout: string;
}

/** Paths in a home folder that boh, or a program that tests start, creates on any platform. */
const ownPlaces = [
  ...['boh', '.boh', '.config/boh', '.cache/boh', '.local/share/boh', '.local/state/boh'],
  ...['Preferences', 'Application Support', 'Caches', 'Logs'].map((name) => `Library/${name}/boh`),
  ...['AppData/Roaming/boh', 'AppData/Local/boh'],
  ...['.config/chromium', '.cache/chromium', '.config/google-chrome-for-testing', '.pki', '.psql_history'],
];

/** Built by `npm run build` and the like, or made by the test runner: tests do not create these. */
const builtByHand = /^!! (dist|executable|node_modules|coverage|\.vitest)\//;

/** Returns the locations around this checkout. To be called before the environment is changed. */
export function outside(checkout: string, env: NodeJS.ProcessEnv = process.env): Outside {
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
export function entriesOutside({ homes, system, checkout }: Outside): Set<string> {
  return new Set([
    ...homes.flatMap((home) => [home, ...ownPlaces.map((place) => join(home, place))]).filter(existsSync),
    ...system.flatMap((folder) =>
      namesIn(folder)
        .filter((name) => /boh/i.test(name))
        .map((name) => join(folder, name)),
    ),
    ...statusOf(checkout),
  ]);
}

/** Returns new entries, without those inside a new folder. */
export function addedSince(before: ReadonlySet<string>, now: ReadonlySet<string>): string[] {
  const added = [...now].filter((entry) => !before.has(entry));
  return added.filter(
    (entry) => !added.includes(dirname(entry)) && !added.some((other) => entry.startsWith(`${other}/`)),
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
  // Allows commits at the same time.
  const words = ['--no-optional-locks', 'status', '--porcelain', '--ignored', '--untracked-files=all', '-z'];
  const { status, stdout } = spawnSync('git', words, { cwd: checkout, encoding: 'utf8' });
  if (status !== 0) return [];
  const lines = stdout.split('\0').filter((line) => line !== '' && !builtByHand.test(`${line}/`));
  // A developer may edit files of the checkout during the tests; in CI only tests change them.
  return process.env.CI ? lines : lines.filter((line) => /^(\?\?|!!) /.test(line));
}
