/** Resolves flags, environment, profile and defaults to the settings of a command. */

import type { Environment } from '../base/environment.ts';
import { Failure, type FieldMessages, usage, violations } from '../base/errors.ts';
import { type ChosenAccount, type ChosenProfile, selectedAccount } from './account.ts';
import { readBaseUrl } from './address.ts';
import { type Config, existing, profileNamed } from './config.ts';
import {
  defaultLayers,
  environmentLayer,
  type Flags,
  flagLayer,
  profileLayer,
  resolveLayers,
  variable,
} from './layers.ts';
import { protectionOf } from './protection.ts';
import { readClientSecret, readToken, type Secret } from './secret.ts';
import { fallbacks, type SettingName, type SettingValues } from './setting-list.ts';
import { endpointName, type HistorySettings, type SettingSource, type Settings } from './settings.ts';

/** The sources of settings. */
export interface SettingsInput {
  flags: Flags;
  environment: Environment;
  config: Config;
  /** The name of a profile to create, which needn't exist yet. */
  newProfile?: boolean;
}

/** The values by setting name, and their account. */
export interface ResolvedValues {
  values: Partial<SettingValues>;
  source: Partial<Record<SettingName, SettingSource>>;
  chosen: ChosenProfile | undefined;
  account: ChosenAccount;
}

/**
 * Resolves every setting: flag before environment before profile before default. A profile describes one service: if
 * another one is named, only its preferences are used, and never its token. Throws a usage failure with all problems,
 * also if the account is ambiguous.
 */
export function resolveSettings(input: SettingsInput): Settings {
  const problems: FieldMessages = {};
  const { values, source, chosen, account } = resolve(input, problems);
  const own = account.elsewhere ? undefined : chosen;
  const { token, clientSecret } = secretsOf(account, own, input, problems);
  refuse(problems);
  if (account.conflict && !input.newProfile) throw account.conflict.failure;

  const known = token?.from === 'profile' ? own?.profile : undefined;
  const all = { ...fallbacks, ...values };
  const baseUrl = all.sandbox === undefined ? all.base_url : undefined;
  const place = { baseUrl, sandbox: all.sandbox, apiPrefix: all.api_prefix };
  const protection = protectionOf({ ...place, token, own, config: input.config });
  return {
    ...signInOf(all, baseUrl),
    ...place,
    profile: own?.name,
    clientSecret: clientSecret?.value,
    token: token?.value,
    output: all.output,
    errors: all.errors,
    quiet: all.quiet,
    colour: all.colour,
    protection,
    businessId: known?.business_id,
    businessName: known?.business_name,
    userName: known?.user_name,
    tokenScopes: known?.token_scopes,
    timeoutMs: all.timeout * 1000,
    rate: all.rate,
    history: historyOf(all, protection),
    wire: wireOf(all),
    source: { ...source, profile: own?.from, token: token?.from, client_secret: clientSecret?.from },
    withheld: account.elsewhere ? withheldFrom(chosen) : undefined,
    conflict: account.conflict,
  };
}

function secretsOf(
  account: ChosenAccount,
  own: ChosenProfile | undefined,
  input: SettingsInput,
  problems: FieldMessages,
) {
  const { token, client_secret: clientSecret } = own?.profile ?? {};
  const isClientSet = account.environmentCounts && variable(input.environment, 'BOH_CLIENT_SECRET');
  const from = isClientSet ? 'environment' : 'profile';
  return {
    token: secretFrom(account.token, input, 'BOH_TOKEN', readToken, token, problems),
    clientSecret: secretFrom(from, input, 'BOH_CLIENT_SECRET', readClientSecret, clientSecret, problems),
  };
}

type AllValues = Partial<SettingValues> & Pick<SettingValues, keyof typeof fallbacks>;

function signInOf(all: AllValues, baseUrl: string | undefined) {
  return {
    tokenUrl: all.token_url ?? (baseUrl && `${baseUrl}/oauth/token`),
    authorizeUrl: all.authorize_url,
    redirectUri: all.redirect_uri,
    clientId: all.client_id,
    scopes: [...all.scopes],
    oauth: {
      body: all['oauth.body'],
      clientAuth: all['oauth.client_auth'],
      pkce: all['oauth.pkce'] === 'on',
    },
  };
}

function wireOf(all: AllValues): Settings['wire'] {
  return {
    filterStyle: all['wire.filter_style'],
    envelope: all['wire.envelope'],
    pageParam: all['wire.page_param'],
    pageSizeParam: all['wire.page_size_param'],
    deletedFilter: all['wire.deleted_filter'],
    redeemMethod: all['wire.redeem_method'],
    put: all['wire.put'],
  };
}

type HistoryValues = Pick<SettingValues, 'history.journal' | 'history.before' | 'history.required'>;

/** Returns the history settings. If recording is required, it is enabled. */
function historyOf(all: HistoryValues, protection: Settings['protection']): HistorySettings {
  const [required, before] = [all['history.required'], all['history.before']];
  return {
    required,
    journal: required || all['history.journal'] === 'on',
    before: before === 'on' || (before === 'protected' && protection !== undefined),
  };
}

/** Resolves settings by name, to show them. */
export function resolveValues(input: SettingsInput): ResolvedValues {
  const problems: FieldMessages = {};
  const resolved = resolve(input, problems);
  refuse(problems);
  return resolved;
}

function resolve(input: SettingsInput, problems: FieldMessages): ResolvedValues {
  const { flags, environment, config } = input;
  const chosen = chooseProfile(input);
  const account = selectedAccount({
    config,
    chosen,
    flags: { baseUrl: asRead(flags.baseUrl, readBaseUrl), sandbox: flags.sandbox },
    environment: {
      baseUrl: asRead(variable(environment, 'BOH_BASE_URL'), readBaseUrl),
      sandbox: variable(environment, 'BOH_SANDBOX'),
      profile: variable(environment, 'BOH_PROFILE'),
      token: asRead(variable(environment, 'BOH_TOKEN'), (text) => readToken(text).reveal()),
    },
  });
  const { place, elsewhere, environmentCounts } = account;
  const sandbox = place?.sandbox;
  const isOfEnvironment = !flags.sandbox && sandbox !== chosen?.profile.sandbox;
  const layers = [
    flagLayer(flags, sandbox),
    environmentLayer(environment, environmentCounts, isOfEnvironment ? sandbox : undefined),
    ...(chosen ? [profileLayer(chosen.name, chosen.profile, elsewhere)] : []),
    ...defaultLayers(config),
  ];
  const resolved = resolveLayers(layers);
  Object.assign(problems, resolved.problems);
  if (flags.sandbox && flags.baseUrl !== undefined) {
    problems['--sandbox'] = ["A sandbox can't be combined with --base-url."];
  }
  return { values: resolved.values, source: resolved.source, chosen, account };
}

/**
 * Reads a value; an invalid one is returned unchanged, because it can't name another address, and its layer reports
 * the error.
 */
function asRead(text: string | undefined, read: (text: string) => string): string | undefined {
  try {
    return text && read(text);
  } catch (error) {
    if (error instanceof Failure) return text;
    throw error;
  }
}

function chooseProfile({ flags, environment, config, newProfile }: SettingsInput): ChosenProfile | undefined {
  const candidates: { name: string | undefined; from: SettingSource }[] = [
    { name: flags.profile, from: 'flag' },
    { name: variable(environment, 'BOH_PROFILE'), from: 'environment' },
    { name: config.active, from: 'profile' },
  ];
  const found = candidates.find(({ name }) => name !== undefined);
  if (found?.name === undefined) return undefined;
  const profile = newProfile ? (profileNamed(config, found.name) ?? {}) : existing(config, found.name);
  return { name: found.name, profile, from: found.from };
}

function withheldFrom(chosen: ChosenProfile | undefined): Settings['withheld'] {
  if (chosen?.profile.token === undefined) return undefined;
  const { sandbox, base_url: baseUrl } = chosen.profile;
  return { profile: chosen.name, place: endpointName({ sandbox, baseUrl }) };
}

function secretFrom(
  from: 'environment' | 'profile' | undefined,
  { environment }: SettingsInput,
  name: 'BOH_TOKEN' | 'BOH_CLIENT_SECRET',
  read: (text: unknown) => Secret,
  stored: Secret | undefined,
  problems: FieldMessages,
): { value: Secret; from: SettingSource } | undefined {
  if (from === undefined) return undefined;
  if (from === 'profile') return stored && { value: stored, from };
  try {
    return { value: read(variable(environment, name)), from };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    problems[name] = [error.message];
    return undefined;
  }
}

/** Throws one problem as a sentence, and several as a list. */
function refuse(problems: FieldMessages): void {
  const entries = Object.entries(problems);
  const [first] = entries;
  if (first === undefined) return;
  if (entries.length === 1) throw usage(`${first[0]}: ${first[1].join(' ')}`);
  throw violations('settings', problems);
}
