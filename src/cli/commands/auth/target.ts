/** Finds the target of a sign-in: the profile that will store the token, and its settings. Prompts for missing ones on a terminal. */

import { openSignInAnswers } from '../../../account/settings/caches.ts';
import { type Config, findProfile, type Profile, putProfile } from '../../../account/settings/config.ts';
import {
  type Flags,
  resolveSettings,
  resolveValues,
  type SettingsInput,
} from '../../../account/settings/resolve.ts';
import { parseClientSecret, type Secret } from '../../../account/settings/secret.ts';
import {
  type SettingName,
  type SettingValues,
  settingDefinitions,
} from '../../../account/settings/setting-definitions.ts';
import { endpointName, type Settings } from '../../../account/settings/settings.ts';
import { deployments, findDeployment } from '../../../api/deployments/index.ts';
import { type Failure, usage } from '../../../base/errors.ts';
import type { Context } from '../../context/context.ts';
import { promptsFor } from '../../prompts/terminal/prompts.ts';
import { note } from '../../terminal/messages.ts';
import { loadStoredSettings, namedProfile } from '../config.ts';
import { askProfileName, readServerMetadata, validateWith } from './sign-in.ts';

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

interface RequiredSetting {
  /** The flag or environment variable that sets it. */
  source: string;
  isMissing(target: SignInTarget): boolean;
  ask(target: SignInTarget, context: Context): Promise<SignInTarget>;
  /** Whether it is only prompted for on a terminal, and may be missing elsewhere. */
  isOptional?: true;
}

const baseUrlSetting = requiredSetting('base_url', {
  question: 'Base URL of the service, for example https://api.example.com:',
  source: '--base-url or BOH_BASE_URL',
});

const requiredSettings = {
  base_url: { ...baseUrlSetting, ask: askService },
  authorize_url: requiredSetting('authorize_url', {
    question: 'Authorization URL:',
    source: '--authorize-url',
  }),
  client_id: requiredSetting('client_id', {
    question: 'Client ID of your app:',
    source: '--client-id or BOH_CLIENT_ID',
  }),
  scopes: {
    ...requiredSetting('scopes', {
      question: 'Scopes to request (Enter for the registered scopes of the app):',
      repeatQuestion: 'Scopes to request:',
      source: '--scopes',
    }),
    isOptional: true,
  },
  client_secret: {
    source: 'BOH_CLIENT_SECRET or --client-secret-file',
    isMissing: ({ newSecret, settings }) => (newSecret ?? settings.clientSecret) === undefined,
    ask: async (target, { streams }) => {
      const message = 'Client secret:';
      const prompts = await promptsFor(streams);
      const answer = await prompts.askHidden({ message, validate: validateWith(parseClientSecret) });
      return { ...target, newSecret: parseClientSecret(answer) };
    },
  },
} satisfies Record<string, RequiredSetting>;

/** Returns the target with all required settings. Throws one usage failure that lists all missing settings. */
export async function completeTarget(
  target: SignInTarget,
  names: readonly (keyof typeof requiredSettings)[],
  context: Context,
): Promise<SignInTarget> {
  const { interactive } = context.streams;
  let completedTarget = target;
  const missingNames = () =>
    names.filter((name) => {
      const setting: RequiredSetting = requiredSettings[name];
      return setting.isMissing(completedTarget) && (interactive || !setting.isOptional);
    });
  for (const name of names) {
    if (name === 'authorize_url' && (interactive || missingNames().join() === name))
      completedTarget = await withServerMetadata(completedTarget, context);
    if (interactive && missingNames().includes(name))
      completedTarget = await requiredSettings[name].ask(completedTarget, context);
    if (interactive && name === 'base_url') completedTarget = withEarlierFlags(completedTarget, context);
    keepFlags(completedTarget, context);
  }
  if (!interactive && missingNames().length > 0) throw missingSettings(missingNames());
  return completedTarget;
}

/** Stores the answers and flags immediately, so that the next attempt suggests them if this one fails or is interrupted. */
function keepFlags({ profile, settings, valuesToStore }: SignInTarget, { env }: Context): void {
  const names = serviceSettings.filter((name) => settings.source[name] === 'flag');
  if (settings.sandbox !== undefined || names.length === 0) return;
  openSignInAnswers(env, profile).put(
    Object.fromEntries(names.map((name) => [name, String(valuesToStore[name])])),
  );
}

/**
 * Returns the target with the flags of the last attempt, if it failed, that no question asks for. Deletes the answers of
 * an attempt for another service.
 */
function withEarlierFlags(target: SignInTarget, { env, streams }: Context): SignInTarget {
  const answers = openSignInAnswers(env, target.profile);
  const earlier = answers.get();
  if (earlier.base_url !== target.settings.baseUrl) answers.forget();
  const names = serviceSettings.filter(
    (name) => !(name in requiredSettings) && answers.get()[name] !== undefined && isUnset(name, target),
  );
  if (names.length === 0) return target;
  note(streams, `From the last attempt: ${names.map((name) => `${name} ${earlier[name]}`).join(', ')}.`);
  return withFlags(target, Object.fromEntries(names.map((name) => [flagKey(name), earlier[name]])));
}

/** Returns the target with the URLs that the service publishes (RFC 8414), if it publishes any. */
async function withServerMetadata(target: SignInTarget, context: Context): Promise<SignInTarget> {
  if (!isUnset('authorize_url', target)) return target;
  const { authorizeUrl, tokenUrl } = await readServerMetadata(target.settings, context);
  if (authorizeUrl === undefined) return target;
  const isTokenUrlNew = isUnset('token_url', target) && tokenUrl !== target.settings.tokenUrl;
  const flags = { authorizeUrl, ...(isTokenUrlNew && { tokenUrl }) };
  note(context.streams, `URLs that the service publishes: ${Object.values(flags).join(', ')}.`);
  return withFlags(target, flags);
}

/** Asks for the service: one of a preset, or the base URL of another one. */
async function askService(target: SignInTarget, context: Context): Promise<SignInTarget> {
  if (target.settings.like !== undefined) return baseUrlSetting.ask(target, context);
  const presets = deployments.flatMap(({ name: like, title, summary, addresses }) =>
    addresses.map(({ name, base_url: baseUrl }) => ({
      value: { like, baseUrl } as Flags,
      label: `${title}, ${name}`,
      description: summary,
    })),
  );
  const other = { value: {} as Flags, label: 'Another service' };
  const { base_url: earlierUrl } = openSignInAnswers(context.env, target.profile).get();
  const initial =
    presets.find(({ value }) => value.baseUrl === earlierUrl) ?? (earlierUrl ? other : presets[0]);
  const service = await (await promptsFor(context.streams)).choose({
    message: 'Which service do you use?',
    choices: [...presets, other],
    initial: initial?.value,
  });
  return service === other.value ? baseUrlSetting.ask(target, context) : withFlags(target, service);
}

function withFlags(target: SignInTarget, flags: Flags): SignInTarget {
  return { ...target.withFlags(flags), newSecret: target.newSecret };
}

function isUnset(name: SettingName, { settings: { source } }: SignInTarget): boolean {
  return source[name] === undefined || source[name] === 'default';
}

/** Returns the name of a setting's flag as commander spells it: `oauthClientAuth`. */
function flagKey(name: SettingName): string {
  return name.replaceAll(/[_.]([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function requiredSetting(
  name: SettingName,
  // `repeatQuestion` is asked if there is an earlier answer, which Enter repeats.
  {
    question,
    source,
    repeatQuestion = question,
  }: { question: string; source: string; repeatQuestion?: string },
): RequiredSetting {
  return {
    source,
    isMissing: (target) => target.settings.sandbox === undefined && isUnset(name, target),
    ask: async (target, { streams, env }) => {
      const initial = openSignInAnswers(env, target.profile).get()[name];
      const answer = await (await promptsFor(streams)).ask({
        message: initial ? repeatQuestion : question,
        validate: validateWith(settingDefinitions[name].parse),
        ...(initial && { initial }),
      });
      return withFlags(target, { [flagKey(name)]: answer });
    },
  };
}

function missingSettings(names: readonly (keyof typeof requiredSettings)[]): Failure {
  const fields = Object.fromEntries(
    names.map((name) => [name, [`set it with ${requiredSettings[name].source}`]]),
  );
  return usage('Missing settings, and no terminal to prompt for them.', { fields });
}
