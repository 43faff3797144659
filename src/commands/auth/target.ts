/** Where a sign-in leads: the profile that will hold the token, and the settings it rests on. */

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

export interface SignInTarget {
  profile: string;
  settings: Settings;
  /** What the profile holds by now; empty for a new one. */
  kept: Profile;
  /** What the profile will hold besides the token. */
  values: Partial<SettingValues>;
  /** A client secret that was given now, to be kept; one from the environment is left where it is. */
  newSecret?: Secret | undefined;
  /** The same target with more flags, as if they had stood on the line. */
  withFlags(more: Flags): SignInTarget;
}

/** Throws a usage failure where the profile that is named belongs to another service. */
export async function findTarget(flags: Flags, context: Context): Promise<SignInTarget> {
  const { config } = await loadKept(context);
  const given = { ...context.globals, ...flags };
  const input = { flags: given, environment: context.env, config, newProfile: true };
  // As it was said, before any profile stands for what was said.
  refuseConflict(resolveSettings(input));
  const profile = await profileFor(input, context);
  // A name that no profile can have is told now, not after someone has signed in.
  putProfile(config, profile, (own) => own);
  return targetFor(profile, { ...input, flags: { ...given, profile } });
}

function targetFor(profile: string, input: SettingsInput): SignInTarget {
  const settings = resolveSettings(input);
  refuseConflict(settings);
  if (settings.profile !== profile) throw otherPlace(profile, settings, input.config);
  return {
    profile,
    settings,
    kept: profileNamed(input.config, profile) ?? {},
    values: keptValues(input),
    withFlags: (more) => targetFor(profile, { ...input, flags: { ...input.flags, ...more } }),
  };
}

/** A token in the environment that is for somebody else is no matter here: another one is about to be kept. */
function refuseConflict({ conflict }: Settings): void {
  if (conflict?.about === 'address') throw conflict.failure;
}

/** The profile that is named or in use; else a new one, for whose name someone may have to be asked. */
async function profileFor(input: SettingsInput, context: Context): Promise<string> {
  const { config } = input;
  const named = namedProfile(context);
  if (named !== undefined) return named;
  const settings = resolveSettings(input);
  if (settings.profile !== undefined) return settings.profile;
  if (settings.sandbox !== undefined) return settings.sandbox === 'default' ? 'sandbox' : settings.sandbox;
  if (config.active === undefined) return 'default';
  if (!context.streams.interactive) throw otherPlace(config.active, settings, config);
  return askProfileName(config, context);
}

function otherPlace(profile: string, settings: Settings, { profiles }: Config) {
  const { sandbox, base_url: baseUrl } = profiles[profile] ?? {};
  const [its, other] = [endpointName({ sandbox, baseUrl }), endpointName(settings)];
  return usage(`Profile ${profile} is for ${its}, and you are signing in to ${other}.`, {
    hint: 'Give this sign-in a profile of its own: --profile NAME.',
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
/** The rest a sandbox knows by itself. */
const ofSandbox: readonly SettingName[] = ['sandbox', 'api_prefix', 'scopes'];

/** Whatever was said of the service, wherever: the token is of no use without it. */
function keptValues(input: SettingsInput): Partial<SettingValues> {
  const { values, source } = resolveValues(input);
  const names = values.sandbox === undefined ? ofService : ofSandbox;
  const said = names.filter((name) => source[name] !== undefined && source[name] !== 'default');
  return Object.fromEntries(said.map((name) => [name, values[name]]));
}
