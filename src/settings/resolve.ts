/** Flags, environment, profile and defaults become the one resolved value that every command is handed. */
import { Failure, type FieldMessages, usage, violations } from '../errors.ts';
import { type Config, type Profile, profileNamed } from './config.ts';
import { didYouMean } from './did-you-mean.ts';
import {
  defaultsLayer,
  type Environment,
  environmentLayer,
  type Flags,
  flagLayer,
  profileLayer,
  resolveLayers,
  variable,
} from './layers.ts';
import { readClientSecret, readToken, type Secret } from './secret.ts';
import { fallbacks, type SettingValues } from './setting-list.ts';
import { placeOf, type Settings, type Source } from './settings.ts';

export interface SettingsInput {
  flags: Flags;
  environment: Environment;
  config: Config;
  /** For the commands that make a profile: a name that doesn't exist yet is no mistake. */
  newProfile?: boolean;
}

/**
 * Resolves every setting: flag before environment before profile before default.
 * A profile describes one service: where a flag or the environment names another, only its taste is used,
 * and above all not its token. Throws a usage failure that lists everything that is wrong.
 */
export function resolveSettings({ flags, environment, config, newProfile = false }: SettingsInput): Settings {
  const chosen = chooseProfile(flags, environment, config, newProfile);
  const profile = chosen?.profile ?? {};

  const overrides = [flagLayer(flags, environment), environmentLayer(flags, environment)];
  const elsewhere = namesAnotherPlace(resolveLayers(overrides).values, profile);
  const { values, source, problems } = resolveLayers([
    ...overrides,
    profileLayer(chosen?.name ?? '', profile, elsewhere),
    defaultsLayer(config),
  ]);
  if (flags.sandbox && flags.baseUrl !== undefined) {
    problems['--sandbox'] = ['The sandbox takes the place of a service: leave out --base-url.'];
  }
  const token = secretFrom(
    environment,
    'BOH_TOKEN',
    readToken,
    elsewhere ? undefined : profile.token,
    problems,
  );
  const clientSecret = secretFrom(
    environment,
    'BOH_CLIENT_SECRET',
    readClientSecret,
    elsewhere ? undefined : profile.client_secret,
    problems,
  );
  refuse(problems);

  const all = { ...fallbacks, ...values };
  const baseUrl = all.sandbox === undefined ? all.base_url : undefined;
  return {
    profile: elsewhere ? undefined : chosen?.name,
    baseUrl,
    apiPrefix: all.api_prefix,
    tokenUrl: all.token_url ?? (baseUrl === undefined ? undefined : `${baseUrl}/oauth/token`),
    authorizeUrl: all.authorize_url,
    redirectUri: all.redirect_uri,
    clientId: all.client_id,
    clientSecret: clientSecret?.value,
    scopes: [...all.scopes],
    token: token?.value,
    output: all.output,
    colour: all.colour,
    protected: all.protected,
    businessName: token?.from === 'profile' ? profile.business_name : undefined,
    timeoutMs: all.timeout * 1000,
    sandbox: all.sandbox,
    wire: {
      filterStyle: all['wire.filter_style'],
      pageSizeParam: all['wire.page_size_param'],
      redeemMethod: all['wire.redeem_method'],
    },
    source: {
      ...Object.fromEntries(Object.keys(fallbacks).map((name) => [name, 'default'])),
      ...source,
      profile: elsewhere ? undefined : chosen?.from,
      token: token?.from,
      client_secret: clientSecret?.from,
    },
    withheld:
      elsewhere && chosen !== undefined && profile.token !== undefined
        ? { profile: chosen.name, place: placeOf({ sandbox: profile.sandbox, baseUrl: profile.base_url }) }
        : undefined,
  };
}

function chooseProfile(flags: Flags, environment: Environment, config: Config, newProfile: boolean) {
  const candidates: { name: string | undefined; from: Source }[] = [
    { name: flags.profile, from: 'flag' },
    { name: variable(environment, 'BOH_PROFILE'), from: 'environment' },
    { name: config.active, from: 'profile' },
  ];
  const chosen = candidates.find(({ name }) => name !== undefined);
  if (chosen?.name === undefined) return undefined;
  const profile = profileNamed(config, chosen.name);
  if (profile === undefined && !newProfile) throw unknownProfile(chosen.name, config);
  return { name: chosen.name, from: chosen.from, profile };
}

/** The failure for a profile that isn't there, with the nearest name that is. */
export function unknownProfile(name: string, config: Config): Failure {
  return usage(`There is no profile "${name}".`, {
    hint: didYouMean(name, Object.keys(config.profiles)) ?? 'See them with `boh profiles list`.',
  });
}

/** Whether a flag or the environment leads to another service than the one the profile belongs to. */
function namesAnotherPlace(overrides: Partial<SettingValues>, profile: Profile): boolean {
  const { sandbox, base_url: baseUrl, token } = profile;
  if (sandbox === undefined && baseUrl === undefined && token === undefined) return false;
  if (overrides.sandbox !== undefined) return overrides.sandbox !== sandbox;
  return overrides.base_url !== undefined && overrides.base_url !== baseUrl;
}

function secretFrom(
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
