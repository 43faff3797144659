/** Shortens long values in messages to their beginning, their end and their length. */
import { redact } from './redaction.ts';

/** The maximum length of a value in a sentence, in characters. File paths are rarely longer. */
const maxLength = 300;

/** The number of characters shown from the beginning and from the end. A path ends with the file name. */
const [shownFirst, shownLast] = [60, 20];

/** Returns the value; if it is longer than `maxLength` characters, its beginning and its length: `abc… (10,000 characters)`. */
export function shortenValue(whole: string, maxLength = 60): string {
  // Redact before shortening: a part of a secret would not be recognized.
  const value = redact(whole);
  return value.length <= maxLength ? value : `${head(value, maxLength)}… ${lengthOf(value)}`;
}

/** Matches long values in quotes or without blanks: only these can be distinguished from the sentence around them. */
const longValues = /"[^"\n]{301,}"|“[^”\n]{301,}”|[^\s"“”]{301,}/g;

/** The maximum length of a line, in characters. A longer line contains a value with blanks. */
const maxLineLength = 2_000;

/** Returns a text with its long values shortened, and the rest unchanged. */
export function shortenLongValues(whole: string): string {
  const text = redact(whole);
  if (text.length <= maxLength) return text;
  return text.replaceAll(longValues, shortFound).replaceAll(/[^\n]+/g, shortLine);
}

function shortFound(found: string): string {
  const [, before = '', value = '', quote = '', behind = ''] =
    /^(["“(@]*)(.*?)(["”']?)([).,:;?]*)$/s.exec(found) ?? [];
  const ends = `${head(value, shownFirst)}…${tail(value, shownLast)}`;
  return `${before}${ends}${quote} ${lengthOf(value)}${behind}`;
}

function shortLine(line: string): string {
  if (line.length <= maxLineLength) return line;
  return `${head(line, maxLength)}…${tail(line, shownFirst)} ${lengthOf(line)}`;
}

/** Returns the first characters, without half of a surrogate pair. */
function head(value: string, count: number): string {
  return value.slice(0, count).replace(/[\ud800-\udbff]$/, '');
}

function tail(value: string, count: number): string {
  return value.slice(-count).replace(/^[\udc00-\udfff]/, '');
}

function lengthOf({ length }: string): string {
  return `(${String(length).replace(/\B(?=(\d{3})+$)/g, ',')} characters)`;
}
