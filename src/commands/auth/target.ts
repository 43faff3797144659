/** The target of a sign-in: the profile that will store the token, and the settings in effect. */

import { usage } from '../../base/errors.ts';
import type { Context } from '../../context/context.ts';
import { askProfileName } from '../../prompts/sign-in-questions.ts';
import { type Config, type Profile, profileNamed, putProfile } from '../../settings/config.ts';
import type { Flags } from '../../settings/layers.ts';
import { resolveSettings, resolveValues, type SettingsInput } from '../../settings/resolve.ts';
import type { Secret } from '../../settings/secret.ts';
import type { SettingName, SettingValues } from '../../settings/setting-list.ts';
import { endpointName, type Settings } from '../../settings/settings.ts';
import { loadKept, namedProfile } from '../config/kept-settings.ts';

/** The profile that a sign-in stores its token in, and the settings in effect. */
export interface SignInTarget {
  profile: string;
  settings: Settings;
  /** The stored profile; empty for a new one. */
  kept: Profile;
  /** The settings that will be stored with the token. */
  values: Partial<SettingValues>;
  /** A client secret to store: one that was typed or read from a file, not one from the environment. */
  newSecret?: Secret | undefined;
  /** Returns the same target as if these flags had been given too. */
  withFlags(more: Flags): SignInTarget;
}

/** Returns the target of a sign-in. Throws a usage failure if the profile is for another service. */
export async function findTarget(flags: Flags, context: Context): Promise<SignInTarget> {
  const { config } = await loadKept(context);
  const given = { ...context.globals, ...flags };
  const input = { flags: given, environment: context.env, config, newProfile: true };
  // Checked as given, before a profile is chosen.
  refuseConflict(resolveSettings(input));
  const profile = await profileFor(input, context);
  // Throws for an invalid name now, not after the user has signed in.
  putProfile(config, profile, (own) => own);
  return targetFor(profile, { ...input, flags: { ...given, profile } });
}

function targetFor(profile: string, input: SettingsInput): SignInTarget {
  const settings = resolveSettings(input);
  refuseConflict(settings);
  if (settings.profile !== profile) throw otherService(profile, settings, input.config);
  return {
    profile,
    settings,
    kept: profileNamed(input.config, profile) ?? {},
    values: keptValues(input),
    withFlags: (more) => targetFor(profile, { ...input, flags: { ...input.flags, ...more } }),
  };
}

/** Throws if flags and profile name different services. A token of the environment doesn't matter: it is replaced. */
function refuseConflict({ conflict }: Settings): void {
  if (conflict?.about === 'address') throw conflict.failure;
}

/** Returns the profile that is named or in use, else the name of a new one, which a prompt may ask for. */
async function profileFor(input: SettingsInput, context: Context): Promise<string> {
  const { config } = input;
  const named = namedProfile(context);
  if (named !== undefined) return named;
  const settings = resolveSettings(input);
  if (settings.profile !== undefined) return settings.profile;
  if (settings.sandbox !== undefined) return settings.sandbox === 'default' ? 'sandbox' : settings.sandbox;
  if (config.active === undefined) return 'default';
  if (!context.streams.interactive) throw otherService(config.active, settings, config);
  return askProfileName(config, context);
}

function otherService(profile: string, settings: Settings, { profiles }: Config) {
  const { sandbox, base_url: baseUrl } = profiles[profile] ?? {};
  const [its, other] = [endpointName({ sandbox, baseUrl }), endpointName(settings)];
  return usage(`Profile ${profile} is for ${its}, and you are signing in to ${other}.`, {
    hint: 'Use another profile: --profile NAME.',
  });
}

const ofService: readonly SettingName[] = [
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
/** The settings that a sign-in to a sandbox stores: a sandbox knows the others. */
const ofSandbox: readonly SettingName[] = ['sandbox', 'api_prefix', 'scopes'];

/** Returns the settings of the service that don't have their default value: the token is useless without them. */
function keptValues(input: SettingsInput): Partial<SettingValues> {
  const { values, source } = resolveValues(input);
  const names = values.sandbox === undefined ? ofService : ofSandbox;
  const given = names.filter((name) => source[name] !== undefined && source[name] !== 'default');
  return Object.fromEntries(given.map((name) => [name, values[name]]));
}
