/** Every setting that `boh config` knows: its name, its default, what it is for, and how a value is read. */
import { usage } from '../base/errors.ts';
import { didYouMean } from '../base/suggest.ts';
import { formatNames } from '../terminal/formats/index.ts';
import { readApiPrefix, readBaseUrl, readPageUrl, readRedirectUri } from './address.ts';

/** One row of the list. */
export interface Setting<Value> {
  /** What it is for, in words for `boh config list`. */
  summary: string;
  /** The variable that sets it, where there is one. */
  environment?: string | undefined;
  /**
   * `service`: it describes one service and lives in a profile.
   * `preference`: how someone likes to work; it may also be set for all profiles.
   */
  kind: 'service' | 'preference';
  /** All that it can be, where that is a closed list. */
  words?: readonly string[] | undefined;
  /** A value as typed, or as it stands in the file. Throws a usage failure that says what is allowed. */
  read(raw: unknown): Value;
}

const profileColours = ['red', 'green', 'yellow', 'blue', 'magenta', 'cyan'] as const;

/** In the order in which `boh config list` shows them. Names are those of the documentation. */
export const settingList = {
  base_url: service('the address of the service', readBaseUrl, 'BOH_BASE_URL'),
  api_prefix: service(
    'what stands between that address and a resource, such as /v5',
    readApiPrefix,
    'BOH_API_PREFIX',
  ),
  sandbox: service('the name of the sandbox that takes the place of a service', readSandboxName),
  token_url: service('where a code is exchanged for a token; {base_url}/oauth/token unless set', readPageUrl),
  authorize_url: service('the page on which someone approves boh', readPageUrl),
  redirect_uri: service('where that page leads back to, exactly as registered', readRedirectUri),
  client_id: service('the id of your app at the service', readWord, 'BOH_CLIENT_ID'),
  scopes: service('the scopes to ask for when signing in', readScopes),
  'oauth.body': service('how the exchange of a code is sent', oneOf(['json', 'form'])),
  'oauth.client_auth': service(
    'where client id and secret go in it: its body, or HTTP Basic',
    oneOf(['body', 'basic']),
  ),
  'oauth.pkce': service('whether signing in proves with PKCE who asked for the code', oneOf(['on', 'off'])),
  protected: service('whether a write needs a confirmation that names the business', yesNo()),
  colour: service('the colour in which the name of the profile is shown', oneOf(profileColours)),
  output: preference('the format of results', oneOf(formatNames), 'BOH_OUTPUT'),
  errors: preference(
    'how failures end: in JSON, or in text alone; unless set, in JSON where results are JSON',
    oneOf(['json', 'text']),
    'BOH_ERRORS',
  ),
  quiet: preference('whether to show only results and failures', yesNo(), 'BOH_QUIET'),
  timeout: preference('how many seconds to wait for an answer', (raw) => readSeconds(raw)),
  rate: preference('how many requests at most: 60/min, 2/s, 500/h', readRate, 'BOH_RATE'),
  'history.journal': preference(
    'whether writes are kept in the history',
    oneOf(['on', 'off']),
    'BOH_HISTORY_JOURNAL',
  ),
  'history.before': preference(
    'whether a record is read before it is changed, so that the change can be undone: on, off, or where the profile is protected',
    oneOf(['on', 'off', 'protected']),
    'BOH_HISTORY_BEFORE',
  ),
  'history.required': preference(
    'whether a write that can’t be kept in the history is not sent',
    yesNo(),
    'BOH_HISTORY_REQUIRED',
  ),
  'wire.filter_style': service(
    'how filters are written: filter[name]=x, or name=x',
    oneOf(['bracket', 'plain']),
  ),
  'wire.envelope': service(
    'what stands around records: data, items, or none for nothing at all',
    oneOf(['data', 'items', 'none']),
  ),
  'wire.page_param': service('the query parameter for the number of a page', readWord),
  'wire.page_size_param': service('the query parameter for the rows of a page, where there is one', readWord),
  'wire.deleted_filter': service(
    'what is_deleted=true answers: active and deleted records, or deleted ones alone',
    oneOf(['include', 'only']),
  ),
  'wire.redeem_method': service('the method that redeems a loyalty reward', oneOf(['GET', 'PUT'])),
  'wire.put': service(
    'what an update does to fields that it doesn’t send: leaves them, or empties them; then whole records are sent',
    oneOf(['merge', 'replace']),
    'BOH_WIRE_PUT',
  ),
};

export type SettingName = keyof typeof settingList;

/** Values by setting name, as they stand in the file. `timeout` is in seconds. */
export type SettingValues = { [Name in SettingName]: ReturnType<(typeof settingList)[Name]['read']> };

/** What holds where nobody said anything; what is not here is then simply not set. */
export const fallbacks = {
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

export const settingNames = Object.keys(settingList) as SettingName[];

export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(settingList, name);
}

/** The name of a sandbox becomes part of a file name, so it is kept plain. */
function readSandboxName(raw: unknown): string {
  return matching(
    raw,
    /^[a-z0-9][a-z0-9_-]{0,63}$/i,
    'A sandbox is named with letters, digits, "-" and "_".',
  );
}

/** Reads a value; one of a closed list knows that list. */
interface Reader<Value> {
  (raw: unknown): Value;
  words?: readonly string[];
}

function service<Value>(summary: string, read: Reader<Value>, environment?: string): Setting<Value> {
  return { summary, kind: 'service', read, words: read.words, environment };
}

function preference<Value>(summary: string, read: Reader<Value>, environment?: string): Setting<Value> {
  return { summary, kind: 'preference', read, words: read.words, environment };
}

function readWord(raw: unknown): string {
  return matching(raw, /^[\x21-\x7e]{1,256}$/, 'One word is needed, without spaces.');
}

function matching(raw: unknown, pattern: RegExp, message: string): string {
  const text = typeof raw === 'string' ? raw.trim() : '';
  if (!pattern.test(text)) throw usage(message);
  return text;
}

/** As it is typed: what counts requests reads it. */
function readRate(raw: unknown): string {
  return matching(
    typeof raw === 'number' ? String(raw) : raw,
    /^[1-9]\d{0,5}(\/(s|min|h))?$/,
    'The rate is a number of requests in a minute, a second or an hour, such as 60/min, 2/s or 500/h.',
  );
}

/** Scopes in one text are separated by spaces or commas. */
function readScopes(raw: unknown): string[] {
  const words = typeof raw === 'string' ? raw.split(/[\s,]+/).filter((word) => word !== '') : raw;
  if (!Array.isArray(words) || !words.every((word) => typeof word === 'string' && /^[\w.:*-]+$/.test(word))) {
    throw usage('Scopes are words separated by spaces or commas, such as "general.read orders.list".');
  }
  return [...new Set(words)];
}

/** As a setting that is on or off is typed. */
function yesNo(): Reader<boolean> {
  return Object.assign(readYesNo, { words: ['true', 'false'] });
}

function readYesNo(raw: unknown): boolean {
  if (raw === true || raw === 'true' || raw === 'yes' || raw === '1') return true;
  if (raw === false || raw === 'false' || raw === 'no' || raw === '0') return false;
  throw usage('The value is true or false.');
}

const secondsPerUnit = { ms: 0.001, s: 1, m: 60 };
const longestTimeout = 3600;

/** `longest` in seconds. */
export function readSeconds(raw: unknown, longest = longestTimeout): number {
  const match = /^(\d+(?:\.\d+)?)\s*(ms|s|m)?$/.exec(String(raw).trim());
  const seconds = Number(match?.[1]) * secondsPerUnit[(match?.[2] ?? 's') as keyof typeof secondsPerUnit];
  if (!(seconds > 0 && seconds <= longest)) {
    throw usage(`The time is a number of seconds up to ${longest}, such as 30, or 90s, 500ms, 2m.`);
  }
  return seconds;
}

function oneOf<const Word extends string>(words: readonly Word[]): Reader<Word> {
  const read = (raw: unknown) => {
    const word = words.find((candidate) => candidate.toLowerCase() === String(raw).trim().toLowerCase());
    if (word === undefined) {
      throw usage(`The value is one of ${words.join(', ')}.${didYouMean(String(raw), words)}`);
    }
    return word;
  };
  return Object.assign(read, { words });
}
