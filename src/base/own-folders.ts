/** Where boh keeps what is its own on this machine: below `BOH_CONFIG_DIR`, else where the platform wants a user’s files. */
import './known-home.ts';
import { homedir, userInfo } from 'node:os';
import { isAbsolute, join, relative, resolve } from 'node:path';
import envPaths from 'env-paths';
import type { Environment } from './environment.ts';
import { usage } from './errors.ts';

export type OwnFolder = 'config' | 'cache' | 'data';

/** The variable that names a folder on Linux, and the one below the home where it doesn’t. */
const xdg: Readonly<Record<OwnFolder, readonly [string, string]>> = {
  config: ['XDG_CONFIG_HOME', '.config'],
  cache: ['XDG_CACHE_HOME', '.cache'],
  data: ['XDG_DATA_HOME', join('.local', 'share')],
};

/**
 * An absolute path. The caches move with the configuration, so that `BOH_CONFIG_DIR` leaves nothing behind elsewhere.
 * Throws a usage failure where nothing tells where the home is.
 */
export function ownFolder(environment: Environment, kind: OwnFolder): string {
  const chosen = environment.BOH_CONFIG_DIR;
  if (!chosen) return platformFolder(kind);
  return kind === 'cache' ? join(resolve(chosen), 'cache') : resolve(chosen);
}

/**
 * A path that is relative doesn’t count (https://specifications.freedesktop.org/basedir-spec/latest/#variables): the
 * configuration, tokens included, would be another one in each folder that somebody works in. The same of a home.
 */
function platformFolder(kind: OwnFolder): string {
  const found = envPaths('boh', { suffix: '' })[kind];
  if (isAbsolute(found)) return found;
  const [variable, usual] = xdg[kind];
  const below = process.env[variable] ? join(usual, 'boh') : relative(homedir(), found);
  return join(home(), below);
}

function home(): string {
  const said = homedir();
  if (isAbsolute(said)) return said;
  try {
    const known = userInfo().homedir;
    if (isAbsolute(known)) return known;
  } catch {
    // A user of whom the system knows nothing but a number, as in containers.
  }
  throw usage(`There is no home to keep anything in: HOME is ${said === '' ? 'empty' : `“${said}”`}.`, {
    hint: 'Set HOME to a folder’s whole path, or BOH_CONFIG_DIR to the folder that boh is to use.',
  });
}
