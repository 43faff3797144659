/** Several values in one text, with commas between them; a value that holds a comma stands in quotes, as in CSV. */
import type { Field } from './field.ts';

/** Whether several values of a field can be given, one after the other. */
export function isList({ kind }: Field): boolean {
  return kind === 'many' || kind === 'words' || kind === 'integers' || kind === 'ids';
}

/**
 * One value up to its comma. What is quoted may be a name behind its `@`, and the number of a link may follow it:
 * `"Last, First"`, `@"Last, First"`, `@name:"Flour, white"=2.5`. Within quotes, two of them stand for one.
 */
const item = /\s*(?:(@(?:[\w.-]+:)?|)"((?:[^"]|"")*)"(=[^",]*)?\s*(?=,|$)|([^,]*))(,|$)/y;

/** How a quoted value begins. */
export const opening = /^(@(?:[\w.-]+:)?|)"/;

/** "a, b" is two values; an empty text is none. A quote that leads nowhere is a character like any other: see `quoteProblem`. */
export function splitList(text: string): string[] {
  return partsOf(text).flatMap(({ quoted, plain }) => quoted ?? (plain === '' ? [] : plain));
}

/** The end of a sentence about a quote that opens a value and isn’t closed before its comma. */
export function quoteProblem(text: string): string | undefined {
  const wrong = partsOf(text).find(({ quoted, plain }) => quoted === undefined && opening.test(plain));
  return wrong && `has a quote that is not closed: ${wrong.plain} (within quotes, "" stands for one)`;
}

/** The text of which `splitList` makes these values again. */
export function joinList(values: readonly string[]): string {
  return values.map(quoted).join(',');
}

function quoted(value: string): string {
  const isPlain = value !== '' && value.trim() === value && !value.includes(',') && !opening.test(value);
  return isPlain ? value : `"${value.replaceAll('"', '""')}"`;
}

/** The value at the end of a text that is still being typed, as far as it is typed: `@"Last, Fi` of `VIP,@"Last, Fi`. */
export function lastItem(text: string): string {
  const parts = partsOf(text);
  const open = parts.find(({ quoted, plain }) => quoted === undefined && opening.test(plain));
  return text.slice((open ?? parts.at(-1))?.at);
}

type Part = { at: number } & ({ quoted: string; plain: '' } | { quoted: undefined; plain: string });

function partsOf(text: string): Part[] {
  const parts: Part[] = [];
  for (item.lastIndex = 0; item.lastIndex <= text.length; ) {
    const at = item.lastIndex;
    const [whole, sign = '', inner, number = '', plain = '', comma] = item.exec(text) ?? [];
    if (whole === undefined) break;
    parts.push(
      inner === undefined
        ? { at, quoted: undefined, plain: plain.trim() }
        : { at, quoted: `${sign}${inner.replaceAll('""', '"')}${number.trimEnd()}`, plain: '' },
    );
    if (comma === '') break;
  }
  return parts;
}
