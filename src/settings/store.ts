/** The configuration file: read by every command at the price of one open, changed by one process at a time. */
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../base/environment.ts';
import { usage } from '../base/errors.ts';
import { boh } from '../base/hint.ts';
import { ownFolder } from '../base/own-folders.ts';
import { type Config, emptyConfig } from './config.ts';
import { DamagedFile, decodeConfig, encodeConfig } from './config-json.ts';
import type { Flags } from './layers.ts';
import { asFailure, ensurePrivateFolder, readPrivateFile } from './private-file.ts';
import { resolveSettings } from './resolve.ts';
import type { Settings } from './settings.ts';

/** Loads conf and zod, which reading a file that is in order doesn't need. */
const writer = () => import('./config-write.ts');

/** The configuration as it was read. */
export interface ReadConfig {
  config: Config;
  /** Sentences for stderr about permissions that were fixed. */
  notes: string[];
}

/** The configuration file. */
export interface Store {
  /** The file, whether it exists yet or not. */
  readonly path: string;
  /**
   * The configuration; an empty one where there is no file.
   * A file that is not JSON is set aside under another name and reported with a usage failure.
   */
  read(): Promise<ReadConfig>;
  /**
   * Changes the configuration while no other process does. What `change` throws leaves it as it was.
   * Throws `unavailable`, with the old file untouched, where the disk is full or another process keeps the lock.
   */
  update(change: (config: Config) => Config): Promise<ReadConfig>;
}

/** Returns the configuration file of the environment. Nothing is read yet. */
export function openStore(environment: Environment): Store {
  const folder = ownFolder(environment, 'config');
  const path = join(folder, 'config.json');
  const lockPath = join(folder, 'config.lock');

  async function read(): Promise<ReadConfig> {
    try {
      const { config, notes } = await readFile(path);
      return { config, notes };
    } catch (error) {
      if (!(error instanceof DamagedFile)) throw error;
      const { withLock } = await writer();
      return withLock(lockPath, () => readOrSetAside(path));
    }
  }

  async function update(change: (config: Config) => Config): Promise<ReadConfig> {
    const notes = ensurePrivateFolder(folder);
    const { replaceConfigFile, withLock } = await writer();
    return withLock(lockPath, async (stillOurs) => {
      for (;;) {
        const before = await readOrSetAside(path);
        const config = change(before.config);
        const text = encodeConfig(config);
        stillOurs();
        notes.push(...before.notes);
        if (replaceConfigFile(path, before.text, text)) return { config, notes };
      }
    });
  }

  return { path, read, update };
}

interface ReadText extends ReadConfig {
  /** As it stood in the file; undefined where there is none. */
  text: string | undefined;
}

async function readFile(path: string): Promise<ReadText> {
  const file = readPrivateFile(path);
  if (file === undefined) return { config: emptyConfig(), notes: [], text: undefined };
  return { config: await decodeConfig(file.text, path), ...file };
}

/** Called with the lock held, so that no other process fixes the file while it is renamed. */
async function readOrSetAside(path: string): Promise<ReadText> {
  try {
    return await readFile(path);
  } catch (error) {
    if (!(error instanceof DamagedFile)) throw error;
    throw usage(
      `The configuration file ${path} is damaged (${error.message}). It was renamed to ${setAside(path)}.`,
      {
        hint: boh.hint`Fix that file and rename it back, or sign in again: ${boh.profile('auth login')}`,
      },
    );
  }
}

function setAside(path: string): string {
  const moment = new Date().toISOString().replaceAll(/[-:.]/g, '');
  const aside = path.replace(/\.json$/, `.damaged-${moment}.json`);
  try {
    renameSync(path, aside);
  } catch (error) {
    throw asFailure(`The configuration file ${path} is damaged and can't be renamed`, error);
  }
  return aside;
}

/** The settings of a command, and the configuration that they come from. */
export interface LoadedSettings {
  settings: Settings;
  config: Config;
  store: Store;
  /** Sentences to print on stderr. */
  notes: string[];
}

/** Reads the configuration and resolves the settings. Throws what `resolveSettings` and `Store.read` throw. */
export async function loadSettings(
  flags: Flags,
  environment: Environment,
  options: { newProfile?: boolean } = {},
): Promise<LoadedSettings> {
  const store = openStore(environment);
  const { config, notes } = await store.read();
  return { settings: resolveSettings({ flags, environment, config, ...options }), config, store, notes };
}
