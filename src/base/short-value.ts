/** Shortens long values in messages to their beginning, their end and their length. */
import { redacted } from './redaction.ts';

/** In characters. A longer value is shortened in a sentence; paths of files are seldom longer. */
const maxLength = 300;

/** How many characters of the beginning and of the end are shown. The end of a path is the name of the file. */
const [shownFirst, shownLast] = [60, 20];

/** Returns the value; if it is longer than `maxLength` characters, its beginning and its length: `abc… (10,000 characters)`. */
export function shortValue(whole: string, maxLength = 60): string {
  // Redacted first, because a part of a secret would not be recognized.
  const value = redacted(whole);
  return value.length <= maxLength ? value : `${head(value, maxLength)}… ${lengthOf(value)}`;
}

/** Matches long values in quotes or without blanks: only these can be distinguished from the sentence around them. */
const longValues = /"[^"\n]{301,}"|“[^”\n]{301,}”|[^\s"“”]{301,}/g;

/** In characters. A line that is still longer contains a value with blanks. */
const maxLineLength = 2_000;

/** Returns a text for people with its long values shortened. The rest of it is unchanged. */
export function withShortValues(whole: string): string {
  const text = redacted(whole);
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
