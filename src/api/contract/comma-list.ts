/** Splits and joins comma-separated lists. A value that contains a comma is in quotes, as in CSV. */
import type { Field } from './field.ts';

/** Returns whether the field has a list of values that can be written with commas. */
export function isList({ kind }: Field): boolean {
  return kind === 'many' || kind === 'words' || kind === 'integers' || kind === 'ids';
}

/** Returns whether the value of the field is a list: of values, or of nested objects. */
export function isListOrParts(field: Field): boolean {
  return isList(field) || field.kind === 'objects';
}

/**
 * Matches one value up to its comma. A quoted value may follow `@`, and the number of a link may follow the quote:
 * `"Last, First"`, `@"Last, First"`, `@name:"Flour, white"=2.5`. Inside quotes, two quotes mean one.
 */
const itemPattern = /\s*(?:(@(?:[\w.-]+:)?|)"((?:[^"]|"")*)"(=[^",]*)?\s*(?=,|$)|([^,]*))(,|$)/y;

/** Matches the start of a quoted value. */
export const openingQuotePattern = /^(@(?:[\w.-]+:)?|)"/;

/** Splits text at commas: "a, b" has two values, empty text has none. An unclosed quote is a normal character; see `quoteProblem`. */
export function splitList(text: string): string[] {
  return parseItems(text).flatMap(({ quoted, plain }) => quoted ?? (plain === '' ? [] : plain));
}

/** Describes an unclosed quote, as the end of a sentence; undefined if all quotes are closed. */
export function quoteProblem(text: string): string | undefined {
  const unclosed = parseItems(text).find(
    ({ quoted, plain }) => quoted === undefined && openingQuotePattern.test(plain),
  );
  return unclosed && `has an unclosed quote: ${unclosed.plain} (inside quotes, write "" for a quote)`;
}

/** Joins values with commas, so that `splitList` returns the same values. */
export function joinList(values: readonly string[]): string {
  return values.map(quoteItem).join(',');
}

function quoteItem(value: string): string {
  const isPlain =
    value !== '' && value.trim() === value && !value.includes(',') && !openingQuotePattern.test(value);
  return isPlain ? value : `"${value.replaceAll('"', '""')}"`;
}

/** Returns the last, possibly unfinished value of a text that is being typed: `@"Last, Fi` for `VIP,@"Last, Fi`. */
export function lastItem(text: string): string {
  const items = parseItems(text);
  const unclosed = items.find(({ quoted, plain }) => quoted === undefined && openingQuotePattern.test(plain));
  return text.slice((unclosed ?? items.at(-1))?.index);
}

type ListItem = { index: number } & ({ quoted: string; plain: '' } | { quoted: undefined; plain: string });

function parseItems(text: string): ListItem[] {
  const items: ListItem[] = [];
  for (itemPattern.lastIndex = 0; itemPattern.lastIndex <= text.length; ) {
    const index = itemPattern.lastIndex;
    const [match, prefix = '', inner, number = '', plain = '', comma] = itemPattern.exec(text) ?? [];
    if (match === undefined) break;
    items.push(
      inner === undefined
        ? { index, quoted: undefined, plain: plain.trim() }
        : { index, quoted: `${prefix}${inner.replaceAll('""', '"')}${number.trimEnd()}`, plain: '' },
    );
    if (comma === '') break;
  }
  return items;
}
