/** Reads and writes the configuration file: JSON in which secrets are plain text. */
import { type Config, isProfileName, type Profile, settingsConflict } from './config.ts';
import { parseClientSecret, parseToken } from './secret.ts';
import { isSettingName, type SettingValues, settingDefinitions } from './setting-definitions.ts';
import { parseViews } from './views.ts';

/** Parses the text of the file, which may begin with a byte order mark. Throws DamagedFile if it isn't JSON. */
export function parseConfigText(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch {
    // The error of JSON.parse quotes the file, which contains tokens.
    throw new DamagedFile('not JSON');
  }
}

/** The error of a file that isn't JSON, probably because it is incomplete. */
export class DamagedFile extends Error {}

/**
 * Decodes the text of the file. Throws DamagedFile if it isn't JSON, and a usage failure with all problems if it has
 * another shape or version.
 */
export async function decodeConfig(text: string, path: string): Promise<Config> {
  const json = parseConfigText(text);
  const config = decodeValid(json);
  if (config !== undefined) return config;
  const { checkConfig } = await import('./config-schema.ts');
  return checkConfig(json, path);
}

/** Returns the text of the file. Secrets are written only here. */
export function encodeConfig({ version, active, defaults, views, ...config }: Config): string {
  const profiles = Object.entries(config.profiles).map(
    ([name, { token, client_secret: clientSecret, ...plain }]) => [
      name,
      { ...plain, token: token?.reveal(), client_secret: clientSecret?.reveal() },
    ],
  );
  return `${JSON.stringify({ version, active, profiles: Object.fromEntries(profiles), defaults, views }, undefined, 2)}\n`;
}

/**
 * Decodes a valid file without zod, which would take every command some milliseconds to load. Returns undefined for any
 * other file; the schema then reports the problems.
 */
export function decodeValid(json: unknown): Config | undefined {
  if (!isRecord(json)) return undefined;
  const { version, active, profiles, defaults, views, ...unknown } = json;
  if (version !== 1 || !isRecord(profiles) || !isRecord(defaults) || Object.keys(unknown).length > 0)
    return undefined;
  if (active !== undefined && (typeof active !== 'string' || !Object.hasOwn(profiles, active)))
    return undefined;
  try {
    return {
      version,
      ...(active !== undefined && { active }),
      profiles: Object.fromEntries(
        Object.entries(profiles).map(([name, profile]) => [
          requireValid(name, isProfileName(name)),
          decodeProfile(profile),
        ]),
      ),
      defaults: decodeDefaults(defaults),
      ...(views !== undefined && { views: parseViews(views) }),
    };
  } catch {
    return undefined;
  }
}

function decodeProfile(raw: unknown): Profile {
  if (!isRecord(raw)) throw new TypeError('not an object');
  const profile: Profile = {};
  for (const [key, value] of Object.entries(raw)) {
    if (isSettingName(key)) Object.assign(profile, { [key]: settingDefinitions[key].parse(value) });
    else if (key === 'token') profile.token = parseToken(value);
    else if (key === 'client_secret') profile.client_secret = parseClientSecret(value);
    else if (key === 'business_id' || key === 'business_name' || key === 'user_name')
      profile[key] = requireValid(String(value), typeof value === 'string');
    else if (key === 'token_scopes') profile[key] = decodeStrings(value);
    else if (key === 'views') profile[key] = parseViews(value);
    else throw new TypeError('unknown key');
  }
  return requireValid(profile, settingsConflict(profile) === undefined);
}

function decodeDefaults(raw: Record<string, unknown>): Partial<SettingValues> {
  const parsed = Object.entries(raw).map(([key, value]) => {
    if (!isSettingName(key) || settingDefinitions[key].kind !== 'preference')
      throw new TypeError('not a setting for all profiles');
    return [key, settingDefinitions[key].parse(value)];
  });
  return Object.fromEntries(parsed);
}

function decodeStrings(raw: unknown): string[] {
  if (!Array.isArray(raw) || !raw.every((text) => typeof text === 'string'))
    throw new TypeError('not a list of strings');
  return raw;
}

function requireValid<Value>(value: Value, condition: boolean): Value {
  if (!condition) throw new TypeError('invalid value');
  return value;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
