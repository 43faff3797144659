/** CSV by RFC 4180, safe to open in a spreadsheet and the same again when it is imported. */
import { isScalar } from '../../base/number-text.ts';
import { cleanText } from '../clean.ts';
import { cellAt, columnsOf } from '../tabulate.ts';
import { plainText } from '../value-at.ts';
import { type Format, type ListText, textsOf, type Values } from './format.ts';

export const csv = {
  name: 'csv',
  isForPeople: false,
  isStreaming: true,
  isExact: false,
  needsColumns: true,
  choices: ['columns', 'bom'],
  async open({ columns, bom = false, terminal = false } = {}) {
    const chosen = columns?.map(({ name }) => name);
    const cell = terminal ? (value: unknown) => cleanText(cellText(value)) : cellText;
    const line = (count: number, valueIn: (column: number) => unknown) => {
      let text = '';
      for (let column = 0; column < count; column++) {
        text += (column === 0 ? '' : ',') + quotedCell(cell(valueIn(column)));
      }
      return `${text}\r\n`;
    };
    const head = (names: readonly string[]) =>
      (bom ? '\u{feff}' : '') + line(names.length, (column) => names[column]);
    const row = (value: unknown, names: readonly string[]) =>
      line(names.length, (column) => cellAt(value, names[column] as string));
    const list = (names: readonly string[]): ListText => {
      // With the first row, so that there is no table where nothing could be read.
      let before = head(names);
      return {
        add(value) {
          const text = before + row(value, names);
          before = '';
          return text;
        },
        end: () => before,
      };
    };
    return {
      one(value) {
        const names = chosen ?? columnsOf([value]);
        return head(names) + row(value, names);
      },
      async *many(values) {
        const known = chosen === undefined ? await collect(values) : values;
        yield* textsOf(list(chosen ?? columnsOf(known as unknown[])), known);
      },
      ...(chosen && { list: () => list(chosen) }),
    };
  },
} as const satisfies Format;

/** The text of a cell as it was before `csv` made it harmless: what an import reads. */
export function plainCell(cell: string): string {
  if (!cell.includes("'")) return cell;
  if (guardedNull.test(cell)) return cell.slice(1);
  return splitPlaces(/^'+[\t\r\n]/.test(cell) ? cell.slice(1) : cell)
    .map((place, at) => ((at === 0 ? guardedPlace : guardedInside).test(place) ? place.slice(1) : place))
    .join('');
}

/**
 * Spreadsheets run what begins with one of these as a formula (the wide forms too), also after blanks, a byte order
 * mark and other characters that nobody sees. An apostrophe in front stops them. Apostrophes that stand there already get one more, so that `plainCell` can
 * always take one away. Where semicolons separate cells, our commas and quotes don’t: what follows a semicolon or a
 * line break inside a cell begins a cell of its own there.
 */
const formulaPlace = /^'*[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠]/u;
const guardedPlace = /^'+[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠]/u;
/** Inside a cell, quotes stand doubled: whoever begins a cell there takes two of them for nothing. */
const formulaInside = /^'*[\s\p{Cc}\p{Cf}"]*[=+\-@＝＋－＠]/u;
const guardedInside = /^'+[\s\p{Cc}\p{Cf}"]*[=+\-@＝＋－＠]/u;
/** A text that reads like the cell which empties a field on import gets an apostrophe too. */
const nullPlace = /^'*\\N$/;
const guardedNull = /^'+\\N$/;
const plainNumber = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i;

/** The places of a cell at which some spreadsheet begins one, each with the separator behind it. */
function splitPlaces(text: string): string[] {
  return text.split(/(?<=[;\t\r\n])/);
}

/** A cell that no spreadsheet runs; `plainCell` gives the text back. */
export function guardedCell(text: string): string {
  if (beginsPlainly(text) && !hasSeparator.test(text)) return text;
  if (nullPlace.test(text)) return `'${text}`;
  if (!/[=+\-@＝＋－＠\t\r\n]/.test(text) || plainNumber.test(text)) return text;
  const harmless = splitPlaces(text)
    .map((place, at) => ((at === 0 ? formulaPlace : formulaInside).test(place) ? `'${place}` : place))
    .join('');
  return /^'*[\t\r\n]/.test(text) ? `'${harmless}` : harmless;
}

/** Nearly every cell does: with a digit, a letter or a bracket, and so neither with a formula nor with `\N`. */
function beginsPlainly(text: string): boolean {
  const code = text.charCodeAt(0);
  return (code >= zero && code <= nine) || (code > at && code < del && code !== backslash);
}

const [zero, nine, at, backslash, del] = [0x30, 0x39, 0x40, 0x5c, 0x7f];

const hasSeparator = /[;\t\r\n]/;

/** Other programs take CR or LF alone for the end of a row, so that each is quoted as much as both. */
const hasMarks = /[",\r\n]/;

/** The text of a cell as it stands in a row of CSV: harmless for spreadsheets, and in quotes where it needs them. */
export function csvCell(text: string): string {
  return quotedCell(guardedCell(text));
}

/** By RFC 4180. Not left to a library: looking options up for every cell takes it longer than reading the list. */
function quotedCell(text: string): string {
  return hasMarks.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function cellText(value: unknown): string {
  if (typeof value === 'string') return guardedCell(value);
  if (value === null || value === undefined) return '';
  const text = typeof value === 'object' && !isListOfWords(value) ? JSON.stringify(value) : plainText(value);
  return guardedCell(text);
}

function isListOfWords(value: object): boolean {
  return (
    Array.isArray(value) &&
    value.every((item) => item !== null && isScalar(item) && !String(item).includes(','))
  );
}

async function collect(values: Values): Promise<unknown[]> {
  const list = [];
  for await (const value of values) list.push(value);
  return list;
}
