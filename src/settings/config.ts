/** What the configuration file holds, as the rest of boh sees it: profiles, and what is set for all of them. */
import type { Secret } from './secret.ts';
import type { SettingValues } from './setting-list.ts';
import type { SavedViews } from './views.ts';

/** One business in one environment: its settings, and what signing in to it left behind. */
export interface Profile extends Partial<SettingValues> {
  token?: Secret;
  client_secret?: Secret;
  /** Whom the token belongs to and what it allows, as `whoami` said when it was last asked. */
  business_id?: string;
  business_name?: string;
  user_name?: string;
  token_scopes?: string[];
  /** Lists under names: see `views.ts`. */
  views?: SavedViews;
}

export interface Config {
  /** The shape of the file; a file with a higher number was written by a newer boh. */
  version: 1;
  /** The profile in use where none is named. */
  active?: string;
  profiles: Record<string, Profile>;
  /** Values for all profiles; only for settings whose kind is `preference`. */
  defaults: Partial<SettingValues>;
  /** Those of lines that use no profile, such as with `--sandbox`. */
  views?: SavedViews;
}

export function emptyConfig(): Config {
  return { version: 1, profiles: {}, defaults: {} };
}

/** The profile of that name. A name such as `constructor` finds nothing that isn't a profile. */
export function profileNamed(config: Config, name: string): Profile | undefined {
  return Object.hasOwn(config.profiles, name) ? config.profiles[name] : undefined;
}

/** Letters and digits of any script, so that a profile can have the name of the business. */
export function isProfileName(name: string): boolean {
  // Every command comes by here, and the pattern for all scripts takes a millisecond to prepare.
  return /^[a-z0-9][\w.-]{0,63}$/i.test(name) || /^[\p{L}\p{N}][\p{L}\p{M}\p{N}._-]{0,63}$/u.test(name);
}

/** What contradicts itself in a profile, in a sentence. */
export function contradiction(profile: Profile): string | undefined {
  if (profile.base_url !== undefined && profile.sandbox !== undefined) {
    return 'A profile has either a base_url or a sandbox.';
  }
  if (profile.token !== undefined && profile.base_url === undefined && profile.sandbox === undefined) {
    return 'A profile with a token needs the base_url that the token is for.';
  }
  return undefined;
}
