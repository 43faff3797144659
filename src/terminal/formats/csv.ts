/** Writes CSV by RFC 4180 that is safe to open in a spreadsheet and has the same values when it is imported. */
import { isScalar } from '../../base/number-text.ts';
import { cleanText } from '../clean.ts';
import { cellAt, rowTexts } from '../tabulate.ts';
import { plainText } from '../value-at.ts';
import type { Format } from './format.ts';

/** The CSV format. */
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
    return rowTexts({ head, row }, chosen);
  },
} as const satisfies Format;

/** Returns the text of a cell without the apostrophes that `guardedCell` added, for an import. */
export function plainCell(cell: string): string {
  if (!cell.includes("'")) return cell;
  if (guardedNull.test(cell)) return cell.slice(1);
  return splitPlaces(/^'+[\t\r\n]/.test(cell) ? cell.slice(1) : cell)
    .map((place, at) => ((at === 0 ? guardedPlace : guardedInside).test(place) ? place.slice(1) : place))
    .join('');
}

/**
 * Matches text that spreadsheets run as a formula: it starts with one of these characters (the wide forms too), also after
 * spaces, a byte order mark and other invisible characters. An apostrophe in front stops that. Text that already starts
 * with apostrophes gets one more, so that `plainCell` can always remove one. A spreadsheet that separates cells by
 * semicolons ignores our commas and quotes: after a semicolon or a line break in a cell, it starts a new cell.
 */
const formulaPlace = /^'*[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠]/u;
const guardedPlace = /^'+[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠]/u;
/** Inside a cell quotes are escaped as two, which a program that starts a cell there ignores. */
const formulaInside = /^'*[\s\p{Cc}\p{Cf}"]*[=+\-@＝＋－＠]/u;
const guardedInside = /^'+[\s\p{Cc}\p{Cf}"]*[=+\-@＝＋－＠]/u;
/** Matches text that would clear a field on import; it gets an apostrophe too. */
const nullPlace = /^'*\\N$/;
const guardedNull = /^'+\\N$/;
const plainNumber = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i;

/** Splits a cell where some spreadsheets start a new cell. Each part includes its separator. */
function splitPlaces(text: string): string[] {
  return text.split(/(?<=[;\t\r\n])/);
}

/** Returns a text that no spreadsheet runs as a formula. `plainCell` returns the original. */
export function guardedCell(text: string): string {
  if (beginsPlainly(text) && !hasSeparator.test(text)) return text;
  if (nullPlace.test(text)) return `'${text}`;
  if (!/[=+\-@＝＋－＠\t\r\n]/.test(text) || plainNumber.test(text)) return text;
  const harmless = splitPlaces(text)
    .map((place, at) => ((at === 0 ? formulaPlace : formulaInside).test(place) ? `'${place}` : place))
    .join('');
  return /^'*[\t\r\n]/.test(text) ? `'${harmless}` : harmless;
}

/** Returns whether a text starts with a digit, a letter or a bracket, as most do, and so is neither a formula nor `\N`. */
function beginsPlainly(text: string): boolean {
  const code = text.charCodeAt(0);
  return (code >= zero && code <= nine) || (code > at && code < del && code !== backslash);
}

const [zero, nine, at, backslash, del] = [0x30, 0x39, 0x40, 0x5c, 0x7f];

const hasSeparator = /[;\t\r\n]/;

/** Matches text that needs quotes. Other programs take CR or LF alone for the end of a row. */
const hasMarks = /[",\r\n]/;

/** Returns the text of a cell in a row of CSV: safe for spreadsheets, and quoted if needed. */
export function csvCell(text: string): string {
  return quotedCell(guardedCell(text));
}

/** Quotes a cell by RFC 4180. A library's options for every cell would take longer than reading the list. */
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
