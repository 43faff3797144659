/** Resolves flags, environment, profile and defaults to the settings of a command. */

import { findDeployment } from '../../api/deployments/index.ts';
import type { Environment } from '../../base/environment.ts';
import { Failure, type FieldMessages, usage, violations } from '../../base/errors.ts';
import { type SelectedAccount, type SelectedProfile, selectAccount } from './account.ts';
import { type Config, findProfile, type Profile, requireProfile } from './config.ts';
import { parseBaseUrl, splitPrefix } from './parse-urls.ts';
import { protectionOf } from './protection.ts';
import { parseClientSecret, parseToken, type Secret } from './secret.ts';
import {
  defaultValues,
  type SettingName,
  type SettingValues,
  settingDefinitions,
  settingNames,
} from './setting-definitions.ts';
import { endpointName, type HistorySettings, type SettingSource, type Settings } from './settings.ts';

export interface SettingsInput {
  flags: Flags;
  environment: Environment;
  config: Config;
  /** Whether the profile may not exist yet, because the command creates it. */
  newProfile?: boolean;
}

/** The values by setting name, and their account. */
export interface ResolvedValues {
  values: Partial<SettingValues>;
  source: Partial<Record<SettingName, SettingSource>>;
  selectedProfile: SelectedProfile | undefined;
  account: SelectedAccount;
}

/**
 * Resolves every setting by precedence: flag, environment, profile, default. A profile describes one service: if
 * another service is named, only the profile's preferences are used, and never its token. Throws a usage failure with
 * all problems, also if the account is ambiguous.
 */
export function resolveSettings(input: SettingsInput): Settings {
  const problems: FieldMessages = {};
  const { values, source, selectedProfile, account } = resolve(input, problems);
  const profileInUse = account.isForOtherEndpoint ? undefined : selectedProfile;
  const { token, clientSecret } = resolveSecrets(account, profileInUse, input, problems);
  throwProblems(problems);
  if (account.conflict && !input.newProfile) throw account.conflict.failure;

  const tokenProfile = token?.from === 'profile' ? profileInUse?.profile : undefined;
  const allValues = { ...defaultValues, ...values };
  const baseUrl = allValues.sandbox === undefined ? allValues.base_url : undefined;
  const endpoint = { baseUrl, sandbox: allValues.sandbox, apiPrefix: allValues.api_prefix };
  const protection = protectionOf({ ...endpoint, token, profileInUse, config: input.config });
  return {
    ...signInSettings(allValues, baseUrl),
    ...endpoint,
    profile: profileInUse?.name,
    like: allValues.like,
    clientSecret: clientSecret?.value,
    token: token?.value,
    output: allValues.output,
    errors: allValues.errors,
    quiet: allValues.quiet,
    timeZone: allValues.time_zone,
    colour: allValues.colour,
    protection,
    businessId: tokenProfile?.business_id,
    businessName: tokenProfile?.business_name,
    userName: tokenProfile?.user_name,
    tokenScopes: tokenProfile?.token_scopes,
    timeoutMs: allValues.timeout * 1000,
    rate: allValues.rate,
    history: historySettings(allValues, protection),
    wire: wireSettings(allValues),
    source: { ...source, profile: profileInUse?.from, token: token?.from, client_secret: clientSecret?.from },
    withheld: account.isForOtherEndpoint ? describeWithheldToken(selectedProfile) : undefined,
    conflict: account.conflict,
  };
}

function resolveSecrets(
  account: SelectedAccount,
  profileInUse: SelectedProfile | undefined,
  input: SettingsInput,
  problems: FieldMessages,
) {
  const { token, client_secret: clientSecret } = profileInUse?.profile ?? {};
  const isClientSet = account.usesEnvironment && environmentValue(input.environment, 'BOH_CLIENT_SECRET');
  const from = isClientSet ? 'environment' : 'profile';
  return {
    token: resolveSecret(account.token, input, 'BOH_TOKEN', parseToken, token, problems),
    clientSecret: resolveSecret(from, input, 'BOH_CLIENT_SECRET', parseClientSecret, clientSecret, problems),
  };
}

type AllValues = Partial<SettingValues> & Pick<SettingValues, keyof typeof defaultValues>;

function signInSettings(allValues: AllValues, baseUrl: string | undefined) {
  return {
    tokenUrl: allValues.token_url ?? (baseUrl && `${baseUrl}/oauth/token`),
    authorizeUrl: allValues.authorize_url,
    redirectUri: allValues.redirect_uri,
    clientId: allValues.client_id,
    scopes: [...allValues.scopes],
    oauth: {
      body: allValues['oauth.body'],
      clientAuth: allValues['oauth.client_auth'],
      pkce: allValues['oauth.pkce'] === 'on',
    },
  };
}

function wireSettings(allValues: AllValues): Settings['wire'] {
  return {
    filterStyle: allValues['wire.filter_style'],
    envelope: allValues['wire.envelope'],
    pageParam: allValues['wire.page_param'],
    pageSizeParam: allValues['wire.page_size_param'],
    deletedFilter: allValues['wire.deleted_filter'],
    redeemMethod: allValues['wire.redeem_method'],
    put: allValues['wire.put'],
  };
}

type HistoryValues = Pick<SettingValues, 'history.journal' | 'history.before' | 'history.required'>;

/** Returns the history settings. If recording is required, it is enabled. */
function historySettings(allValues: HistoryValues, protection: Settings['protection']): HistorySettings {
  const [required, before] = [allValues['history.required'], allValues['history.before']];
  return {
    required,
    journal: required || allValues['history.journal'] === 'on',
    before: before === 'on' || (before === 'protected' && protection !== undefined),
  };
}

/** Resolves settings by name, to show them. */
export function resolveValues(input: SettingsInput): ResolvedValues {
  const problems: FieldMessages = {};
  const resolved = resolve(input, problems);
  throwProblems(problems);
  return resolved;
}

function resolve(givenInput: SettingsInput, problems: FieldMessages): ResolvedValues {
  const input = withSplitPrefixes(givenInput);
  const { flags, environment, config } = input;
  const selectedProfile = chooseProfile(input);
  const account = selectAccount({
    config,
    selectedProfile,
    flags: { baseUrl: normalize(flags.baseUrl, parseBaseUrl), sandbox: flags.sandbox },
    environment: {
      baseUrl: normalize(environmentValue(environment, 'BOH_BASE_URL'), parseBaseUrl),
      sandbox: environmentValue(environment, 'BOH_SANDBOX'),
      profile: environmentValue(environment, 'BOH_PROFILE'),
      token: normalize(environmentValue(environment, 'BOH_TOKEN'), (text) => parseToken(text).reveal()),
    },
  });
  const { endpoint, isForOtherEndpoint, usesEnvironment } = account;
  const sandbox = endpoint?.sandbox;
  const isFromEnvironment = !flags.sandbox && sandbox !== selectedProfile?.profile.sandbox;
  const accountLayers = [
    flagLayer(flags, sandbox),
    environmentLayer(environment, usesEnvironment, isFromEnvironment ? sandbox : undefined),
    ...(selectedProfile
      ? [profileLayer(selectedProfile.name, selectedProfile.profile, isForOtherEndpoint)]
      : []),
  ];
  const layers = [...accountLayers, ...presetLayers(accountLayers), ...defaultLayers(config)];
  const resolved = resolveLayers(layers);
  Object.assign(problems, resolved.problems);
  if (flags.sandbox && flags.baseUrl !== undefined) {
    problems['--sandbox'] = ["A sandbox can't be combined with --base-url."];
  }
  return { values: resolved.values, source: resolved.source, selectedProfile, account };
}

/** Returns the input with the prefix of each base URL as its own setting, so that all spellings name the same service. */
function withSplitPrefixes({ flags, environment, config, ...input }: SettingsInput): SettingsInput {
  const profiles = Object.entries(config.profiles).map(
    ([name, profile]) => [name, withSplitPrefix(profile, 'base_url', 'api_prefix')] as const,
  );
  return {
    ...input,
    flags: withSplitPrefix(flags, 'baseUrl', 'apiPrefix'),
    environment: withSplitPrefix(environment, 'BOH_BASE_URL', 'BOH_API_PREFIX'),
    config: { ...config, profiles: Object.fromEntries(profiles) },
  };
}

function withSplitPrefix<Values extends object>(
  values: Values,
  urlName: keyof Values,
  prefixName: keyof Values,
): Values {
  const { [urlName]: url, [prefixName]: prefix } = values;
  const split = typeof url === 'string' ? splitPrefix(url) : undefined;
  if (!split || (prefix && prefix !== split.apiPrefix)) return values;
  return { ...values, [urlName]: split.baseUrl, [prefixName]: split.apiPrefix };
}

/**
 * Returns the parsed value. An invalid value is returned unchanged: it can't name another endpoint, and its layer reports
 * the error.
 */
function normalize(text: string | undefined, parse: (text: string) => string): string | undefined {
  try {
    return text && parse(text);
  } catch (error) {
    if (error instanceof Failure) return text;
    throw error;
  }
}

function chooseProfile({
  flags,
  environment,
  config,
  newProfile,
}: SettingsInput): SelectedProfile | undefined {
  const candidates: { name: string | undefined; from: SettingSource }[] = [
    { name: flags.profile, from: 'flag' },
    { name: environmentValue(environment, 'BOH_PROFILE'), from: 'environment' },
    { name: config.active, from: 'profile' },
  ];
  const candidate = candidates.find(({ name }) => name !== undefined);
  if (candidate?.name === undefined) return undefined;
  const profile = newProfile
    ? (findProfile(config, candidate.name) ?? {})
    : requireProfile(config, candidate.name);
  return { name: candidate.name, profile, from: candidate.from };
}

function describeWithheldToken(selectedProfile: SelectedProfile | undefined): Settings['withheld'] {
  if (selectedProfile?.profile.token === undefined) return undefined;
  const { sandbox, base_url: baseUrl } = selectedProfile.profile;
  return { profile: selectedProfile.name, endpoint: endpointName({ sandbox, baseUrl }) };
}

function resolveSecret(
  from: 'environment' | 'profile' | undefined,
  { environment }: SettingsInput,
  name: 'BOH_TOKEN' | 'BOH_CLIENT_SECRET',
  parse: (text: unknown) => Secret,
  stored: Secret | undefined,
  problems: FieldMessages,
): { value: Secret; from: SettingSource } | undefined {
  if (from === undefined) return undefined;
  if (from === 'profile') return stored && { value: stored, from };
  try {
    return { value: parse(environmentValue(environment, name)), from };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    problems[name] = [error.message];
    return undefined;
  }
}

/** Throws a usage failure if there are problems: one problem as a sentence, several as a list. */
function throwProblems(problems: FieldMessages): void {
  const entries = Object.entries(problems);
  const [first] = entries;
  if (first === undefined) return;
  if (entries.length === 1) throw usage(`${first[0]}: ${first[1].join(' ')}`);
  throw violations('settings', problems);
}

/** The flags about settings as commander returns them. There is no flag for a secret. */
export interface Flags {
  profile?: string | undefined;
  /** Whether to use the embedded sandbox instead of a service. */
  sandbox?: boolean | undefined;
  baseUrl?: string | undefined;
  apiPrefix?: string | undefined;
  like?: string | undefined;
  tokenUrl?: string | undefined;
  authorizeUrl?: string | undefined;
  redirectUri?: string | undefined;
  clientId?: string | undefined;
  scopes?: string | string[] | undefined;
  oauthBody?: string | undefined;
  oauthClientAuth?: string | undefined;
  oauthPkce?: string | undefined;
  output?: string | undefined;
  timeout?: string | undefined;
}

/** The values of one source. */
interface Layer {
  from: SettingSource;
  values: Partial<Record<SettingName, unknown>>;
  /** Whether the values are already normalized. */
  isNormalized?: true;
  /** The name of this source in messages. */
  label(name: SettingName): string;
}

/** Returns the values of the flags. `sandbox` is the name that --sandbox selects; see `account.ts`. */
function flagLayer(flags: Flags, sandbox?: string): Layer {
  const values: Layer['values'] = {
    base_url: flags.baseUrl,
    api_prefix: flags.apiPrefix,
    like: flags.like,
    token_url: flags.tokenUrl,
    authorize_url: flags.authorizeUrl,
    redirect_uri: flags.redirectUri,
    client_id: flags.clientId,
    scopes: flags.scopes,
    'oauth.body': flags.oauthBody,
    'oauth.client_auth': flags.oauthClientAuth,
    'oauth.pkce': flags.oauthPkce,
    output: flags.output,
    timeout: flags.timeout,
  };
  if (flags.sandbox) values.sandbox = sandbox;
  return {
    from: 'flag',
    values,
    label: (name) => (name === 'sandbox' ? 'BOH_SANDBOX' : `--${name.replaceAll(/[_.]/g, '-')}`),
  };
}

/** Returns the values of the environment. Service settings are included only if they apply to the service in use. */
function environmentLayer(environment: Environment, includesService: boolean, sandbox?: string): Layer {
  const values: Layer['values'] = {};
  for (const name of settingNames) {
    if (includesService || settingDefinitions[name].kind === 'preference')
      values[name] = environmentValue(environment, settingDefinitions[name].environmentVariable);
  }
  if (sandbox !== undefined) values.sandbox = sandbox;
  return {
    from: 'environment',
    values,
    label: (name) =>
      name === 'sandbox' ? 'BOH_SANDBOX' : (settingDefinitions[name].environmentVariable ?? name),
  };
}

/** Returns the values of a profile. A profile of another service only provides its preferences. */
function profileLayer(name: string, profile: Profile, preferencesOnly: boolean): Layer {
  const names = settingNames.filter(
    (setting) => !preferencesOnly || settingDefinitions[setting].kind === 'preference',
  );
  return {
    from: 'profile',
    values: Object.fromEntries(names.map((setting) => [setting, profile[setting]])),
    label: (setting) => `${setting} of profile ${name}`,
  };
}

/**
 * Returns the values of the preset that the layers name; none if they name no preset. The base URL isn't among them: it
 * decides which token is sent, so it is always stored or given.
 */
function presetLayers(layers: readonly Layer[]): Layer[] {
  const settingOf = (name: SettingName) =>
    layers.find(({ values }) => values[name] !== undefined)?.values[name];
  const preset = findDeployment(settingOf('like'));
  const label = (name: string) => `${name} of ${preset?.title}`;
  if (!preset) return [];
  const address = preset.addresses.find(({ base_url }) => base_url === settingOf('base_url'));
  return [{ from: 'preset', values: { ...preset.settings, authorize_url: address?.authorize_url }, label }];
}

/** Returns the values that are set for all profiles, then the defaults of boh. */
function defaultLayers(config: Config): Layer[] {
  const common = { from: 'default', label: (name: string) => name } as const;
  return [
    { ...common, values: config.defaults },
    { ...common, values: defaultValues, isNormalized: true },
  ];
}

/** The values in effect. */
interface Resolved {
  values: Partial<SettingValues>;
  source: Partial<Record<SettingName, SettingSource>>;
  /** Problems of invalid values, with their user-visible names. */
  problems: FieldMessages;
}

/** Returns the values in effect, and the problems of invalid values. */
function resolveLayers(layers: Layer[]): Resolved {
  const resolved: Resolved = { values: {}, source: {}, problems: {} };
  for (const name of settingNames) {
    const layer = layers.find(({ values }) => values[name] !== undefined);
    if (layer === undefined) continue;
    try {
      const value = layer.values[name];
      Object.assign(resolved.values, {
        [name]: layer.isNormalized ? value : settingDefinitions[name].parse(value),
      });
      resolved.source[name] = layer.from;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      resolved.problems[layer.label(name)] = [error.message];
    }
  }
  return resolved;
}

/** Returns the value of an environment variable; undefined if it is unset or empty. */
export function environmentValue(environment: Environment, name: string | undefined): string | undefined {
  return (name !== undefined && environment[name]) || undefined;
}
