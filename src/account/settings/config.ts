/** Defines and changes the content of the configuration file: profiles, and values for all profiles. */
import { type Failure, usage } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import { didYouMean } from '../../base/suggest.ts';
import type { Secret } from './secret.ts';
import type { SettingValues } from './setting-definitions.ts';

/** One business in one environment: its settings, and the results of signing in. */
export interface Profile extends Partial<SettingValues> {
  token?: Secret;
  client_secret?: Secret;
  /** The account of the token and its scopes, according to the last `whoami`. */
  business_id?: string;
  business_name?: string;
  user_name?: string;
  token_scopes?: string[];
  /** Saved lists by name: see `views.ts`. */
  views?: SavedViews;
}

/** The content of the configuration file. */
export interface Config {
  /** The version of the file format. */
  version: 1;
  /** The profile that is used by default. */
  active?: string;
  profiles: Record<string, Profile>;
  /** Values for all profiles; only for settings whose kind is `preference`. */
  defaults: Partial<SettingValues>;
  /** The views of command lines without a profile, such as with `--sandbox`. */
  views?: SavedViews;
}

/** Returns a configuration without profiles. */
export function emptyConfig(): Config {
  return { version: 1, profiles: {}, defaults: {} };
}

/** Returns the profile with this name. A name such as `constructor` doesn't find inherited members. */
export function findProfile(config: Config, name: string): Profile | undefined {
  return Object.hasOwn(config.profiles, name) ? config.profiles[name] : undefined;
}

/**
 * Returns whether a name is valid for a profile. It may contain letters and digits of any script, because it can be the
 * name of the business.
 */
export function isProfileName(name: string): boolean {
  // Every command calls this, and the pattern for all scripts takes a millisecond to compile.
  return /^[a-z0-9][\w.-]{0,63}$/i.test(name) || /^[\p{L}\p{N}][\p{L}\p{M}\p{N}._-]{0,63}$/u.test(name);
}

/** Returns a message about contradicting settings of a profile; undefined if there are none. */
export function settingsConflict(profile: Profile): string | undefined {
  if (profile.base_url !== undefined && profile.sandbox !== undefined) {
    return "A profile can't have both a base_url and a sandbox.";
  }
  if (profile.token !== undefined && profile.base_url === undefined && profile.sandbox === undefined) {
    return 'A profile with a token must have the base_url that the token is for.';
  }
  return undefined;
}

/** Adds a profile; the first profile becomes active. */
export function addProfile(config: Config, name: string, profile: Profile = {}): Config {
  requireNewName(config, name);
  return { active: name, ...config, profiles: { ...config.profiles, [name]: profile } };
}

/** Changes a profile, or creates it, as signing in does. */
export function putProfile(config: Config, name: string, change: (profile: Profile) => Profile): Config {
  const profile = findProfile(config, name);
  if (profile === undefined) return addProfile(config, name, change({}));
  return { ...config, profiles: { ...config.profiles, [name]: change(profile) } };
}

/** Renames a profile. It keeps its position and stays active. */
export function renameProfile(config: Config, from: string, to: string): Config {
  requireProfile(config, from);
  requireNewName(config, to);
  const profiles = Object.entries(config.profiles).map(([name, profile]) => [
    name === from ? to : name,
    profile,
  ]);
  return {
    ...config,
    ...(config.active === from && { active: to }),
    profiles: Object.fromEntries(profiles),
  };
}

/** Removes a profile with its token. If it was active, no profile is active afterwards. */
export function removeProfile(config: Config, name: string): Config {
  requireProfile(config, name);
  const { active, ...remaining } = config;
  const { [name]: _removed, ...profiles } = config.profiles;
  return { ...remaining, ...(active !== undefined && active !== name && { active }), profiles };
}

/** Makes a profile active. */
export function useProfile(config: Config, name: string): Config {
  requireProfile(config, name);
  return { ...config, active: name };
}

/** Deletes the token and the stored details of its account. The settings and the client secret are kept for the next sign-in. */
export function signOut(config: Config, name: string): Config {
  const { token, business_id, business_name, user_name, token_scopes, ...remaining } = requireProfile(
    config,
    name,
  );
  return { ...config, profiles: { ...config.profiles, [name]: remaining } };
}

/** Returns the profile with this name. Throws a usage failure with the most similar name if it doesn't exist. */
export function requireProfile(config: Config, name: string): Profile {
  const profile = findProfile(config, name);
  if (profile === undefined) throw unknownProfile(config, name);
  return profile;
}

function unknownProfile(config: Config, name: string): Failure {
  const names = Object.keys(config.profiles);
  const hint =
    names.length === 0
      ? boh.hint`To create one: ${boh.profile('auth login')}`
      : boh.hint`To list profiles: ${boh.plain('profiles list')}`;
  return usage(`Profile ${JSON.stringify(name.slice(0, 80))} not found.`, {
    hint: didYouMean(name, names).trim() || hint,
  });
}

function requireNewName(config: Config, name: string): void {
  if (!isProfileName(name)) {
    throw usage(
      'The name of a profile may contain letters, digits, "-", "_" and ".", and begins with a letter or digit.',
    );
  }
  if (findProfile(config, name) !== undefined) {
    throw usage(`Profile "${name}" already exists.`, {
      hint: boh.hint`Choose another name, or change the existing profile: ${boh.forProfile(name, 'config set', 'SETTING', 'VALUE')}`,
    });
  }
}

/** Returns the views of a profile, or the views for command lines without a profile. */
export function viewsOf(config: Config, profile: string | undefined): SavedViews {
  return (profile === undefined ? config.views : findProfile(config, profile)?.views) ?? {};
}

/** Returns the view with this name. Throws a usage failure with the most similar name if it doesn't exist. */
export function requireView(views: SavedViews, name: string): SavedView {
  const view = Object.hasOwn(views, name) ? views[name] : undefined;
  if (view) return view;
  throw usage(`View "${name}" not found.${didYouMean(name, Object.keys(views))}`, {
    hint: boh.hint`To list views: ${boh.account('views list')}`,
  });
}

/** Adds or replaces a view, or removes it if `view` is undefined. */
export function putView(
  config: Config,
  profile: string | undefined,
  name: string,
  view: SavedView | undefined,
): Config {
  const { [name]: _before, ...remaining } = viewsOf(config, profile);
  const views = view ? { ...remaining, [name]: view } : remaining;
  if (profile === undefined) return { ...config, views };
  const owner: Profile = findProfile(config, profile) ?? {};
  return { ...config, profiles: { ...config.profiles, [profile]: { ...owner, views } } };
}

/** The user's flags by long name: a value, several values, or true. */
export type SavedFlags = Readonly<Record<string, string | boolean | readonly string[]>>;

/** A saved list with its flags. */
export interface SavedView {
  /** The resource, by its API name: `inventory_items`. */
  resource: string;
  flags: SavedFlags;
}

export type SavedViews = Readonly<Record<string, SavedView>>;

export function isViewName(name: string): boolean {
  return /^[\p{L}\p{N}][\p{L}\p{M}\p{N}._-]{0,63}$/u.test(name);
}

/** Returns the views in a configuration file. Throws a usage failure if they are invalid. */
export function parseViews(raw: unknown): SavedViews {
  const isValid =
    isRecord(raw) &&
    Object.entries(raw).every(
      ([name, view]) =>
        isViewName(name) &&
        isRecord(view) &&
        typeof view.resource === 'string' &&
        isRecord(view.flags) &&
        Object.values(view.flags).every(isFlagValue) &&
        Object.keys(view).length === 2,
    );
  if (!isValid) throw usage('A view must have a resource and flags.');
  return raw as SavedViews;
}

function isFlagValue(value: unknown): boolean {
  if (Array.isArray(value)) return value.every((text) => typeof text === 'string');
  return typeof value === 'string' || typeof value === 'boolean';
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
