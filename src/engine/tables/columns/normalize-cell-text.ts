/** Cleans the text of cells: spreadsheets, programs and phones add characters to values. */

import { toAsciiDigits } from '../../../api/contract/ascii-digits.ts';
import type { Field } from '../../../api/contract/field.ts';
import { isCode, removeInvisible } from '../../../api/contract/normalize-key.ts';

/** Matches spaces and direction marks around a text. Marks within it are part of it. */
const margins = /^[\s\u200b\u200e\u200f\u061c]+|[\s\u200b\u200e\u200f\u061c]+$/g;

/**
 * Removes spaces and direction marks around the text of a cell. In phones and barcodes, also removes invisible characters and
 * converts digits to Latin ones; in email addresses, also removes invisible characters. Secrets are returned unchanged.
 */
export function normalizeCellText({ kind, traits }: Field, text: string): string {
  if (traits.secret) return text;
  const trimmed = text.replaceAll(margins, '');
  if (kind === 'unit') return /^\d+$/.test(toAsciiDigits(trimmed)) ? toAsciiDigits(trimmed) : trimmed;
  if (traits.form === 'phone' || traits.digits) return toAsciiDigits(removeInvisible(trimmed)).trim();
  return traits.form === 'email' ? removeInvisible(trimmed).trim() : trimmed;
}

/** Matches the words that programs write for an empty value. */
const emptyWords = /^(?:=\s*""|nan|NaN|NaT|NULL|null|\(null\)|<NA>)$/;

/** Returns whether the text of a cell is blank, or a word that programs write for an empty value: `NULL`, `nan`. */
export function isEmptyText(text: string, { acceptsWords = true } = {}): boolean {
  const trimmed = text.replaceAll(margins, '');
  return trimmed === '' || (acceptsWords && emptyWords.test(trimmed));
}

/**
 * Removes the marks by which spreadsheets keep a value as text: `="00123"`, `=00123` and `'00125`. Names may start with an apostrophe
 * (`'t Hoff`), so it is removed only from numbers, codes, phones and email addresses.
 */
export function withoutTextMarks(field: Field, text: string): string {
  const { kind, traits } = field;
  if (traits.secret) return text;
  const [, inner, digits] = /^\s*=\s*(?:"((?:[^"]|"")*)"|(\d+))\s*$/.exec(text) ?? [];
  if (inner !== undefined) return inner.replaceAll('""', '"');
  if (digits !== undefined) return digits;
  const isName = kind === 'text' && !isCode(field) && (traits.form ?? 'person') === 'person';
  const marked = isName ? /^'[\d\s.,+-]+$/ : traits.target === undefined ? /^'/ : /^'\S*\d\S*$/;
  return marked.test(text.trim()) ? text.trim().replace(/^'([^']*)'?$/, '$1') : text;
}
