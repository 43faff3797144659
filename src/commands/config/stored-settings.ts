/** Reads and changes the stored settings, for the commands that manage settings and profiles. */

import type { Context } from '../../context/context.ts';
import type { Config } from '../../settings/config.ts';
import { environmentValue } from '../../settings/layers.ts';
import { type LoadedSettings, loadSettings, openStore } from '../../settings/store.ts';
import { warn } from '../../terminal/messages.ts';

/**
 * Returns the settings in effect and their sources. Accepts a profile that doesn't exist, because these commands can
 * create it. The returned context uses these settings, for example for the output format.
 */
export async function loadStoredSettings(context: Context): Promise<LoadedSettings & { context: Context }> {
  const loadedSettings = await loadSettings(context.globals, context.env, { newProfile: true });
  for (const message of loadedSettings.notes) warn(context.streams, message);
  return { ...loadedSettings, context: { ...context, settings: async () => loadedSettings.settings } };
}

/** Changes the stored settings and returns the new settings. If `change` throws, they stay unchanged. */
export async function changeStoredSettings(
  { env, streams }: Context,
  change: (config: Config) => Config,
): Promise<Config> {
  const { config, notes } = await openStore(env).update(change);
  for (const message of notes) warn(streams, message);
  return config;
}

/** Returns the profile to change: the named profile, even if it doesn't exist, or else the active profile. */
export function profileToChange({ active }: Config, { globals, env }: Context): string | undefined {
  return namedProfile({ globals, env }) ?? active;
}

/** Returns the profile that `--profile` or BOH_PROFILE names. */
export function namedProfile({ globals, env }: Pick<Context, 'globals' | 'env'>): string | undefined {
  return globals.profile ?? environmentValue(env, 'BOH_PROFILE');
}
