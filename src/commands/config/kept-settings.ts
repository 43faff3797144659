/** Reading and changing what is kept, for the commands that are about settings and profiles. */

import type { Context } from '../../context/context.ts';
import type { Config } from '../../settings/config.ts';
import { variable } from '../../settings/layers.ts';
import { type LoadedSettings, loadSettings, openStore } from '../../settings/store.ts';
import { warn } from '../../terminal/messages.ts';

/**
 * The settings in effect and what they rest on. A profile that doesn't exist must not keep anybody from mending that,
 * so it is let pass. `context` is the same with these settings in it, so that results are printed by them.
 */
export async function loadKept(context: Context): Promise<LoadedSettings & { context: Context }> {
  const loaded = await loadSettings(context.globals, context.env, { newProfile: true });
  for (const text of loaded.notes) warn(context.streams, text);
  return { ...loaded, context: { ...context, settings: async () => loaded.settings } };
}

/** Answers what is kept afterwards. What `change` throws leaves everything as it was. */
export async function changeKept(
  { env, streams }: Context,
  change: (config: Config) => Config,
): Promise<Config> {
  const { config, notes } = await openStore(env).update(change);
  for (const text of notes) warn(streams, text);
  return config;
}

/** The profile that a change is about: the one that is named, whether it exists or not, else the active one. */
export function profileMeant({ active }: Config, { globals, env }: Context): string | undefined {
  return namedProfile({ globals, env }) ?? active;
}

/** By flag or environment. */
export function namedProfile({ globals, env }: Pick<Context, 'globals' | 'env'>): string | undefined {
  return globals.profile ?? variable(env, 'BOH_PROFILE');
}
