/** Formats command lines without secrets: the command that repeats a write, and the command that the user entered. */

import type { Row } from '../../account/client/shape.ts';
import type { Api } from '../../api/contract/api.ts';
import type { Operation } from '../../api/contract/operation.ts';
import { isSecretName, redactorOfAll } from '../../api/contract/redaction.ts';
import { flagName, formatInput } from '../../api/contract/value-text.ts';
import { quoteForShell } from '../../base/hint.ts';
import { redactionMarker } from '../../base/redaction.ts';
import { accountFlags, type Globals } from '../context/context.ts';

/** Returns the command line that repeats a write, quoted for a POSIX shell: `boh suppliers create --name "Coastal Fish"`. */
export function formatCommandLine(
  globals: Globals,
  { resource, verb, body: fields }: Operation,
  ids: readonly string[],
  body: Row = {},
): string {
  const unchecked = globals.unchecked ? ['--unchecked'] : [];
  const hasFlagLikeId = ids.some(isFlag);
  const words = [
    'boh',
    ...accountFlags(globals),
    ...unchecked,
    resource.command,
    verb,
    ...(hasFlagLikeId ? [] : ids),
  ];
  const jsonFields: Row = {};
  const cleared: string[] = [];
  const secretNames: string[] = [];
  for (const [name, value] of Object.entries(body)) {
    const field = fields.find((candidate) => candidate.name === name)?.field;
    const text = field && formatInput(field, value);
    if (field?.traits.secret) secretNames.push(name);
    else if (value === null) cleared.push(name);
    else if (field?.kind === 'boolean') words.push(value ? `--${flagName(name)}` : `--no-${flagName(name)}`);
    else if (text === '' && Array.isArray(value)) cleared.push(name);
    // Empty flags are refused. A line break in a flag would break the line on a terminal; JSON escapes it.
    else if (text === undefined || text === '' || /\p{Cc}/u.test(text)) jsonFields[name] = value;
    else words.push(...flagWords(flagName(name), text));
  }
  if (cleared.length > 0) words.push('--clear', cleared.join(','));
  if (secretNames.length > 0) words.push('--ask', secretNames.join(','));
  if (Object.keys(jsonFields).length > 0) words.push('--data', JSON.stringify(jsonFields));
  return [...words, ...(hasFlagLikeId ? ['--', ...ids] : [])].map(quoteForShell).join(' ');
}

/** Returns the words of a flag. A value that starts with a dash is joined to the flag, because it would be parsed as another flag. */
function flagWords(name: string, text: string): string[] {
  return text.startsWith('-') ? [`--${name}=${text}`] : [`--${name}`, text];
}

/** The flags with JSON values. A value that can't be parsed is redacted completely. */
const jsonFlags = ['--data'];

/** Returns the command line that the user entered, with its secrets redacted. */
export function redactCommandLine(argv: readonly string[], api: Api): string {
  const words = argv.map((word, index) => {
    const previous = argv[index - 1];
    if (previous !== undefined && jsonFlags.includes(previous)) return redactData(word, api);
    const [, flag, value = ''] = /^(--[^=]+)=(.*)$/s.exec(word) ?? [];
    if (flag === undefined) return redactWord(word, api);
    return `${flag}=${jsonFlags.includes(flag) ? redactData(value, api) : redactWord(value, api)}`;
  });
  return ['boh', ...words.map(quoteForShell)].join(' ');
}

/** Redacts the value of --data. The name of a file or standard input stays unchanged. */
function redactData(text: string, api: Api): string {
  if (text === '-' || text.startsWith('@')) return text;
  return redactJson(text, api) ?? redactionMarker;
}

function redactWord(word: string, api: Api): string {
  if (/^\s*[[{]/.test(word)) return redactJson(word, api) ?? redactionMarker;
  // The password of a URL, then its query parameters.
  return word
    .replace(/^([a-z+]+:\/\/[^/@:]*):[^/@]*@/i, `$1:${redactionMarker}@`)
    .split(/([?&])/)
    .map((part) => {
      const [, name] = /^([^=]+)=/.exec(part) ?? [];
      return name !== undefined && isSecretName(api, name) ? `${name}=${redactionMarker}` : part;
    })
    .join('');
}

function redactJson(text: string, api: Api): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const redactedValue = redactorOfAll(api)(value);
    return redactedValue === value ? text : JSON.stringify(redactedValue);
  } catch {
    return undefined;
  }
}

/**
 * Returns whether a word is a flag. A single dash, a negative number, and a query that starts with a comment (`-- how
 * many`) aren't flags.
 */
export function isFlag(word: string): boolean {
  return word.length > 1 && word.startsWith('-') && !negativeNumberPattern.test(word) && !/^--\s/.test(word);
}

const negativeNumberPattern = /^-(\d+|\d*\.\d+)([eE][+-]?\d+)?$/;
