/** Converts numbers in the formats of many countries to that of the API: digits and a point. */
import { plainDigits } from '../../contract/plain-digits.ts';

/** The decimal separators. */
export const decimalMarks = ['point', 'comma'] as const;
/** A decimal separator. */
export type DecimalMark = (typeof decimalMarks)[number];

/** Returns whether a text has the Arabic separators for decimals or thousands. */
function hasArabicMarks(text: string): boolean {
  return /[٫٬]/.test(text);
}

/** Matches spaces between thousands: plain and nonbreaking ones, and the apostrophe of Switzerland. */
const thousandsSpace = /(?<=\d)[\s\u00a0\u202f’'](?=\d{3}(\D|$))/g;
/** Matches direction marks that spreadsheets put around numbers in Arabic text. */
const direction = /[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/g;

/** Returns a number with Latin digits, separators and a plain sign only. */
function withoutBlanks(text: string): string {
  return plainDigits(text.replaceAll(direction, '').trim())
    .replaceAll(thousandsSpace, '')
    .replace(/^[−–]/, '-');
}

/** Matches a number that has another value with each separator. */
const openNumber = /^[+-]?[1-9]\d{0,2}[.,]\d{3}$/;

/** Matches a number in the format of the API. */
const ownForm = /^-?\d+(\.\d+)?$/;

/** Returns a number in the format of the API; undefined if it isn't one or has the other separator. */
export function plainNumber(text: string, mark: DecimalMark): string | undefined {
  if (mark === 'point' && ownForm.test(text)) return text;
  const digits = withoutBlanks(text);
  if (hasArabicMarks(digits)) return plainNumber(digits.replaceAll('٬', '').replace('٫', '.'), 'point');
  const [decimal, group] = mark === 'comma' ? [',', '.'] : ['.', ','];
  const form = new RegExp(`^([+-]?)(\\d{1,3}(?:\\${group}\\d{3})+|\\d+)?(?:\\${decimal}(\\d*))?$`);
  const [, sign = '', whole = '', fraction = ''] = form.exec(digits) ?? [];
  if (whole === '' && fraction === '') return undefined;
  const number = `${sign}${whole === '' ? '0' : whole.replaceAll(group, '')}`;
  return fraction === '' ? number : `${number}.${fraction}`;
}

/** Returns the decimal separator that a number must have; undefined if both are possible. */
export function markIn(text: string): DecimalMark | undefined {
  const digits = withoutBlanks(text);
  const marks = digits.replaceAll(/[^.,]/g, '');
  if (!/^[+-]?[\d.,]+$/.test(digits) || marks === '') return undefined;
  if (marks.includes('.') && marks.includes(',')) return marks.at(-1) === ',' ? 'comma' : 'point';
  // Several of one kind separate thousands.
  if (marks.length > 1) return marks[0] === ',' ? 'point' : 'comma';
  if (openNumber.test(digits)) return undefined;
  return marks === ',' ? 'comma' : 'point';
}

/** Returns whether a number has another value with each separator. */
export function isOpenNumber(text: string): boolean {
  return openNumber.test(withoutBlanks(text));
}

/** Removes a percent sign: `15%` is 15 in a field with percentages. */
export function withoutPercent(text: string): string {
  return text.replace(/\s*[%٪]\s*$/, '');
}
