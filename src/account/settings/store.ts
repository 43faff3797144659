/**
 * Reads and changes the configuration file. Every command reads it with one open call, and only one process at a time
 * changes it. Only its user may read it: permissions are checked at each read, and fixed if others could read it.
 */
import { isUtf8 } from 'node:buffer';
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  type Stats,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { appFolder } from '../../base/app-folders.ts';
import type { Environment } from '../../base/environment.ts';
import { Failure, usage } from '../../base/errors.ts';
import { writeErrorReason } from '../../base/file-errors.ts';
import { boh } from '../../base/hint.ts';
import { makeFolder } from '../../base/make-folder.ts';
import { replaceFile } from '../../base/replace-file.ts';
import { isBusy } from '../../base/storage/failures.ts';
import { retryWhileBusy } from '../../base/storage/retry-while-busy.ts';
import { type Config, emptyConfig } from './config.ts';
import { checkConfig, DamagedFile, decodeConfig, encodeConfig } from './config-json.ts';
import { type Flags, resolveSettings } from './resolve.ts';
import type { Settings } from './settings.ts';

/** The configuration that was loaded. */
export interface LoadedConfig {
  config: Config;
  /** Notes for stderr about permissions that were fixed. */
  notes: string[];
}

/** The configuration file. */
export interface Store {
  /** The path of the file, whether it exists or not. */
  readonly path: string;
  /**
   * Returns the configuration; an empty one if there is no file. A file that isn't JSON is renamed and reported with
   * a usage failure.
   */
  read(): Promise<LoadedConfig>;
  /**
   * Changes the configuration while no other process does. If `change` throws, the file is unchanged. Throws
   * `unavailable`, with the old file unchanged, if the disk is full or another process keeps the lock.
   */
  update(change: (config: Config) => Config): Promise<LoadedConfig>;
}

/** Returns the configuration file of the environment, without reading it. */
export function openStore(environment: Environment): Store {
  const folder = appFolder(environment, 'config');
  const path = join(folder, 'config.json');

  async function read(): Promise<LoadedConfig> {
    try {
      return readFile(path);
    } catch (error) {
      if (!(error instanceof DamagedFile)) throw error;
      return withLock(path, () => readOrRename(path));
    }
  }

  async function update(change: (config: Config) => Config): Promise<LoadedConfig> {
    const notes = ensurePrivateFolder(folder);
    return withLock(path, async () => {
      const loaded = readOrRename(path);
      const config = change(loaded.config);
      const text = encodeConfig(config);
      checkConfig(JSON.parse(text), path);
      await replaceFile(path, text, { newFileMode: 0o600 });
      return { config, notes: [...notes, ...loaded.notes] };
    });
  }

  return { path, read, update };
}

/** How long to wait for other processes, in milliseconds: enough for a queue of many. */
const lockTimeoutMs = 20_000;

/** Runs the task while no other process changes the file. */
async function withLock<Result>(path: string, task: () => Result | Promise<Result>): Promise<Result> {
  // Reading a valid file doesn't need SQLite.
  const { lockFile } = await import('../../base/storage/file-lock.ts');
  const file = { file: path, label: 'The lock of the settings', remedy: '' };
  const lock = await retryWhileBusy(() => lockFile(file), { timeoutMs: lockTimeoutMs }).catch((error) => {
    if (!isBusy(error)) throw error;
    const message = 'Another boh process is changing the settings. Nothing was changed.';
    throw new Failure('unavailable', message, { hint: 'Try again.', cause: error });
  });
  try {
    return await task();
  } finally {
    lock.release();
  }
}

function readFile(path: string): LoadedConfig {
  const file = readPrivateFile(path);
  if (file === undefined) return { config: emptyConfig(), notes: [] };
  return { config: decodeConfig(file.text, path), notes: file.notes };
}

/**
 * Reads the file, or renames it if it is damaged. Call it with the lock, so that no other process renames it at the
 * same time.
 */
function readOrRename(path: string): LoadedConfig {
  try {
    return readFile(path);
  } catch (error) {
    if (!(error instanceof DamagedFile)) throw error;
    throw usage(
      `The configuration file ${path} is damaged (${error.message}). It was renamed to ${renameDamaged(path)}.`,
      {
        hint: boh.hint`Fix that file and rename it back, or sign in again: ${boh.profile('auth login')}`,
      },
    );
  }
}

function renameDamaged(path: string): string {
  const timestamp = new Date().toISOString().replaceAll(/[-:.]/g, '');
  const newPath = path.replace(/\.json$/, `.damaged-${timestamp}.json`);
  try {
    renameSync(path, newPath);
  } catch (error) {
    throw toFailure(`The configuration file ${path} is damaged and can't be renamed`, error);
  }
  return newPath;
}

/** The settings of a command, and the configuration that they come from. */
export interface LoadedSettings {
  settings: Settings;
  config: Config;
  store: Store;
  /** Notes to print on stderr. */
  notes: string[];
}

/** Reads the configuration and resolves the settings. Throws the failures of `resolveSettings` and `Store.read`. */
export async function loadSettings(
  flags: Flags,
  environment: Environment,
  options: { newProfile?: boolean } = {},
): Promise<LoadedSettings> {
  const store = openStore(environment);
  const { config, notes } = await store.read();
  const settings = resolveSettings({ flags, environment, config, ...options });
  const isSet = settings.baseUrl !== undefined || settings.sandbox !== undefined;
  const damagedConfig = isSet ? undefined : newestDamagedFile(store.path);
  return {
    settings: damagedConfig === undefined ? settings : { ...settings, damagedConfig },
    config,
    store,
    notes,
  };
}

/** Returns the newest damaged file that was renamed, if no configuration file has replaced it. */
function newestDamagedFile(path: string): string | undefined {
  const folder = dirname(path);
  if (existsSync(path) || !existsSync(folder)) return undefined;
  const name = readdirSync(folder)
    .filter((fileName) => damagedFilePattern.test(fileName))
    .sort()
    .at(-1);
  return name === undefined ? undefined : join(folder, name);
}

const damagedFilePattern = /^config\.damaged-.*\.json$/;

/** A file that only its user may read. */
interface PrivateFile {
  text: string;
  /** Notes for the user about permissions that were fixed, or could not be. */
  notes: string[];
}

const otherUsersMask = 0o077;
const otherWritersMask = 0o022;

/** Reads the file; undefined if it doesn't exist. */
function readPrivateFile(path: string): PrivateFile | undefined {
  const file = openForReading(path);
  if (file === undefined) return undefined;
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw usage(`${path} is not a file.`);
    const notes = [...fixFilePermissions(path, file, stats), ...fixFolderPermissions(dirname(path))];
    return { text: decode(readFileSync(file), path), notes };
  } catch (error) {
    throw toFailure(`Can't read ${path}`, error);
  } finally {
    closeSync(file);
  }
}

/** Creates the folder, or fixes its permissions. Returns notes for the user. */
function ensurePrivateFolder(path: string): string[] {
  try {
    makeFolder(path, { mode: 0o700 });
    accessSync(path, constants.W_OK);
    return fixFolderPermissions(path);
  } catch (error) {
    throw toFailure(`Can't use the folder ${path}`, error);
  }
}

/** Throws for another encoding, whose bytes would be replaced by U+FFFD. The first character of JSON is ASCII, so UTF-16 has a NUL. */
function decode(bytes: Buffer, path: string): string {
  const text = bytes.toString();
  if (isUtf8(bytes) && !/^(\{\0|\0\{)/.test(text)) return text;
  throw usage(`${path} is not UTF-8: it was saved in another encoding, such as UTF-16, or is damaged.`, {
    hint: 'Save it as UTF-8, or rename it and sign in again.',
  });
}

/** Returns a failure with a message for a system error, and any other error unchanged. */
function toFailure(action: string, error: unknown): unknown {
  if (error instanceof Failure || !(error instanceof Error) || !('code' in error)) return error;
  const reason = writeErrorReason(error) ?? error.message;
  return new Failure('unavailable', `${action}: ${reason}.`, { cause: error });
}

/** Opens the file without waiting: a pipe at its path must not block every command. */
function openForReading(path: string): number | undefined {
  try {
    return openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    // The home directory may be a file, such as /dev/null: it then has no configuration. The configuration folder
    // itself must not be a file.
    const isBelowFile = code === 'ENOTDIR' && !statSync(dirname(path), { throwIfNoEntry: false });
    if (code === 'ENOENT' || isBelowFile) return undefined;
    throw withHint(toFailure(`Can't read ${path}`, error));
  }
}

function withHint(error: unknown): unknown {
  if (!(error instanceof Failure)) return error;
  return new Failure(error.category, error.message, { ...error.details, hint: ownFolderHint });
}

const ownFolderHint = 'Set BOH_CONFIG_DIR to a folder of your own.';

function fixFilePermissions(path: string, file: number, stats: Stats): string[] {
  if (process.platform === 'win32' || (stats.mode & otherUsersMask) === 0) return [];
  try {
    fchmodSync(file, 0o600);
    return [
      `${path} was readable by other users. Its permissions were fixed. If others use this machine, replace your token.`,
    ];
  } catch {
    return [`Other users can read ${path}, and boh can't change its permissions: run chmod 600.`];
  }
}

/** The names of boh's own entries in its folder. The permissions of a folder with other content aren't changed. */
const ownEntries = /^\.?(config|cache|sandboxes|accounts|locks|price-lists)/;

function fixFolderPermissions(path: string): string[] {
  const folder = openFolder(path);
  try {
    const { mode } = fstatSync(folder);
    if (process.platform === 'win32' || (mode & otherUsersMask) === 0) return [];
    // Of a folder with other content, boh's own entries are private, which is enough if others can't replace them.
    if (!readdirSync(path).every((entry) => ownEntries.test(entry))) {
      return (mode & otherWritersMask) === 0
        ? []
        : [`Other users can replace files in ${path}. Set BOH_CONFIG_DIR to a folder for boh only.`];
    }
    fchmodSync(folder, 0o700);
    return [`${path} was accessible to other users. Its permissions were fixed.`];
  } catch {
    return [`Other users can open ${path}, and boh can't change its permissions: run chmod 700.`];
  } finally {
    closeSync(folder);
  }
}

/** Opens the folder, so that the same folder is checked and changed. */
function openFolder(path: string): number {
  const { O_RDONLY, O_DIRECTORY = 0, O_NOFOLLOW = 0 } = constants;
  return openSync(realpathSync(path), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
}
