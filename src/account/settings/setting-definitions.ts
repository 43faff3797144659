/** Defines every setting of `boh config`: its name, default value, description and parser. */

import { deployments } from '../../api/deployments/index.ts';
import { parseDurationSeconds } from '../../base/duration.ts';
import { usage } from '../../base/errors.ts';
import { parseTimeZone } from '../../base/local-time-zone.ts';
import { didYouMean } from '../../base/suggest.ts';
import { formatNames } from './format-names.ts';
import { parseApiPrefix, parseBaseUrl, parsePageUrl, parseRedirectUri } from './parse-urls.ts';

export interface Setting<Value> {
  /** The description in `boh config list`. */
  summary: string;
  environmentVariable?: string | undefined;
  /**
   * `service`: it describes one service and belongs to a profile. `preference`: it may also be set for all profiles.
   */
  kind: 'service' | 'preference';
  /** All possible values, if there is a closed list. */
  allowedValues?: readonly string[] | undefined;
  /** Parses a value from the user or from the file. Throws a usage failure that says what is allowed. */
  parse(raw: unknown): Value;
}

const profileColors = ['red', 'green', 'yellow', 'blue', 'magenta', 'cyan'] as const;

/** The settings in the order of `boh config list`, by their documented names. */
export const settingDefinitions = {
  like: serviceSetting(
    'kind of service, whose addresses and wire settings are the defaults',
    enumParser(deployments.map(({ name }) => name)),
    'BOH_LIKE',
  ),
  base_url: serviceSetting('base URL of the service', parseBaseUrl, 'BOH_BASE_URL'),
  api_prefix: serviceSetting('path prefix of every request, such as /v5', parseApiPrefix, 'BOH_API_PREFIX'),
  sandbox: serviceSetting('name of the sandbox to use instead of a service', parseSandboxName),
  token_url: serviceSetting('token URL; default: {base_url}/oauth/token', parsePageUrl),
  authorize_url: serviceSetting('authorization URL', parsePageUrl),
  redirect_uri: serviceSetting('redirect URI, exactly as registered with the service', parseRedirectUri),
  client_id: serviceSetting('client ID of your app', parseWord, 'BOH_CLIENT_ID'),
  scopes: serviceSetting('scopes to request when signing in', parseScopes),
  'oauth.body': serviceSetting('format of the token request body', enumParser(['json', 'form'])),
  'oauth.client_auth': serviceSetting(
    'how the client ID and secret are sent: in the body, or as HTTP Basic',
    enumParser(['body', 'basic']),
  ),
  'oauth.pkce': serviceSetting('whether to use PKCE when signing in', enumParser(['on', 'off'])),
  protected: serviceSetting(
    'whether writes must be confirmed with the name of the business',
    booleanParser(),
  ),
  colour: serviceSetting('color of the profile name', enumParser(profileColors)),
  output: preferenceSetting('output format of results', enumParser(formatNames), 'BOH_OUTPUT'),
  errors: preferenceSetting(
    'format of errors; default: JSON where results are JSON, else text',
    enumParser(['json', 'text']),
    'BOH_ERRORS',
  ),
  quiet: preferenceSetting('whether to print only results and errors', booleanParser(), 'BOH_QUIET'),
  time_zone: preferenceSetting(
    'time zone of times on a terminal, such as Asia/Riyadh or UTC; default: that of this machine',
    (raw) => parseTimeZone(parseWord(raw)),
    'BOH_TIME_ZONE',
  ),
  timeout: preferenceSetting(
    'time limit for each request, in seconds',
    (raw) => parseDurationSeconds(raw),
    'BOH_TIMEOUT',
  ),
  rate: preferenceSetting('maximum request rate: 60/min, 2/s, 500/h', parseRate, 'BOH_RATE'),
  'history.journal': preferenceSetting(
    'whether to record writes in the history',
    enumParser(['on', 'off']),
    'BOH_HISTORY_JOURNAL',
  ),
  'history.before': preferenceSetting(
    'whether to read a record before changing it, so that the change can be undone: on, off, or only in protected profiles',
    enumParser(['on', 'off', 'protected']),
    'BOH_HISTORY_BEFORE',
  ),
  'history.required': preferenceSetting(
    "whether to refuse writes that can't be recorded in the history",
    booleanParser(),
    'BOH_HISTORY_REQUIRED',
  ),
  'wire.filter_style': serviceSetting(
    'how filters are written: filter[name]=x (bracket), or name=x (plain)',
    enumParser(['bracket', 'plain']),
    'BOH_WIRE_FILTER_STYLE',
  ),
  'wire.envelope': serviceSetting(
    'key that contains the records of a response: data, items, or none',
    enumParser(['data', 'items', 'none']),
    'BOH_WIRE_ENVELOPE',
  ),
  'wire.page_param': serviceSetting('query parameter for the page number', parseWord, 'BOH_WIRE_PAGE_PARAM'),
  'wire.page_size_param': serviceSetting(
    'query parameter for the page size, if there is one',
    parseWord,
    'BOH_WIRE_PAGE_SIZE_PARAM',
  ),
  'wire.deleted_filter': serviceSetting(
    'what is_deleted=true returns: active and deleted records (include), or only deleted ones (only)',
    enumParser(['include', 'only']),
    'BOH_WIRE_DELETED_FILTER',
  ),
  'wire.redeem_method': serviceSetting(
    'HTTP method that redeems a loyalty reward',
    enumParser(['GET', 'PUT']),
    'BOH_WIRE_REDEEM_METHOD',
  ),
  'wire.put': serviceSetting(
    "what an update does to fields that it doesn't send: keeps them (merge), or empties them (replace); with replace, boh sends whole records",
    enumParser(['merge', 'replace']),
    'BOH_WIRE_PUT',
  ),
};

export type SettingName = keyof typeof settingDefinitions;

/** Values by setting name, as stored. `timeout` is in seconds. */
export type SettingValues = { [Name in SettingName]: ReturnType<(typeof settingDefinitions)[Name]['parse']> };

/** The default values. A setting without a default value stays unset. */
export const defaultValues = {
  api_prefix: '',
  redirect_uri: 'http://127.0.0.1:8714/callback',
  scopes: [] as string[],
  'oauth.body': 'json',
  'oauth.client_auth': 'body',
  'oauth.pkce': 'off',
  protected: false,
  timeout: 30,
  'history.journal': 'on',
  'history.before': 'on',
  'history.required': false,
  'wire.filter_style': 'bracket',
  'wire.envelope': 'data',
  'wire.page_param': 'page',
  'wire.deleted_filter': 'include',
  'wire.redeem_method': 'GET',
  'wire.put': 'merge',
} as const satisfies Partial<SettingValues>;

/** The names of all settings, in the order of the list. */
export const settingNames = Object.keys(settingDefinitions) as SettingName[];

export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(settingDefinitions, name);
}

/** Parses the name of a sandbox, which becomes part of a file name. */
function parseSandboxName(raw: unknown): string {
  return requireMatch(
    raw,
    /^[a-z0-9][a-z0-9_-]{0,63}$/i,
    'The name of a sandbox may contain letters, digits, "-" and "_".',
  );
}

/** A function that parses a value. `allowedValues` lists the values if there is a closed list. */
interface ValueParser<Value> {
  (raw: unknown): Value;
  allowedValues?: readonly string[];
}

function serviceSetting<Value>(
  summary: string,
  parse: ValueParser<Value>,
  environmentVariable?: string,
): Setting<Value> {
  return {
    summary,
    kind: 'service',
    parse,
    allowedValues: parse.allowedValues,
    environmentVariable,
  };
}

function preferenceSetting<Value>(
  summary: string,
  parse: ValueParser<Value>,
  environmentVariable?: string,
): Setting<Value> {
  return {
    summary,
    kind: 'preference',
    parse,
    allowedValues: parse.allowedValues,
    environmentVariable,
  };
}

function parseWord(raw: unknown): string {
  return requireMatch(raw, /^[\x21-\x7e]{1,256}$/, 'Expected one word without spaces.');
}

function requireMatch(raw: unknown, pattern: RegExp, message: string): string {
  const text = typeof raw === 'string' ? raw.trim() : '';
  if (!pattern.test(text)) throw usage(message);
  return text;
}

/** Checks the limit and returns it as text: the rate limiter parses it again. */
function parseRate(raw: unknown): string {
  return requireMatch(
    typeof raw === 'number' ? String(raw) : raw,
    /^[1-9]\d{0,5}(\/(s|min|h))?$/,
    'Expected a number of requests per minute, second or hour, for example 60/min, 2/s or 500/h.',
  );
}

/** Parses scopes separated by spaces or commas. */
function parseScopes(raw: unknown): string[] {
  const words = typeof raw === 'string' ? raw.split(/[\s,]+/).filter((word) => word !== '') : raw;
  if (!Array.isArray(words) || !words.every((word) => typeof word === 'string' && /^[\w.:*-]+$/.test(word))) {
    throw usage('Expected scopes separated by spaces or commas, for example "general.read orders.list".');
  }
  return [...new Set(words)];
}

function booleanParser(): ValueParser<boolean> {
  return Object.assign(parseBoolean, { allowedValues: ['true', 'false'] });
}

function parseBoolean(raw: unknown): boolean {
  if (raw === true || raw === 'true' || raw === 'yes' || raw === '1') return true;
  if (raw === false || raw === 'false' || raw === 'no' || raw === '0') return false;
  throw usage('Expected true or false.');
}

function enumParser<const Word extends string>(words: readonly Word[]): ValueParser<Word> {
  const parse = (raw: unknown) => {
    const word = words.find((candidate) => candidate.toLowerCase() === String(raw).trim().toLowerCase());
    if (word === undefined) {
      throw usage(`Expected one of ${words.join(', ')}.${didYouMean(String(raw), words)}`);
    }
    return word;
  };
  return Object.assign(parse, { allowedValues: words });
}
