/** Locates the folders where boh stores its files: in `BOH_CONFIG_DIR`, or in the platform's folders for user files. */
import './ensure-home.ts';
import { homedir, userInfo } from 'node:os';
import { isAbsolute, join, relative, resolve } from 'node:path';
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
 * elsewhere. Throws a usage failure if the home folder is unknown.
 */
export function appFolder(environment: Environment, kind: AppFolder): string {
  const configuredFolder = environment.BOH_CONFIG_DIR;
  if (!configuredFolder) return platformFolder(kind);
  return kind === 'cache' ? join(resolve(configuredFolder), 'cache') : resolve(configuredFolder);
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
