/** Writes CSV by RFC 4180 that is safe to open in a spreadsheet and has the same values when it is imported. */
import { isScalar } from '../../../base/number-text.ts';
import { cleanText } from '../clean.ts';
import { cellAt, createRowWriter } from '../tabulate.ts';
import { formatPlain } from '../value-at.ts';
import type { Format } from './format.ts';

export const csv = {
  name: 'csv',
  isForPeople: false,
  isStreaming: true,
  isExact: false,
  needsColumns: true,
  layoutFlags: ['columns', 'bom'],
  async open({ columns, bom = false, terminal = false } = {}) {
    const requestedColumns = columns?.map(({ name }) => name);
    const cell = terminal ? (value: unknown) => cleanText(formatCell(value)) : formatCell;
    const line = (count: number, valueIn: (column: number) => unknown) => {
      let text = '';
      for (let column = 0; column < count; column++) {
        text += (column === 0 ? '' : ',') + quoteCell(cell(valueIn(column)));
      }
      return `${text}\r\n`;
    };
    const header = (names: readonly string[]) =>
      (bom ? '\u{feff}' : '') + line(names.length, (column) => names[column]);
    const row = (value: unknown, names: readonly string[]) =>
      line(names.length, (column) => cellAt(value, names[column] as string));
    return createRowWriter({ header, row }, requestedColumns);
  },
} as const satisfies Format;

/** Returns the text of a cell without the apostrophes that `escapeFormula` added. Imports use it. */
export function unescapeFormula(cell: string): string {
  if (!cell.includes("'")) return cell;
  if (escapedNullText.test(cell)) return cell.slice(1);
  return splitAtSeparators(/^'+[\t\r\n]/.test(cell) ? cell.slice(1) : cell)
    .map((part, index) =>
      (index === 0 ? escapedFormulaStart : escapedInnerFormulaStart).test(part) ? part.slice(1) : part,
    )
    .join('');
}

/**
 * Matches text that spreadsheets run as a formula: it starts with one of these characters (the wide forms too), also after
 * spaces, a byte order mark and other invisible characters. An apostrophe in front stops that. Text that already starts
 * with apostrophes gets one more, so that `unescapeFormula` can always remove one. A spreadsheet that separates cells by
 * semicolons ignores boh's commas and quotes: it starts a new cell after a semicolon or a line break inside a cell.
 */
const formulaStart = /^'*[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠]/u;
const escapedFormulaStart = /^'+[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠]/u;
/** Inside a cell each quote is written twice. A program that starts a new cell there ignores this. */
const innerFormulaStart = /^'*[\s\p{Cc}\p{Cf}"]*[=+\-@＝＋－＠]/u;
const escapedInnerFormulaStart = /^'+[\s\p{Cc}\p{Cf}"]*[=+\-@＝＋－＠]/u;
/** Matches text that would clear a field on import; it gets an apostrophe too. */
const nullText = /^'*\\N$/;
const escapedNullText = /^'+\\N$/;
const plainNumber = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i;

/** Splits a cell where some spreadsheets start a new cell. Each part includes its separator. */
function splitAtSeparators(text: string): string[] {
  return text.split(/(?<=[;\t\r\n])/);
}

/** Returns the text with apostrophes, so that no spreadsheet runs it as a formula. `unescapeFormula` returns the original. */
export function escapeFormula(text: string): string {
  if (hasSafeStart(text) && !separators.test(text)) return text;
  if (nullText.test(text)) return `'${text}`;
  if (!/[=+\-@＝＋－＠\t\r\n]/.test(text) || plainNumber.test(text)) return text;
  const escaped = splitAtSeparators(text)
    .map((part, index) => ((index === 0 ? formulaStart : innerFormulaStart).test(part) ? `'${part}` : part))
    .join('');
  return /^'*[\t\r\n]/.test(text) ? `'${escaped}` : escaped;
}

/** Returns whether text starts with a digit, a letter or a bracket, as most do, and so is neither a formula nor `\N`. */
function hasSafeStart(text: string): boolean {
  const code = text.charCodeAt(0);
  return (code >= zero && code <= nine) || (code > atSign && code < del && code !== backslash);
}

const [zero, nine, atSign, backslash, del] = [0x30, 0x39, 0x40, 0x5c, 0x7f];

const separators = /[;\t\r\n]/;

/** Matches text that needs quotes. Some programs read CR or LF alone as the end of a row. */
const quotedCharacters = /[",\r\n]/;

/** Formats a cell of a CSV row: safe for spreadsheets, and quoted if needed. */
export function formatCsvCell(text: string): string {
  return quoteCell(escapeFormula(text));
}

/** Quotes a cell by RFC 4180. A library would take longer for this than reading the list. */
function quoteCell(text: string): string {
  return quotedCharacters.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function formatCell(value: unknown): string {
  if (typeof value === 'string') return escapeFormula(value);
  if (value === null || value === undefined) return '';
  const text = typeof value === 'object' && !isSimpleList(value) ? JSON.stringify(value) : formatPlain(value);
  return escapeFormula(text);
}

function isSimpleList(value: object): boolean {
  return (
    Array.isArray(value) &&
    value.every((item) => item !== null && isScalar(item) && !String(item).includes(','))
  );
}
