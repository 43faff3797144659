/** What tests leave outside of their own folder: compared before and after all of them, so that it can be named. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';

export interface Outside {
  /** Folders in which a program that was given no home, or the wrong one, keeps its own: of every account. */
  homes: readonly string[];
  /** Folders of the system. Of what stands there only names that hold "boh" count. */
  system: readonly string[];
  /** In which `git status` must show no new file, and in CI no change at all. */
  checkout: string;
}

/** Below a home: what boh makes on any platform, and what programs that tests start make there. */
const ownPlaces = [
  ...['boh', '.boh', '.config/boh', '.cache/boh', '.local/share/boh', '.local/state/boh'],
  ...['Preferences', 'Application Support', 'Caches', 'Logs'].map((name) => `Library/${name}/boh`),
  ...['AppData/Roaming/boh', 'AppData/Local/boh'],
  ...['.config/chromium', '.cache/chromium', '.config/google-chrome-for-testing', '.pki', '.psql_history'],
];

/** Built by `npm run build` and the like, or kept by the test runner: no test makes these. */
const builtByHand = /^!! (dist|executable|node_modules|coverage|\.vitest)\//;

/** Returns the places around this checkout; to be called before the environment is changed. */
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
    // Another system than Linux.
    return [];
  }
}

/** Returns what is there: paths, and the lines of `git status`. */
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

/** Returns what has come since, without what stands in a folder that has come too. */
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

/** Ignored files are among them: no one sees those that a test leaves. Empty outside of a repository. */
function statusOf(checkout: string): string[] {
  // Commits at the same time stay possible.
  const words = ['--no-optional-locks', 'status', '--porcelain', '--ignored', '--untracked-files=all', '-z'];
  const { status, stdout } = spawnSync('git', words, { cwd: checkout, encoding: 'utf8' });
  if (status !== 0) return [];
  const lines = stdout.split('\0').filter((line) => line !== '' && !builtByHand.test(`${line}/`));
  // A developer may edit files of the checkout while the tests run; in CI only tests change them.
  return process.env.CI ? lines : lines.filter((line) => /^(\?\?|!!) /.test(line));
}
