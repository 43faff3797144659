/** Detects numbers that a double can't represent exactly, and keeps their original digits. */

/** Matches a decimal number without an exponent, and neither 0x10 nor Infinity. */
export const decimalPattern = /^[+-]?(\d+(\.\d*)?|\.\d+)$/;

/**
 * Describes how a number changes when it is sent as a double: 19.999999999999999 would become 20, and 1e999 is too large.
 * The description ends a sentence. Returns undefined for an exact number and for text that isn't a decimal number.
 */
export function describeInexactness(text: string): string | undefined {
  const decimal = parseDecimal(text);
  if (!decimal) return undefined;
  const double = Number(text);
  if (!Number.isFinite(double)) return 'is too large to be sent';
  const doubleDecimal = parseDecimal(String(double));
  const isSame = doubleDecimal?.digits === decimal.digits && doubleDecimal.exponent === decimal.exponent;
  return isSame ? undefined : `can't be sent exactly: it would become ${double}`;
}

/** Converts a number or numeric text to a number. Returns undefined for all other values. Responses contain both. */
export function toNumber(value: unknown): number | undefined {
  if (value === null || value === undefined || value === '' || typeof value === 'boolean') return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}

/** Returns whether a number exceeds its limit. An empty limit or 0 means no limit. */
export function exceedsLimit(value: unknown, limit: unknown): boolean {
  const [number, max] = [toNumber(value) ?? 0, toNumber(limit) ?? 0];
  return max > 0 && number > max;
}

/** Parses a decimal number to its digits without zeros at either end, and its exponent: `0.50` is 5 and -1, `500` is 5 and 2. */
function parseDecimal(text: string): { digits: string; exponent: number } | undefined {
  const [, whole, fraction = '', exponent = '0'] = /^[+-]?(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const allDigits = whole + fraction;
  let [start, end] = [0, allDigits.length];
  while (allDigits[start] === '0') start++;
  while (end > start && allDigits[end - 1] === '0') end--;
  const digits = allDigits.slice(start, end);
  return {
    digits,
    exponent: digits === '' ? 0 : Number(exponent) - fraction.length + allDigits.length - end,
  };
}

/** All versions of Node that boh supports have `rawJSON`, but TypeScript doesn't declare it yet. */
const { rawJSON: rawJson } = JSON as unknown as { rawJSON(text: string): unknown };

/**
 * A number that a double would change, such as 12345678901234567890. It calculates as the nearest double, and keeps its
 * original digits in JSON, in text and in requests.
 */
export class ExactNumber extends Number {
  readonly #source: string;

  constructor(source: string) {
    super(source);
    this.#source = source;
  }

  override toString(): string {
    return this.#source;
  }

  toJSON(): unknown {
    return rawJson(this.#source);
  }
}

/** Returns a copy with plain numbers instead of exact ones, for calculations and not for requests. */
export function withPlainNumbers<Value>(value: Value, levels = maxDepth): Value {
  if (value instanceof ExactNumber) return Number(value) as Value;
  if (typeof value !== 'object' || value === null || levels === 0) return value;
  if (Array.isArray(value)) return value.map((item) => withPlainNumbers(item, levels - 1)) as Value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, withPlainNumbers(inner, levels - 1)]),
  ) as Value;
}

/** The maximum nesting, in levels. No record is nested this deep; the limit keeps other values from exhausting the stack. */
const maxDepth = 100;

/** Returns whether a value is an object with fields, and not a list or an exact number. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Number);
}

/** Returns whether a value is neither an object nor a list. */
export function isScalar(value: unknown): boolean {
  return typeof value !== 'object' || value === null || value instanceof Number;
}

/** Matches sixteen digits in a row or a three-digit exponent. Text without them contains only exact numbers. */
const possiblyInexactPattern = /[\d.]{16}|\d[eE][+-]?\d{3}/;

/** Parses JSON, and keeps exact numbers. Throws a SyntaxError for invalid JSON. */
export function parseExactJson(text: string): unknown {
  return possiblyInexactPattern.test(text) ? JSON.parse(text, reviveExactNumber) : JSON.parse(text);
}

/** Keeps exact numbers, as a reviver for `JSON.parse`. Returns an ExactNumber for a number that a double would change. */
export function reviveExactNumber(_key: string, value: unknown, context?: { source?: string }): unknown {
  const isChanged =
    typeof value === 'number' &&
    context?.source !== undefined &&
    describeInexactness(context.source) !== undefined;
  return isChanged ? new ExactNumber(context.source ?? '') : value;
}
