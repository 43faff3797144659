/** The folders where boh stores its files: below `BOH_CONFIG_DIR`, or where the platform stores a user's files. */
import './ensure-home.ts';
import { homedir, userInfo } from 'node:os';
import { isAbsolute, join, relative, resolve } from 'node:path';
import envPaths from 'env-paths';
import type { Environment } from './environment.ts';
import { usage } from './errors.ts';

/** The kinds of folders that boh has. */
export type OwnFolder = 'config' | 'cache' | 'data';

/** The variable that names each folder on Linux, and the folder below the home that is used without it. */
const xdg: Readonly<Record<OwnFolder, readonly [string, string]>> = {
  config: ['XDG_CONFIG_HOME', '.config'],
  cache: ['XDG_CACHE_HOME', '.cache'],
  data: ['XDG_DATA_HOME', join('.local', 'share')],
};

/**
 * Returns the absolute path of a folder. With `BOH_CONFIG_DIR` the caches are below it too, so that nothing is stored
 * elsewhere. Throws a usage failure if the home folder is unknown.
 */
export function ownFolder(environment: Environment, kind: OwnFolder): string {
  const chosen = environment.BOH_CONFIG_DIR;
  if (!chosen) return platformFolder(kind);
  return kind === 'cache' ? join(resolve(chosen), 'cache') : resolve(chosen);
}

/**
 * Ignores relative paths (https://specifications.freedesktop.org/basedir-spec/latest/#variables), also of the home: each
 * working directory would have its own configuration and tokens.
 */
function platformFolder(kind: OwnFolder): string {
  const found = envPaths('boh', { suffix: '' })[kind];
  if (isAbsolute(found)) return found;
  const [variable, usual] = xdg[kind];
  const below = process.env[variable] ? join(usual, 'boh') : relative(homedir(), found);
  return join(home(), below);
}

function home(): string {
  const reported = homedir();
  if (isAbsolute(reported)) return reported;
  try {
    const known = userInfo().homedir;
    if (isAbsolute(known)) return known;
  } catch {
    // The system knows only the id of this user, as in containers.
  }
  throw usage(
    `No home folder: HOME is ${reported === '' ? 'empty' : `"${reported}", not an absolute path`}.`,
    {
      hint: 'Set HOME to an absolute path, or BOH_CONFIG_DIR to a folder for boh.',
    },
  );
}
