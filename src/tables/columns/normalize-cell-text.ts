/** Cleans the text of cells: spreadsheets, programs and phones add characters to values, and shorten numbers. */

import { toAsciiDigits } from '../../contract/ascii-digits.ts';
import type { Field } from '../../contract/field.ts';
import { isCode, removeInvisible } from '../../contract/normalize-key.ts';
import { isErrorText } from '../workbook/cell.ts';

/**
 * Trims the text of a cell. In phones and barcodes, also removes invisible characters and converts digits to Latin ones; in
 * email addresses, also removes invisible characters. Secrets are returned unchanged.
 */
export function normalizeCellText({ kind, traits }: Field, text: string): string {
  if (kind !== 'text' || traits.secret) return text;
  if (traits.form === 'phone' || traits.digits) return toAsciiDigits(removeInvisible(text)).trim();
  return (traits.form === 'email' ? removeInvisible(text) : text).trim();
}

/** Matches the words that programs write for an empty value. */
const emptyWords = /^(?:=\s*""|nan|NaN|NaT|NULL|null|\(null\)|<NA>)$/;

/** Returns whether the text of a cell is blank, or a word that programs write for an empty value: `NULL`, `nan`. */
export function isEmptyText(text: string): boolean {
  const trimmed = text.trim();
  return trimmed === '' || emptyWords.test(trimmed);
}

/**
 * Removes the marks by which spreadsheets keep a value as text: `="00123"` and `'00125`. Names may start with an apostrophe
 * (`'t Hoff`), so it is removed only from numbers, codes, phones and email addresses.
 */
export function withoutTextMarks(field: Field, text: string): string {
  const { kind, traits } = field;
  if (traits.secret) return text;
  const [, inner] = /^\s*=\s*"((?:[^"]|"")*)"\s*$/.exec(text) ?? [];
  if (inner !== undefined) return inner.replaceAll('""', '"');
  const isName = kind === 'text' && !isCode(field) && (traits.form ?? 'person') === 'person';
  const marked = isName ? /^'[\d\s.,+-]+$/ : traits.target === undefined ? /^'/ : /^'\S*\d\S*$/;
  return marked.test(text.trim()) ? text.trim().replace(/^'([^']*)'?$/, '$1') : text;
}

/**
 * Returns the problem of text that a spreadsheet or a program has probably damaged: a shortened number (`9.66512E+11`,
 * `8,9e12`), a code with a fraction (`1001.0`), an error (`#N/A`) or a column that was too narrow (`####`).
 */
export function suspectTextProblem(field: Field, text: string): string | undefined {
  if (field.kind !== 'text' && field.kind !== 'unit') return undefined;
  if (/^[+-]?\d{1,3}(?:[.,]\d+e[+-]?|e\+)\d{1,3}$/i.test(text))
    return `is a number that a spreadsheet has shortened: "${text}". Format the column as text and enter it again`;
  if (isErrorText(text)) return `is the error of a formula: "${text}"`;
  if (/^#{3,}$/.test(text)) return `is "${text}", because its column was too narrow`;
  const isNumber = isCode(field) || field.traits.form === 'phone';
  return isNumber && /^\d+[.,]0+$/.test(text)
    ? `is a code that a program has read as a number: "${text}"`
    : undefined;
}
