/** Locates the folders where boh stores its files: in `BOH_CONFIG_DIR`, or in the platform's folders for user files. */
import './ensure-home.ts';
import { existsSync, lstatSync, realpathSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import envPaths from 'env-paths';
import type { Environment } from './environment.ts';
import { usage } from './errors.ts';

/** The kinds of folders in which boh stores files. */
export type AppFolder = 'config' | 'cache' | 'data';

/** The variable that names each folder on Linux, and the default folder below the home folder. */
const xdg: Readonly<Record<AppFolder, readonly [string, string]>> = {
  config: ['XDG_CONFIG_HOME', '.config'],
  cache: ['XDG_CACHE_HOME', '.cache'],
  data: ['XDG_DATA_HOME', join('.local', 'share')],
};

/**
 * Returns the absolute path of a folder. With `BOH_CONFIG_DIR` the caches are below it too, so that nothing is stored
 * elsewhere. Throws a usage failure if the home folder is unknown, or if another user controls the folder.
 */
export function appFolder(environment: Environment, kind: AppFolder): string {
  const folder = locate(environment.BOH_CONFIG_DIR, kind);
  refuseOtherOwner(folder);
  return folder;
}

function locate(configuredFolder: string | undefined, kind: AppFolder): string {
  if (!configuredFolder) return platformFolder(kind);
  return kind === 'cache' ? join(resolve(configuredFolder), 'cache') : resolve(configuredFolder);
}

/**
 * Throws if another user, except root, controls the folder: that user could send the token to another service. For root,
 * each folder and link on the path is checked, because with its privileges a link could lead to any file.
 */
function refuseOtherOwner(folder: string): void {
  const userId = process.geteuid?.();
  if (userId === undefined) return;
  const realPath = nearestRealPath(folder);
  const existing = existsSync(folder) ? [realPath] : [];
  const paths = userId === 0 ? [folder, realPath].flatMap(ancestorsOf) : existing;
  const otherUsersPath = paths.find((path) => ![undefined, 0, userId].includes(ownerOf(path)));
  if (otherUsersPath === undefined) return;
  throw usage(`${otherUsersPath} belongs to another user, so boh doesn't use it.`, {
    hint: 'Run boh as that user, or set BOH_CONFIG_DIR to a folder of your own.',
  });
}

/** Returns the user ID of the owner; undefined if the path doesn't exist or can't be read. */
function ownerOf(path: string): number | undefined {
  try {
    return lstatSync(path).uid;
  } catch {
    return undefined;
  }
}

/** Returns the path and all folders above it, from the root of the file system. */
function ancestorsOf(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [path] : [...ancestorsOf(parent), path];
}

/** Returns the path of the nearest existing folder, with all links resolved. */
function nearestRealPath(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    return nearestRealPath(dirname(folder));
  }
}

/**
 * Ignores relative paths in these variables and in HOME, because each working directory would have its own configuration
 * and tokens. See https://specifications.freedesktop.org/basedir-spec/latest/#variables.
 */
function platformFolder(kind: AppFolder): string {
  const path = envPaths('boh', { suffix: '' })[kind];
  if (isAbsolute(path)) return path;
  const [variable, defaultFolder] = xdg[kind];
  const relativeFolder = process.env[variable] ? join(defaultFolder, 'boh') : relative(homedir(), path);
  return join(home(), relativeFolder);
}

function home(): string {
  const homeVariable = homedir();
  if (isAbsolute(homeVariable)) return homeVariable;
  try {
    const accountHome = userInfo().homedir;
    if (isAbsolute(accountHome)) return accountHome;
  } catch {
    // The system knows only the ID of this user, as in containers.
  }
  throw usage(
    `No home folder: HOME is ${homeVariable === '' ? 'empty' : `"${homeVariable}", not an absolute path`}.`,
    {
      hint: 'Set HOME to an absolute path, or BOH_CONFIG_DIR to a folder for boh.',
    },
  );
}
