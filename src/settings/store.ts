/**
 * Reads and changes the configuration file: every command reads it with one open call, and only one process at a time
 * changes it.
 */
import { existsSync, readdirSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { appFolder } from '../base/app-folders.ts';
import type { Environment } from '../base/environment.ts';
import { usage } from '../base/errors.ts';
import { boh } from '../base/hint.ts';
import { type Config, emptyConfig } from './config.ts';
import { DamagedFile, decodeConfig, encodeConfig } from './config-json.ts';
import type { Flags } from './layers.ts';
import { ensurePrivateFolder, readPrivateFile, toFailure } from './private-file.ts';
import { resolveSettings } from './resolve.ts';
import type { Settings } from './settings.ts';

/** Loads SQLite, which isn't needed to read a valid file. */
const loadWriter = () => import('./config-write.ts');

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
      return await readFile(path);
    } catch (error) {
      if (!(error instanceof DamagedFile)) throw error;
      const { withLock } = await loadWriter();
      return withLock(path, () => readOrRename(path));
    }
  }

  async function update(change: (config: Config) => Config): Promise<LoadedConfig> {
    const notes = ensurePrivateFolder(folder);
    const { writeConfigFile, withLock } = await loadWriter();
    return withLock(path, async () => {
      const loaded = await readOrRename(path);
      const config = change(loaded.config);
      await writeConfigFile(path, encodeConfig(config));
      return { config, notes: [...notes, ...loaded.notes] };
    });
  }

  return { path, read, update };
}

async function readFile(path: string): Promise<LoadedConfig> {
  const file = readPrivateFile(path);
  if (file === undefined) return { config: emptyConfig(), notes: [] };
  return { config: decodeConfig(file.text, path), notes: file.notes };
}

/**
 * Reads the file, or renames it if it is damaged. Call it with the lock, so that no other process renames it at the
 * same time.
 */
async function readOrRename(path: string): Promise<LoadedConfig> {
  try {
    return await readFile(path);
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
