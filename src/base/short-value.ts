/** Values in sentences: one of ten thousand characters is known by its beginning, its end and its length. */
import { redacted } from './mask.ts';

/** A longer value is shortened in a sentence; paths of files are seldom as long. */
const longest = 300;

/** As many characters are shown of its beginning, and of its end: in a path the name of the file is there. */
const [shownFirst, shownLast] = [60, 20];

/** The value, or where it is longer than `most` characters its beginning and its length: `abc… (10,000 characters)`. */
export function shortValue(whole: string, most = 60): string {
  // A part of a secret would not be known as one any more.
  const value = redacted(whole);
  return value.length <= most ? value : `${head(value, most)}… ${lengthOf(value)}`;
}

/** Between quotes, or without a blank: only that can be told from the sentence around it. */
const longValues = /"[^"\n]{301,}"|“[^”\n]{301,}”|[^\s"“”]{301,}/g;

/** A line that is still longer holds a value with blanks in it. */
const longestLine = 2_000;

/** A text for people whose long values are shortened. All else of it stays as it is. */
export function withShortValues(whole: string): string {
  const text = redacted(whole);
  if (text.length <= longest) return text;
  return text.replaceAll(longValues, shortFound).replaceAll(/[^\n]+/g, shortLine);
}

function shortFound(found: string): string {
  const [, before = '', value = '', quote = '', behind = ''] =
    /^(["“(@]*)(.*?)(["”']?)([).,:;?]*)$/s.exec(found) ?? [];
  const ends = `${head(value, shownFirst)}…${tail(value, shownLast)}`;
  return `${before}${ends}${quote} ${lengthOf(value)}${behind}`;
}

function shortLine(line: string): string {
  if (line.length <= longestLine) return line;
  return `${head(line, longest)}…${tail(line, shownFirst)} ${lengthOf(line)}`;
}

/** Never half of a character. */
function head(value: string, count: number): string {
  return value.slice(0, count).replace(/[\ud800-\udbff]$/, '');
}

function tail(value: string, count: number): string {
  return value.slice(-count).replace(/^[\udc00-\udfff]/, '');
}

function lengthOf({ length }: string): string {
  return `(${String(length).replace(/\B(?=(\d{3})+$)/g, ',')} characters)`;
}
