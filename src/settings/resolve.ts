/** Flags, environment, profile and defaults become the one resolved value that every command is handed. */
import { Failure, type FieldMessages, usage, violations } from '../errors.ts';
import { type Config, type Profile, profileNamed } from './config.ts';
import {
  defaultLayers,
  type Environment,
  environmentLayer,
  type Flags,
  flagLayer,
  profileLayer,
  resolveLayers,
  variable,
} from './layers.ts';
import { existing } from './profiles.ts';
import { readClientSecret, readToken, type Secret } from './secret.ts';
import { fallbacks, type SettingName, type SettingValues } from './setting-list.ts';
import { placeOf, type Settings, type Source } from './settings.ts';

export interface SettingsInput {
  flags: Flags;
  environment: Environment;
  config: Config;
  /** For the commands that make a profile: a name that doesn't exist yet is no mistake. */
  newProfile?: boolean;
}

/** Values by setting name, and the profile that they rest on. */
export interface ResolvedValues {
  values: Partial<SettingValues>;
  source: Partial<Record<SettingName, Source>>;
  chosen: { name: string; profile: Profile; from: Source } | undefined;
  /** The profile belongs to another service than the one in use. */
  elsewhere: boolean;
}

/**
 * Resolves every setting: flag before environment before profile before default.
 * A profile describes one service: where a flag or the environment names another, only its taste is used,
 * and above all not its token. Throws a usage failure that lists everything that is wrong.
 */
export function resolveSettings(input: SettingsInput): Settings {
  const problems: FieldMessages = {};
  const { values, source, chosen, elsewhere } = resolve(input, problems);
  const own = elsewhere ? undefined : chosen;
  // A token in the environment is for a service: a sandbox goes by its profile's, or by none.
  const tokenEnvironment = values.sandbox === undefined ? input.environment : {};
  const token = secret(tokenEnvironment, 'BOH_TOKEN', readToken, own?.profile.token, problems);
  const clientSecret = secret(
    input.environment,
    'BOH_CLIENT_SECRET',
    readClientSecret,
    own?.profile.client_secret,
    problems,
  );
  refuse(problems);

  const known = token?.from === 'profile' ? own?.profile : undefined;
  const all = { ...fallbacks, ...values };
  const baseUrl = all.sandbox === undefined ? all.base_url : undefined;
  return {
    profile: own?.name,
    baseUrl,
    apiPrefix: all.api_prefix,
    tokenUrl: all.token_url ?? (baseUrl && `${baseUrl}/oauth/token`),
    authorizeUrl: all.authorize_url,
    redirectUri: all.redirect_uri,
    clientId: all.client_id,
    clientSecret: clientSecret?.value,
    scopes: [...all.scopes],
    token: token?.value,
    output: all.output,
    colour: all.colour,
    protected: all.protected,
    businessName: known?.business_name,
    userName: known?.user_name,
    tokenScopes: known?.token_scopes,
    timeoutMs: all.timeout * 1000,
    sandbox: all.sandbox,
    wire: {
      filterStyle: all['wire.filter_style'],
      pageSizeParam: all['wire.page_size_param'],
      redeemMethod: all['wire.redeem_method'],
    },
    source: { ...source, profile: own?.from, token: token?.from, client_secret: clientSecret?.from },
    withheld: elsewhere ? withheldFrom(chosen) : undefined,
  };
}

/** The same, by setting name, for showing settings. */
export function resolveValues(input: SettingsInput): ResolvedValues {
  const problems: FieldMessages = {};
  const resolved = resolve(input, problems);
  refuse(problems);
  return resolved;
}

function resolve(
  { flags, environment, config, newProfile }: SettingsInput,
  problems: FieldMessages,
): ResolvedValues {
  const chosen = chooseProfile(flags, environment, config, newProfile ?? false);
  const overrides = [flagLayer(flags, environment), environmentLayer(flags, environment)];
  const elsewhere = chosen !== undefined && leadsElsewhere(resolveLayers(overrides).values, chosen.profile);
  const own = chosen === undefined ? [] : [profileLayer(chosen.name, chosen.profile, elsewhere)];
  const resolved = resolveLayers([...overrides, ...own, ...defaultLayers(config)]);
  Object.assign(problems, resolved.problems);
  if (flags.sandbox && flags.baseUrl !== undefined) {
    problems['--sandbox'] = ['The sandbox takes the place of a service: leave out --base-url.'];
  }
  return { values: resolved.values, source: resolved.source, chosen, elsewhere };
}

function chooseProfile(
  flags: Flags,
  environment: Environment,
  config: Config,
  newProfile: boolean,
): ResolvedValues['chosen'] {
  const candidates: { name: string | undefined; from: Source }[] = [
    { name: flags.profile, from: 'flag' },
    { name: variable(environment, 'BOH_PROFILE'), from: 'environment' },
    { name: config.active, from: 'profile' },
  ];
  const found = candidates.find(({ name }) => name !== undefined);
  if (found?.name === undefined) return undefined;
  const profile = newProfile ? (profileNamed(config, found.name) ?? {}) : existing(config, found.name);
  return { name: found.name, profile, from: found.from };
}

function withheldFrom(chosen: ResolvedValues['chosen']): Settings['withheld'] {
  if (chosen?.profile.token === undefined) return undefined;
  const { sandbox, base_url: baseUrl } = chosen.profile;
  return { profile: chosen.name, place: placeOf({ sandbox, baseUrl }) };
}

/** Whether a flag or the environment leads to another service than the one the profile belongs to. */
function leadsElsewhere(overrides: Partial<SettingValues>, profile: Profile): boolean {
  const { sandbox, base_url: baseUrl, token } = profile;
  if (sandbox === undefined && baseUrl === undefined && token === undefined) return false;
  if (overrides.sandbox !== undefined) return overrides.sandbox !== sandbox;
  return overrides.base_url !== undefined && overrides.base_url !== baseUrl;
}

function secret(
  environment: Environment,
  name: 'BOH_TOKEN' | 'BOH_CLIENT_SECRET',
  read: (text: unknown) => Secret,
  stored: Secret | undefined,
  problems: FieldMessages,
): { value: Secret; from: Source } | undefined {
  const text = variable(environment, name);
  if (text === undefined) return stored && { value: stored, from: 'profile' };
  try {
    return { value: read(text), from: 'environment' };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    problems[name] = [error.message];
    return undefined;
  }
}

/** One problem is told in one sentence; several are listed. */
function refuse(problems: FieldMessages): void {
  const entries = Object.entries(problems);
  const [first] = entries;
  if (first === undefined) return;
  if (entries.length === 1) throw usage(`${first[0]}: ${first[1].join(' ')}`);
  throw violations('The settings', problems);
}
