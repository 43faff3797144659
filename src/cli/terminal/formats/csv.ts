/** Writes CSV by RFC 4180: with exact values for programs, or with guarded formulas for spreadsheets. */
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
    const guard = bom ? guardCell : (text: string) => text;
    const cell = (value: unknown) => {
      const text = guard(formatCell(value));
      return terminal ? cleanText(text) : text;
    };
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

/**
 * Matches text that spreadsheets run as a formula: it starts with one of these characters (the wide forms too), also after
 * spaces, a byte order mark and other invisible characters. An apostrophe in front stops that. A spreadsheet that separates
 * cells by semicolons ignores boh's commas and quotes: it starts a new cell after a semicolon or a line break inside a cell,
 * where each quote is written twice.
 */
const formulaStart = /^[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠]/u;
const innerFormulaStart = /^'*[\s\p{Cc}\p{Cf}"]*[=+\-@＝＋－＠]/u;
const guardedInnerStart = /^'+[\s\p{Cc}\p{Cf}"]*[=+\-@＝＋－＠]/u;
/** The cell that would clear a field on import. */
const nullText = String.raw`\N`;

/** Splits a cell where some spreadsheets start a new cell. Each part includes its separator. */
function splitAtSeparators(text: string): string[] {
  return text.split(/(?<=[;\t\r\n])/);
}

/**
 * Returns the text with apostrophes, so that no spreadsheet runs it as a formula and `unguardCell` returns the original. Text
 * that starts with an apostrophe gets another one.
 */
export function guardCell(text: string): string {
  if (hasSafeStart(text) && !separators.test(text)) return text;
  const parts = splitAtSeparators(text);
  if (parts.every(isNumberOrPhone)) return text;
  return parts
    .map((part, index) => {
      const isGuarded =
        index === 0 ? isMisread(text) || formulaStart.test(part) : innerFormulaStart.test(part);
      return isGuarded ? `'${part}` : part;
    })
    .join('');
}

/** Returns the text of a cell without the apostrophes that `guardCell` added. Imports use it. */
export function unguardCell(cell: string): string {
  if (!cell.includes("'")) return cell;
  const text = cell.slice(1);
  return splitAtSeparators(cell)
    .map((part, index) => {
      const isGuarded =
        index === 0
          ? part.startsWith("'") && (isMisread(text) || formulaStart.test(part.slice(1)))
          : guardedInnerStart.test(part);
      return isGuarded ? part.slice(1) : part;
    })
    .join('');
}

/**
 * Returns whether text is a phone or a signed number, which can't call a function. Other programs would read an apostrophe as
 * a part of it.
 */
function isNumberOrPhone(text: string): boolean {
  return /^[+\-\d ().,]+(e[+-]?\d+)?%?;?$/i.test(text) && /\d/.test(text);
}

/** Returns whether text needs an apostrophe although it is no formula: an import would misread it, or a program would cut its start. */
function isMisread(text: string): boolean {
  return text === nullText || /^['\t\r\n]/.test(text);
}

/** Returns whether text starts with a digit, a letter or a bracket, as most do, and so needs no apostrophe. */
function hasSafeStart(text: string): boolean {
  const code = text.charCodeAt(0);
  return (code >= zero && code <= nine) || (code > atSign && code < del && code !== backslash);
}

const [zero, nine, atSign, backslash, del] = [0x30, 0x39, 0x40, 0x5c, 0x7f];

const separators = /[;\t\r\n]/;

/** Matches text that needs quotes. Some programs read CR or LF alone as the end of a row. */
const quotedCharacters = /[",\r\n]/;

/** Quotes a cell by RFC 4180 if needed. A library would take longer for this than reading the list. */
export function quoteCell(text: string): string {
  return quotedCharacters.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function formatCell(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return '';
  return typeof value === 'object' && !isSimpleList(value) ? JSON.stringify(value) : formatPlain(value);
}

function isSimpleList(value: object): boolean {
  return (
    Array.isArray(value) &&
    value.every((item) => item !== null && isScalar(item) && !String(item).includes(','))
  );
}
