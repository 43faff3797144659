/** Converts numbers in the formats of many countries to the format of the API: digits and a point. */
import { toAsciiDigits } from '../../../api/contract/ascii-digits.ts';

export const decimalSeparators = ['point', 'comma'] as const;
export type DecimalSeparator = (typeof decimalSeparators)[number];

/** Returns whether a number has Arabic separators for decimals or thousands. */
function hasArabicSeparators(text: string): boolean {
  return /[٫٬]/.test(text);
}

/** Matches separators of thousands other than point and comma: spaces, nonbreaking spaces, and the Swiss apostrophe. */
const thousandsSeparators = /(?<=\d)[\s\u00a0\u202f’'](?=\d{3}(\D|$))/g;
/** Matches direction marks that spreadsheets put around numbers in Arabic text. */
const directionMarks = /[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/g;

/**
 * Converts digits and the minus sign to ASCII, and removes direction marks, and spaces and apostrophes between
 * thousands. Points, commas and Arabic separators stay.
 */
function normalizeNumber(text: string): string {
  return toAsciiDigits(text.replaceAll(directionMarks, '').trim())
    .replaceAll(thousandsSeparators, '')
    .replace(/^[−–]/, '-');
}

/** Matches a number whose value depends on the decimal separator: `1,234`. */
const ambiguousNumber = /^[+-]?[1-9]\d{0,2}[.,]\d{3}$/;

/** Matches a number in the format of the API. */
const apiFormat = /^-?\d+(\.\d+)?$/;

/** Returns a number in the format of the API; undefined if it isn't a number with this decimal separator. */
export function toApiNumber(text: string, separator: DecimalSeparator): string | undefined {
  if (separator === 'point' && apiFormat.test(text)) return text;
  const normalized = normalizeNumber(text);
  if (hasArabicSeparators(normalized))
    return toApiNumber(normalized.replaceAll('٬', '').replace('٫', '.'), 'point');
  const [decimal, group] = separator === 'comma' ? [',', '.'] : ['.', ','];
  // India groups the digits before the last three by two: 1,50,000.
  const grouped = `\\d{1,3}(?:\\${group}\\d{3})+${group === ',' ? '|\\d{1,2}(?:,\\d{2})+,\\d{3}' : ''}`;
  const pattern = new RegExp(`^([+-]?)(${grouped}|\\d+)?(?:\\${decimal}(\\d*))?$`);
  const [, sign = '', whole = '', fraction = ''] = pattern.exec(normalized) ?? [];
  if (whole === '' && fraction === '') return undefined;
  const number = `${sign}${whole === '' ? '0' : whole.replaceAll(group, '')}`;
  return fraction === '' ? number : `${number}.${fraction}`;
}

/**
 * Returns the decimal separator that a number must have; undefined if both are possible, or the text has neither. A currency
 * with three decimals or none excludes one reading of `1.234`.
 */
export function detectDecimalSeparator(text: string, decimals?: number): DecimalSeparator | undefined {
  const normalized = normalizeNumber(text);
  const separators = normalized.replaceAll(/[^.,]/g, '');
  if (!/^[+-]?[\d.,]+$/.test(normalized) || separators === '') return undefined;
  if (separators.includes('.') && separators.includes(','))
    return separators.at(-1) === ',' ? 'comma' : 'point';
  // A separator that occurs several times separates thousands.
  if (separators.length > 1) return separators[0] === ',' ? 'point' : 'comma';
  const isThousands = ambiguousNumber.test(normalized) && decimals === 0;
  if (ambiguousNumber.test(normalized) && !isThousands && decimals !== 3) return undefined;
  return (separators === ',') === isThousands ? 'point' : 'comma';
}

/** Returns whether the value of a number depends on the decimal separator. */
export function isAmbiguousNumber(text: string): boolean {
  return ambiguousNumber.test(normalizeNumber(text));
}

/** Removes a percent sign: `15%` is 15 in a field with percentages. */
export function withoutPercent(text: string): string {
  return text.replace(/\s*[%٪]\s*$/, '');
}
