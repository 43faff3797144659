/** What people mean by the text of a cell: spreadsheets and phones leave in it what nobody sees, and cut numbers short. */
import type { Field } from '../../contract/field.ts';
import { plainDigits } from './numbers.ts';

/** Marks of direction, byte order marks and blanks of no width: those that join or part letters are not among them. */
const unseen = /[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g;

/** Nearly every text is without them. */
const plain = /^[\x20-\x7e]*$/;

export function withoutUnseen(text: string): string {
  return plain.test(text) ? text : text.replaceAll(unseen, '');
}

/** Without blanks at its ends. In phones, barcodes and addresses of mail unseen marks mean nothing either, nor does the script of digits. */
export function meantText({ kind, traits }: Field, text: string): string {
  if (kind !== 'text' || traits.secret) return text;
  if (traits.form === 'phone' || traits.digits) return plainDigits(withoutUnseen(text)).trim();
  return (traits.form === 'email' ? withoutUnseen(text) : text).trim();
}

const lineBreak = /\r\n?|\n/g;

export function hasBreaks(text: string): boolean {
  return text.includes('\n') || text.includes('\r');
}

/**
 * The ways in which other programs may have written the same text: lines that end otherwise, letters that are put together
 * of parts or aren’t. A list that is asked for one of them finds no record that has another.
 */
export function waysToWrite(text: string): string[] {
  const forms = plain.test(text) ? [text] : [text, text.normalize('NFC'), text.normalize('NFD')];
  const all = hasBreaks(text)
    ? forms.flatMap((form) => ['\n', '\r\n', '\r'].map((end) => form.replaceAll(lineBreak, end)))
    : forms;
  return [...new Set([text, ...all])];
}

/** Whether a record has a cell's text as it stands there: spreadsheets end the lines of a cell in a way of their own. */
export function isWrittenAs(shown: unknown, text: string | undefined): boolean {
  if (shown === text || typeof shown !== 'string' || text === undefined) return shown === text;
  return shown.replaceAll(lineBreak, '\n') === text.replaceAll(lineBreak, '\n');
}

/** One form for all ways to write a key, by which a row and a record are known as the same. */
export function comparedText(text: string, isEmail = false): string {
  const plain = withoutUnseen(text.normalize()).trim().replaceAll(/\s+/g, ' ');
  return isEmail ? plain.toLowerCase() : plain || text;
}

/**
 * The end of a sentence about a number as spreadsheets show and save it where it is too long for them: `9.66512E+11` for
 * a phone, `1,00E+05` for an SKU, `6.281E+021` for a barcode. Undefined for any other text.
 */
export function cutShort(text: string): string | undefined {
  if (!/^\d(?:[.,]\d+)?E\+\d{2,3}$/.test(text)) return undefined;
  return `is a number that a spreadsheet has cut short: "${text}". Format the column as text there, and fill it in again`;
}
