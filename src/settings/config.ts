/** What the configuration file holds, as the rest of boh sees it: profiles, and what is set for all of them. */
import type { Secret } from './secret.ts';
import type { SettingValues } from './setting-list.ts';

/** One business in one environment: its settings, and what signing in to it left behind. */
export interface Profile extends Partial<SettingValues> {
  token?: Secret;
  client_secret?: Secret;
  /** Who the token belongs to, as `whoami` said when it was stored. */
  business_name?: string;
  user_name?: string;
}

export interface Config {
  /** The shape of the file; a file with a higher number was written by a newer boh. */
  version: 1;
  /** The profile in use where none is named. */
  active?: string;
  profiles: Record<string, Profile>;
  /** Values for all profiles; only for settings whose kind is `taste`. */
  defaults: Partial<SettingValues>;
}

export function emptyConfig(): Config {
  return { version: 1, profiles: {}, defaults: {} };
}

/** The profile of that name. A name such as `constructor` finds nothing that isn't a profile. */
export function profileNamed(config: Config, name: string): Profile | undefined {
  return Object.hasOwn(config.profiles, name) ? config.profiles[name] : undefined;
}
