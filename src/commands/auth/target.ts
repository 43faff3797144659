/** Finds the target of a sign-in: the profile that will store the token, and the settings in effect. */

import { usage } from '../../base/errors.ts';
import type { Context } from '../../context/context.ts';
import { findDeployment } from '../../deployments/index.ts';
import { type Config, findProfile, type Profile, putProfile } from '../../settings/config.ts';
import type { Flags } from '../../settings/layers.ts';
import { resolveSettings, resolveValues, type SettingsInput } from '../../settings/resolve.ts';
import type { Secret } from '../../settings/secret.ts';
import type { SettingName, SettingValues } from '../../settings/setting-definitions.ts';
import { endpointName, type Settings } from '../../settings/settings.ts';
import { loadStoredSettings, namedProfile } from '../config.ts';
import { askProfileName } from './sign-in.ts';

/** The profile that a sign-in stores its token in, and the settings in effect. */
export interface SignInTarget {
  profile: string;
  settings: Settings;
  /** The stored profile; empty for a new one. */
  storedProfile: Profile;
  /** The settings to store with the token. */
  valuesToStore: Partial<SettingValues>;
  /** A client secret from a prompt or a file, to store it. A secret from the environment isn't stored. */
  newSecret?: Secret | undefined;
  /** Returns the target with additional flags. */
  withFlags(moreFlags: Flags): SignInTarget;
}

/** Returns the target of a sign-in. Throws a usage failure if the profile is for another service. */
export async function findTarget(flags: Flags, context: Context): Promise<SignInTarget> {
  const { config } = await loadStoredSettings(context);
  const allFlags = { ...context.globals, ...flags };
  const input = { flags: allFlags, environment: context.env, config, newProfile: true };
  // The first check uses the flags of the command line, before a profile is chosen.
  refuseConflict(resolveSettings(input));
  const profile = await resolveProfile(input, context);
  // This throws for an invalid name now, not after the user has signed in.
  putProfile(config, profile, (currentProfile) => currentProfile);
  return targetFor(profile, { ...input, flags: { ...allFlags, profile } });
}

function targetFor(profile: string, givenInput: SettingsInput): SignInTarget {
  const input = withPresetAddress(givenInput);
  const settings = resolveSettings(input);
  refuseConflict(settings);
  if (settings.profile !== profile) throw otherServiceFailure(profile, settings, input.config);
  return {
    profile,
    settings,
    storedProfile: findProfile(input.config, profile) ?? {},
    valuesToStore: serviceValues(input),
    withFlags: (moreFlags) => targetFor(profile, { ...input, flags: { ...input.flags, ...moreFlags } }),
  };
}

/** Returns the input with the first address of its preset, unless it has a base URL or a sandbox. */
function withPresetAddress(input: SettingsInput): SettingsInput {
  const { like, base_url: baseUrl, sandbox } = resolveValues(input).values;
  const address = (baseUrl ?? sandbox) ? undefined : findDeployment(like)?.addresses[0];
  return address ? { ...input, flags: { ...input.flags, baseUrl: address.base_url } } : input;
}

/** Throws if flags and profile name different services. It ignores the token in the environment, because a sign-in replaces it. */
function refuseConflict({ conflict }: Settings): void {
  if (conflict?.kind === 'endpoint') throw conflict.failure;
}

/** Returns the named or active profile, or the name of a new profile. May prompt for the name. */
async function resolveProfile(input: SettingsInput, context: Context): Promise<string> {
  const { config } = input;
  const namedProfileName = namedProfile(context);
  if (namedProfileName !== undefined) return namedProfileName;
  const settings = resolveSettings(input);
  if (settings.profile !== undefined) return settings.profile;
  if (settings.sandbox !== undefined) return settings.sandbox === 'default' ? 'sandbox' : settings.sandbox;
  if (config.active === undefined) return 'default';
  if (!context.streams.interactive) throw otherServiceFailure(config.active, settings, config);
  return askProfileName(config, settings.baseUrl, context);
}

function otherServiceFailure(profile: string, settings: Settings, { profiles }: Config) {
  const { sandbox, base_url: baseUrl } = profiles[profile] ?? {};
  const [profileEndpoint, newEndpoint] = [endpointName({ sandbox, baseUrl }), endpointName(settings)];
  return usage(`Profile ${profile} is for ${profileEndpoint}, and you are signing in to ${newEndpoint}.`, {
    hint: 'Use another profile: --profile NAME.',
  });
}

/** The settings that a sign-in to a service stores. */
export const serviceSettings: readonly SettingName[] = [
  'like',
  'base_url',
  'api_prefix',
  'token_url',
  'authorize_url',
  'redirect_uri',
  'client_id',
  'scopes',
  'oauth.body',
  'oauth.client_auth',
  'oauth.pkce',
];
/** The settings that a sign-in to a sandbox stores. A sandbox doesn't need the others. */
const sandboxSettings: readonly SettingName[] = ['like', 'sandbox', 'api_prefix', 'scopes'];

/** Returns the settings of the service that differ from the defaults. Using the token requires them. */
function serviceValues(input: SettingsInput): Partial<SettingValues> {
  const { values, source } = resolveValues(input);
  const names = values.sandbox === undefined ? serviceSettings : sandboxSettings;
  const changedNames = names.filter((name) => !['preset', 'default', undefined].includes(source[name]));
  return Object.fromEntries(changedNames.map((name) => [name, values[name]]));
}
