/** Settings for the commands that are about settings: a profile that doesn't exist must not keep them from mending that. */
import { type LoadedSettings, loadSettings } from '../settings/load.ts';
import { warn } from '../terminal/messages.ts';
import type { Context } from './context.ts';

/** `context` is the same with these settings in it, so that results are printed by them. */
export async function loadLoosely(context: Context): Promise<LoadedSettings & { context: Context }> {
  const loaded = await loadSettings(context.globals, context.env, { newProfile: true });
  for (const text of loaded.notes) warn(context.streams, text);
  return { ...loaded, context: { ...context, settings: async () => loaded.settings } };
}
