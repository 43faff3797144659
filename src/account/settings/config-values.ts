/** Returns the settings in effect for `boh config`, and changes those of a profile or of all profiles. */
import { Failure, usage } from '../../base/errors.ts';
import { boh, type Hint } from '../../base/hint.ts';
import { didYouMean } from '../../base/suggest.ts';
import { type Config, type Profile, requireProfile, settingsConflict } from './config.ts';
import { resolveValues, type SettingsInput } from './resolve.ts';
import { isSettingName, type SettingName, settingDefinitions, settingNames } from './setting-definitions.ts';
import { endpointName, type SettingSource } from './settings.ts';

/** A setting with its value and source, as `boh config` prints it. */
export interface ResolvedSetting {
  name: SettingName;
  /** The value; undefined if it isn't set. */
  value?: unknown;
  source?: SettingSource;
  summary: string;
}

/** Returns every setting with its value and source. Secrets aren't settings, so they aren't included. */
export function listSettings(input: SettingsInput): ResolvedSetting[] {
  const { values, source } = resolveValues(input);
  return settingNames.map((name) => {
    const { summary } = settingDefinitions[name];
    const [value, settingSource] = [values[name], source[name]];
    return value === undefined || settingSource === undefined
      ? { name, summary }
      : { name, value, source: settingSource, summary };
  });
}

/** Returns one setting. Throws a usage failure for an unknown name. */
export function getSetting(input: SettingsInput, name: string): ResolvedSetting | undefined {
  const settingName = requireSettingName(name);
  return listSettings(input).find((setting) => setting.name === settingName);
}

/**
 * Sets a value of a profile, or of all profiles if `profile` is undefined. Only preferences can be set for all
 * profiles.
 */
export function setSetting(config: Config, profile: string | undefined, name: string, text: string): Config {
  const setting = requireSettingName(name);
  return changeSetting(config, profile, setting, parseSetting(setting, text));
}

/** Deletes a value, so that the next source applies. */
export function unsetSetting(config: Config, profile: string | undefined, name: string): Config {
  return changeSetting(config, profile, requireSettingName(name), undefined);
}

function changeSetting(
  config: Config,
  name: string | undefined,
  setting: SettingName,
  value: unknown,
): Config {
  if (name === undefined) {
    if (settingDefinitions[setting].kind === 'service')
      throw usage(`${setting} can only be set in a profile: choose one with --profile.`);
    return { ...config, defaults: withSetting(config.defaults, setting, value) };
  }
  const before = requireProfile(config, name);
  const after = withSetting(before, setting, value);
  refuseEndpointChange(name, before, after);
  const problem = settingsConflict(after);
  if (problem !== undefined) throw usage(problem);
  return { ...config, profiles: { ...config.profiles, [name]: after } };
}

/** Throws if a profile with a token would get another URL: the next command would send the token there. */
function refuseEndpointChange(name: string, before: Profile, after: Profile): void {
  if (before.token === undefined) return;
  if (before.base_url === after.base_url && before.sandbox === after.sandbox) return;
  const endpoint = endpointName({ sandbox: before.sandbox, baseUrl: before.base_url });
  throw usage(`Profile ${name} is signed in to ${endpoint}, so its URL can't be changed.`, {
    hint: boh.hint`Create another profile, or sign out first: ${boh.plain('auth logout', '--profile', name)}`,
  });
}

function withSetting<Values extends object>(values: Values, setting: SettingName, value: unknown): Values {
  const { [setting]: _before, ...remaining } = values as Values & Record<SettingName, unknown>;
  return (value === undefined ? remaining : { ...remaining, [setting]: value }) as Values;
}

function parseSetting(setting: SettingName, text: string): unknown {
  try {
    return settingDefinitions[setting].parse(text);
  } catch (error) {
    throw error instanceof Failure ? usage(`${setting}: ${error.message}`) : error;
  }
}

function requireSettingName(name: string): SettingName {
  if (isSettingName(name)) return name;
  const hint =
    secretHints.get(name) ??
    (didYouMean(name, settingNames).trim() || boh.hint`To list settings: ${boh.account('config list')}`);
  throw usage(`Unknown setting ${JSON.stringify(name.slice(0, 80))}.`, { hint });
}

/** Hints for secrets, which aren't settings: on a command line a secret would stay in the shell's history. */
const secretHints = new Map<string, Hint>([
  ['token', boh.hint`To store a token from standard input: ${boh.profile('auth login', '--with-token')}`],
  [
    'client_secret',
    boh.hint`Set BOH_CLIENT_SECRET, or enter it when you sign in: ${boh.profile('auth login')}`,
  ],
]);
