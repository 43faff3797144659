/** The way most commands come by their settings: read the file, then resolve. */

import type { Environment } from '../base/environment.ts';
import type { Config } from './config.ts';
import type { Flags } from './layers.ts';
import { resolveSettings } from './resolve.ts';
import type { Settings } from './settings.ts';
import { openStore, type Store } from './store.ts';

export interface LoadedSettings {
  settings: Settings;
  config: Config;
  store: Store;
  /** Sentences to print on stderr. */
  notes: string[];
}

/** See `resolveSettings` and `Store.read` for what is thrown. */
export async function loadSettings(
  flags: Flags,
  environment: Environment,
  options: { newProfile?: boolean } = {},
): Promise<LoadedSettings> {
  const store = openStore(environment);
  const { config, notes } = await store.read();
  return { settings: resolveSettings({ flags, environment, config, ...options }), config, store, notes };
}
