/** Shortens long values in messages to their beginning, their end and their length. */
import { redact } from './redaction.ts';

/** The maximum length of a value in a sentence, in characters. File paths are rarely longer. */
const maxValueCharacters = 300;

/** The number of characters to keep from the beginning and from the end. A path ends with the file name. */
const [headCharacters, tailCharacters] = [60, 20];

/** Shortens a value that is longer than `maxCharacters` characters to its beginning and its length: `abc… (10,000 characters)`. */
export function shortenValue(text: string, maxCharacters = 60): string {
  // Redact before shortening: a part of a secret would not be recognized.
  const value = redact(text);
  return value.length <= maxCharacters ? value : `${head(value, maxCharacters)}… ${formatLength(value)}`;
}

/** Matches long values in quotes or without spaces: only these can be distinguished from the sentence around them. */
const longValuePattern = /"[^"\n]{301,}"|“[^”\n]{301,}”|[^\s"“”]{301,}/g;

/** The maximum length of a line, in characters. A longer line contains a value with spaces. */
const maxLineCharacters = 2_000;

/** Shortens the long values in a message, and keeps the rest unchanged. */
export function shortenLongValues(message: string): string {
  const text = redact(message);
  if (text.length <= maxValueCharacters) return text;
  return text.replaceAll(longValuePattern, shortenMatch).replaceAll(/[^\n]+/g, shortenLine);
}

function shortenMatch(match: string): string {
  const [, prefix = '', value = '', quote = '', suffix = ''] =
    /^(["“(@]*)(.*?)(["”']?)([).,:;?]*)$/s.exec(match) ?? [];
  const ends = `${head(value, headCharacters)}…${tail(value, tailCharacters)}`;
  return `${prefix}${ends}${quote} ${formatLength(value)}${suffix}`;
}

function shortenLine(line: string): string {
  if (line.length <= maxLineCharacters) return line;
  return `${head(line, maxValueCharacters)}…${tail(line, headCharacters)} ${formatLength(line)}`;
}

/** Returns the first characters, without half of a surrogate pair. */
function head(value: string, count: number): string {
  return value.slice(0, count).replace(/[\ud800-\udbff]$/, '');
}

function tail(value: string, count: number): string {
  return value.slice(-count).replace(/^[\udc00-\udfff]/, '');
}

function formatLength({ length }: string): string {
  return `(${String(length).replace(/\B(?=(\d{3})+$)/g, ',')} characters)`;
}
