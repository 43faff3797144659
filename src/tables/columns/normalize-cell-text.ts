/** Cleans the text of cells: spreadsheets and phones add invisible characters and shorten numbers. */

import { toAsciiDigits } from '../../contract/ascii-digits.ts';
import type { Field } from '../../contract/field.ts';
import { removeInvisible } from '../../contract/normalize-key.ts';

/**
 * Trims the text of a cell. In phones and barcodes, also removes invisible characters and converts digits to Latin ones; in
 * email addresses, also removes invisible characters. Secrets are returned unchanged.
 */
export function normalizeCellText({ kind, traits }: Field, text: string): string {
  if (kind !== 'text' || traits.secret) return text;
  if (traits.form === 'phone' || traits.digits) return toAsciiDigits(removeInvisible(text)).trim();
  return (traits.form === 'email' ? removeInvisible(text) : text).trim();
}

/**
 * Returns the problem of a number that a spreadsheet shortened: `9.66512E+11` for a phone, `1,00E+05` for an SKU,
 * `6.281E+021` for a barcode. Returns undefined for other text.
 */
export function shortenedNumberProblem(text: string): string | undefined {
  if (!/^\d(?:[.,]\d+)?E\+\d{2,3}$/.test(text)) return undefined;
  return `is a number that a spreadsheet has shortened: "${text}". Format the column as text and enter it again`;
}
