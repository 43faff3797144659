/** Resolves settings from their sources, highest precedence first: the first value of each setting applies. */
import type { Environment } from '../base/environment.ts';
import { Failure, type FieldMessages } from '../base/errors.ts';
import { findDeployment } from '../deployments/index.ts';
import type { Config, Profile } from './config.ts';
import {
  defaultValues,
  type SettingName,
  type SettingValues,
  settingDefinitions,
  settingNames,
} from './setting-definitions.ts';
import type { SettingSource } from './settings.ts';

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
export interface Layer {
  from: SettingSource;
  values: Partial<Record<SettingName, unknown>>;
  /** Whether the values are already normalized. */
  isNormalized?: true;
  /** The name of this source in messages. */
  label(name: SettingName): string;
}

/** Returns the values of the flags. `sandbox` is the name that --sandbox selects; see `account.ts`. */
export function flagLayer(flags: Flags, sandbox?: string): Layer {
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
export function environmentLayer(
  environment: Environment,
  includesService: boolean,
  sandbox?: string,
): Layer {
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
export function profileLayer(name: string, profile: Profile, preferencesOnly: boolean): Layer {
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
export function presetLayers(layers: readonly Layer[]): Layer[] {
  const settingOf = (name: SettingName) =>
    layers.find(({ values }) => values[name] !== undefined)?.values[name];
  const preset = findDeployment(settingOf('like'));
  const label = (name: string) => `${name} of ${preset?.title}`;
  if (!preset) return [];
  const address = preset.addresses.find(({ base_url }) => base_url === settingOf('base_url'));
  return [{ from: 'preset', values: { ...preset.settings, authorize_url: address?.authorize_url }, label }];
}

/** Returns the values that are set for all profiles, then the defaults of boh. */
export function defaultLayers(config: Config): Layer[] {
  const common = { from: 'default', label: (name: string) => name } as const;
  return [
    { ...common, values: config.defaults },
    { ...common, values: defaultValues, isNormalized: true },
  ];
}

/** The values in effect. */
export interface Resolved {
  values: Partial<SettingValues>;
  source: Partial<Record<SettingName, SettingSource>>;
  /** Problems of invalid values, with their user-visible names. */
  problems: FieldMessages;
}

/** Returns the values in effect, and the problems of invalid values. */
export function resolveLayers(layers: Layer[]): Resolved {
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
