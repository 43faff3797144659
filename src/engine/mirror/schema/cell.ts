/** Converts a value of an API response to a table cell, without loss of information. */
import { formatTimestamp, isTimestamp, parseFilterTime } from '../../../api/contract/date-time.ts';
import type { Kind } from '../../../api/contract/field.ts';
import type { Cell, SqlType } from './table.ts';

/** Marks a value that the column's type can't store. Such a value is stored as JSON in another column. */
export const mismatch = Symbol('mismatch');

/** A cell, or `mismatch`. */
export type ConvertedCell = Cell | typeof mismatch;

/** The storage of a kind of single values. */
interface Scalar {
  type: SqlType;
  convert(value: unknown): ConvertedCell;
}

/** The kinds whose values are stored in one column. */
export const scalars: Readonly<Partial<Record<Kind, Scalar>>> = {
  text: { type: 'text', convert: textCell },
  unit: { type: 'text', convert: textCell },
  date: { type: 'text', convert: textCell },
  timestamp: { type: 'timestamptz', convert: timestampCell },
  integer: { type: 'bigint', convert: integerCell },
  choice: { type: 'bigint', convert: integerCell },
  hour: { type: 'bigint', convert: integerCell },
  decimal: { type: 'numeric', convert: numericCell },
  numeric_text: { type: 'numeric', convert: numericCell },
  boolean: { type: 'boolean', convert: booleanCell },
};

/**
 * Converts a value to text. Returns `mismatch` for text that an engine can't store: with half a surrogate pair or a NUL.
 */
export function textCell(value: unknown): ConvertedCell {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0') ? value : mismatch;
  return isNumber(value) || typeof value === 'boolean' ? String(value) : nullOrMismatch(value);
}

function timestampCell(value: unknown): ConvertedCell {
  if (typeof value !== 'string') return nullOrMismatch(value);
  if (isTimestamp(value)) return value;
  const time = parseFilterTime(value, new Date(0));
  // A relative time such as "7d" is accepted on the command line, but isn't a timestamp in a response.
  return time && value.length >= 10 ? formatTimestamp(time) : mismatch;
}

const [smallestInteger, largestInteger] = [-(2n ** 63n), 2n ** 63n - 1n];

function integerCell(value: unknown): ConvertedCell {
  if (Number.isSafeInteger(value)) return value as number;
  if (typeof value === 'boolean') return Number(value);
  if (!isNumber(value) && typeof value !== 'string') return nullOrMismatch(value);
  // Some services write 2 as 2.0.
  const text = plainDecimal(String(value))?.replace(/\.0*$/, '') ?? '';
  if (!/^-?\d{1,19}$/.test(text)) return mismatch;
  const integer = BigInt(text);
  if (integer < smallestInteger || integer > largestInteger) return mismatch;
  const number = Number(integer);
  return Number.isSafeInteger(number) ? number : String(integer);
}

function numericCell(value: unknown): ConvertedCell {
  // JavaScript writes numbers in this range without an exponent.
  if (typeof value === 'number' && Math.abs(value) >= 1e-6 && Math.abs(value) < 1e21) return String(value);
  if (!isNumber(value) && typeof value !== 'string') return nullOrMismatch(value);
  return plainDecimal(String(value)) ?? mismatch;
}

/** The maximum number of digits before and after the decimal point. Real amounts have far fewer. */
const maxDigits = 1000;

/**
 * Returns a number's digits without an exponent: `1.5e-7` becomes `0.00000015`, `-0` becomes `0`. Returns undefined if
 * the text isn't a number.
 */
export function plainDecimal(text: string): string | undefined {
  const decimal = withoutExponent(text);
  return decimal?.startsWith('-') && !/[1-9]/.test(decimal) ? decimal.slice(1) : decimal;
}

function withoutExponent(text: string): string | undefined {
  if (/^-?\d+(\.\d+)?$/.test(text)) return text.length <= maxDigits ? text : undefined;
  const [, sign = '', whole, fraction = '', exponent = '0'] =
    /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d{1,4}))?$/.exec(text) ?? [];
  if (whole === undefined || whole + fraction === '') return undefined;
  const exponentValue = Number(exponent);
  if (Math.abs(exponentValue) > maxDigits || text.length > maxDigits) return undefined;
  const digits = whole + fraction;
  const point = whole.length + exponentValue;
  const paddedDigits = digits.padStart(digits.length - Math.min(point, 0), '0').padEnd(point, '0');
  const pointIndex = Math.max(point, 0);
  const integerPart = paddedDigits.slice(0, pointIndex).replace(/^0+(?=\d)/, '') || '0';
  const fractionPart = paddedDigits.slice(pointIndex);
  return `${sign === '-' ? '-' : ''}${integerPart}${fractionPart === '' ? '' : `.${fractionPart}`}`;
}

const booleanCells: Readonly<Record<string, number>> = { true: 1, false: 0, 1: 1, 0: 0 };

/** Converts a boolean. The samples of the API document also have 1 and 0 for booleans. */
function booleanCell(value: unknown): ConvertedCell {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (!isNumber(value) && typeof value !== 'string') return nullOrMismatch(value);
  return booleanCells[String(value)] ?? mismatch;
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' || value instanceof Number;
}

function nullOrMismatch(value: unknown): ConvertedCell {
  return value === null || value === undefined ? null : mismatch;
}
