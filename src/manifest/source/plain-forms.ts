/** What plain YAML and JSON are written with: the characters, names, texts with quotes and without. */

import type { Entry } from './node.ts';
import { plainValue } from './plain-value.ts';

/** Not an error of anybody’s: the file is read by the library. */
export class NotPlain extends Error {}

/** Tabs, other ends of lines and what nobody sees have rules of their own. */
export function isOfPlainCharacters(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  return !/[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/.test(text);
}

/** A name with nothing special about it. */
export const namePattern = /[A-Za-z_$][\w$-]*/y;

/** Texts without quotes, as far as they go on their line. */
const first = String.raw`(?:[^\s,[\]{}:#"'&*!|>%@\u0060?-]|-(?=\d))`;
export const blockText = new RegExp(String.raw`${first}(?:[^:#\n]|:(?=[^\s])|(?<=[^\s])#)*`, 'y');
export const flowText = new RegExp(
  String.raw`${first}(?:[^,[\]{}:#\n]|:(?=[^\s,[\]{}])|(?<=[^\s,[\]{}])#)*`,
  'y',
);
export const quoted = /"[^"\\\n]*(?:\\["\\/bfnrtu][^"\\\n]*)*"/y;
export const singleQuoted = /'[^'\n]*(?:''[^'\n]*)*'/y;

/** Other white space belongs to the text. */
export function withoutSpaces(text: string): string {
  let end = text.length;
  while (text[end - 1] === ' ') end--;
  return end === text.length ? text : text.slice(0, end);
}

/** What JSON escapes, YAML does in the same way. */
export function unescaped(text: string): string {
  if (!text.includes('\\')) return text.slice(1, -1);
  try {
    return JSON.parse(text) as string;
  } catch {
    throw new NotPlain();
  }
}

/** A name twice is a mistake, `<<` takes over from another map, and `null` is no name: these are for the library. */
export function add(entries: Entry[], entry: Entry): void {
  const { name } = entry;
  if (name === '<<' || plainValue(name) !== name || entries.length > mostNames) throw new NotPlain();
  for (const other of entries) if (other.name === name) throw new NotPlain();
  entries.push(entry);
}

/** No record has as many. */
const mostNames = 500;
