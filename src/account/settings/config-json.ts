/** Reads and writes the configuration file: JSON in which secrets are plain text. */
import { Failure, type FieldMessages, usage, violations } from '../../base/errors.ts';
import { requireVersion } from '../../base/format-version.ts';
import { didYouMean } from '../../base/suggest.ts';
import { type Config, isProfileName, type Profile, parseViews, settingsConflict } from './config.ts';
import { parseClientSecret, parseToken } from './secret.ts';
import { type SettingName, settingDefinitions, settingNames } from './setting-definitions.ts';

/** Parses the text of the file, which may begin with a byte order mark. Throws DamagedFile if it isn't JSON. */
function parseConfigText(text: string): unknown {
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
 * Decodes the text of the file. Throws DamagedFile if it isn't JSON, and one usage failure with all problems, each with its
 * path in the file, if it has another shape or version.
 */
export function decodeConfig(text: string, path: string): Config {
  return checkConfig(parseConfigText(text), path);
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

/** Returns the configuration. Throws one usage failure with all violations, or for a file of another version. */
export function checkConfig(json: unknown, path: string): Config {
  requireVersion(Object(json).version ?? 1, 'usage', path, 'Or set BOH_CONFIG_DIR to another folder.');
  const problems: FieldMessages = Object.create(null);
  const config = parseMembers(json, '', configParsers(problems), problems) as unknown as Config;
  for (const name of ['version', 'profiles', 'defaults'] as const)
    if (!Object.hasOwn(Object(json), name)) addProblem(problems, name, 'is missing');
  if (config.active !== undefined && !Object.hasOwn(Object(config.profiles), config.active))
    addProblem(problems, 'active', 'Profile not found.');
  if (Object.keys(problems).length === 0) return config;
  throw violations(`configuration in ${path}`, problems, 'Fix the file in an editor, or rename it.');
}

/** Parses the value at a path. Throws a usage failure, or adds problems of its members. */
type Parse = (raw: unknown, path: string) => unknown;
type Parsers = Readonly<Record<string, Parse>>;

function settingParsers(names: readonly SettingName[]): Parsers {
  return Object.fromEntries(
    names.map((name) => [name, (raw: unknown) => settingDefinitions[name].parse(raw)]),
  );
}

const profileParsers: Parsers = {
  ...settingParsers(settingNames),
  token: parseToken,
  client_secret: parseClientSecret,
  business_id: parseText,
  business_name: parseText,
  user_name: parseText,
  token_scopes: parseTexts,
  views: parseViews,
};

const defaultParsers = settingParsers(
  settingNames.filter((name) => settingDefinitions[name].kind === 'preference'),
);

function configParsers(problems: FieldMessages): Parsers {
  return {
    version: (raw) => raw,
    active: parseText,
    views: parseViews,
    defaults: (raw, path) => parseMembers(raw, path, defaultParsers, problems),
    profiles: (raw, path) =>
      Object.fromEntries(
        Object.entries(requireRecord(raw)).map(([name, value]) => {
          const profilePath = `${path}.${name}`;
          if (!isProfileName(name)) addProblem(problems, profilePath, "This isn't a valid profile name.");
          const profile: Profile = parseMembers(value, profilePath, profileParsers, problems);
          const conflict = settingsConflict(profile);
          if (conflict !== undefined) addProblem(problems, profilePath, conflict);
          return [name, profile];
        }),
      ),
  };
}

/** Parses the members of an object, and adds the problems of each. */
function parseMembers(
  raw: unknown,
  path: string,
  parsers: Parsers,
  problems: FieldMessages,
): Record<string, unknown> {
  const parsed: Record<string, unknown> = {};
  const parse = (memberPath: string, work: () => void) => {
    try {
      work();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      addProblem(problems, memberPath, error.message);
    }
  };
  parse(path, () => {
    for (const [key, value] of Object.entries(requireRecord(raw))) {
      const memberPath = path === '' ? key : `${path}.${key}`;
      const parser = Object.hasOwn(parsers, key) ? parsers[key] : undefined;
      if (!parser) addProblem(problems, path, unknownKey(key));
      else parse(memberPath, () => (parsed[key] = parser(value, memberPath)));
    }
  });
  return parsed;
}

function addProblem(problems: FieldMessages, path: string, message: string): void {
  const field = path || '_';
  problems[field] = [...(problems[field] ?? []), message];
}

function unknownKey(key: string): string {
  const knownKeys = [...Object.keys(profileParsers), ...Object.keys(configParsers({}))];
  const quotedKey = JSON.stringify(key.slice(0, 60));
  if (knownKeys.includes(key)) return `${quotedKey} isn't allowed here.`;
  return `${quotedKey} is an unknown key.${didYouMean(key, knownKeys)}`;
}

function parseText(raw: unknown): string {
  if (typeof raw !== 'string') throw usage('must be text');
  return raw;
}

function parseTexts(raw: unknown): string[] {
  if (!Array.isArray(raw)) throw usage('must be a list of texts');
  return raw.map(parseText);
}

function requireRecord(raw: unknown): Record<string, unknown> {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) throw usage('must be an object');
  return raw as Record<string, unknown>;
}
