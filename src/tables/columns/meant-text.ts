/** What people mean by the text of a cell: spreadsheets and phones leave in it what nobody sees, and cut numbers short. */
import type { Field } from '../../contract/field.ts';
import { withoutInvisible } from '../../contract/key-form.ts';
import { plainDigits } from '../../contract/plain-digits.ts';

/** Without blanks at its ends. In phones, barcodes and addresses of mail unseen marks mean nothing either, nor does the script of digits. */
export function meantText({ kind, traits }: Field, text: string): string {
  if (kind !== 'text' || traits.secret) return text;
  if (traits.form === 'phone' || traits.digits) return plainDigits(withoutInvisible(text)).trim();
  return (traits.form === 'email' ? withoutInvisible(text) : text).trim();
}

/**
 * The end of a sentence about a number as spreadsheets show and save it where it is too long for them: `9.66512E+11` for
 * a phone, `1,00E+05` for an SKU, `6.281E+021` for a barcode. Undefined for any other text.
 */
export function cutShort(text: string): string | undefined {
  if (!/^\d(?:[.,]\d+)?E\+\d{2,3}$/.test(text)) return undefined;
  return `is a number that a spreadsheet has cut short: "${text}". Format the column as text there, and fill it in again`;
}
