/** Making, naming, choosing and removing profiles: each gives a new configuration and leaves the old one alone. */
import { type Failure, usage } from '../base/errors.ts';
import { didYouMean } from '../base/suggest.ts';
import { type Config, isProfileName, type Profile, profileNamed } from './config.ts';

/** Adds a profile; the first one becomes the active one. */
export function addProfile(config: Config, name: string, profile: Profile = {}): Config {
  refuseTaken(config, name);
  return { active: name, ...config, profiles: { ...config.profiles, [name]: profile } };
}

/** Changes a profile, or makes it where it doesn't exist, as signing in does. */
export function putProfile(config: Config, name: string, change: (profile: Profile) => Profile): Config {
  const profile = profileNamed(config, name);
  if (profile === undefined) return addProfile(config, name, change({}));
  return { ...config, profiles: { ...config.profiles, [name]: change(profile) } };
}

/** Renames a profile in its place; it stays the active one where it was. */
export function renameProfile(config: Config, from: string, to: string): Config {
  existing(config, from);
  refuseTaken(config, to);
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

/** Removes a profile with its token. Where it was the active one, none is until one is chosen. */
export function removeProfile(config: Config, name: string): Config {
  existing(config, name);
  const { active, ...rest } = config;
  const { [name]: _removed, ...profiles } = config.profiles;
  return { ...rest, ...(active !== undefined && active !== name && { active }), profiles };
}

/** Makes a profile the active one. */
export function useProfile(config: Config, name: string): Config {
  existing(config, name);
  return { ...config, active: name };
}

/** Forgets the token and all that is known of it; the settings and the client secret stay for the next sign-in. */
export function signOut(config: Config, name: string): Config {
  const { token, business_id, business_name, user_name, token_scopes, ...rest } = existing(config, name);
  return { ...config, profiles: { ...config.profiles, [name]: rest } };
}

/** The profile of that name. Throws a usage failure with the nearest name where there is none. */
export function existing(config: Config, name: string): Profile {
  const profile = profileNamed(config, name);
  if (profile === undefined) throw unknownProfile(config, name);
  return profile;
}

function unknownProfile(config: Config, name: string): Failure {
  const names = Object.keys(config.profiles);
  const hint = names.length === 0 ? 'Make one with `boh auth login`.' : 'See them with `boh profiles list`.';
  return usage(`There is no profile ${JSON.stringify(name.slice(0, 80))}.`, {
    hint: didYouMean(name, names).trim() || hint,
  });
}

function refuseTaken(config: Config, name: string): void {
  if (!isProfileName(name)) {
    throw usage(
      'The name of a profile is made of letters, digits, "-", "_" and ".", and begins with a letter or digit.',
    );
  }
  if (profileNamed(config, name) !== undefined) {
    throw usage(`There is a profile "${name}" already.`, {
      hint: `Choose another name, or change what it says: boh --profile ${name} config set SETTING VALUE`,
    });
  }
}
