/** Numbers as spreadsheets of many countries write them, made into those of the API: digits, a point, nothing else. */
import { plainDigits } from '../../contract/plain-digits.ts';

/** What stands before the fraction. */
export type DecimalMark = 'point' | 'comma';

/** The Arabic marks for fraction and thousands. */
function hasArabicMarks(text: string): boolean {
  return /[٫٬]/.test(text);
}

/** Spaces between thousands: a plain one, those that don't break, and the apostrophe of Switzerland. */
const thousandsSpace = /(?<=\d)[\s\u00a0\u202f’'](?=\d{3}(\D|$))/g;
/** Marks of direction that spreadsheets put around numbers in Arabic text. */
const direction = /[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/g;

/** Digits, marks and a plain sign alone, where it is a number at all. */
function withoutBlanks(text: string): string {
  return plainDigits(text.replaceAll(direction, '').trim())
    .replaceAll(thousandsSpace, '')
    .replace(/^[−–]/, '-');
}

/** With either mark a number, and another one each time. */
const openNumber = /^[+-]?[1-9]\d{0,2}[.,]\d{3}$/;

/** Nothing is to be done to it. */
const ownForm = /^-?\d+(\.\d+)?$/;

/** A number in the API's own form; undefined where it is none, or is written with the other mark. */
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

/** What a number tells of the mark that it was written with; undefined where either could be meant. */
export function markIn(text: string): DecimalMark | undefined {
  const digits = withoutBlanks(text);
  const marks = digits.replaceAll(/[^.,]/g, '');
  if (!/^[+-]?[\d.,]+$/.test(digits) || marks === '') return undefined;
  if (marks.includes('.') && marks.includes(',')) return marks.at(-1) === ',' ? 'comma' : 'point';
  // Several of one kind part thousands.
  if (marks.length > 1) return marks[0] === ',' ? 'point' : 'comma';
  if (openNumber.test(digits)) return undefined;
  return marks === ',' ? 'comma' : 'point';
}

/** Whether it could be read with either mark, as another number each time. */
export function isOpenNumber(text: string): boolean {
  return openNumber.test(withoutBlanks(text));
}

/** The number of a share: `15%` is 15, where that is what is counted in percent. */
export function withoutPercent(text: string): string {
  return text.replace(/\s*[%٪]\s*$/, '');
}
