/** Numbers as they are written: whether a text is one, whether a double keeps it, and what stands for one that it doesn't. */

/** A number in digits, as people write it: no exponent, no 0x10, no Infinity. */
export const decimalForm = /^[+-]?(\d+(\.\d*)?|\.\d+)$/;

/**
 * The end of a sentence about a number that doesn’t keep its value as a double, which is how it goes out:
 * 19.999999999999999 would become 20, and 1e999 nothing at all. Texts that are no decimal numbers are passed over.
 */
export function inexactness(text: string): string | undefined {
  const written = partsOf(text);
  if (!written) return undefined;
  const sent = Number(text);
  if (!Number.isFinite(sent)) return 'is too large to be sent';
  const kept = partsOf(String(sent));
  const isSame = kept?.digits === written.digits && kept.exponent === written.exponent;
  return isSame ? undefined : `can’t be sent exactly: it would become ${sent}`;
}

/** Without zeros at either end: `0.50` is digits 5 and exponent -1, `500` is 5 and 2. */
function partsOf(text: string): { digits: string; exponent: number } | undefined {
  const [, whole, fraction = '', exponent = '0'] = /^[+-]?(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const all = whole + fraction;
  let [from, to] = [0, all.length];
  while (all[from] === '0') from++;
  while (to > from && all[to - 1] === '0') to--;
  const digits = all.slice(from, to);
  return { digits, exponent: digits === '' ? 0 : Number(exponent) - fraction.length + all.length - to };
}

/** In every Node that boh runs on; TypeScript's own declarations don't have it yet. */
const { rawJSON: rawJson } = JSON as unknown as { rawJSON(text: string): unknown };

/**
 * A number that a double would change, such as 12345678901234567890. It counts as the nearest one, and is written as it
 * came: as JSON, as text, and in what is sent back.
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

/** The same value with plain numbers in the place of exact ones: for whoever judges it, not for what is sent. */
export function withPlainNumbers<Value>(value: Value, levels = deepest): Value {
  if (value instanceof ExactNumber) return Number(value) as Value;
  if (typeof value !== 'object' || value === null || levels === 0) return value;
  if (Array.isArray(value)) return value.map((item) => withPlainNumbers(item, levels - 1)) as Value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, withPlainNumbers(inner, levels - 1)]),
  ) as Value;
}

/** No record is nested so deep: what is, isn't walked down to where the stack ends. */
const deepest = 100;

/** Whether it is an object of fields: no list, and no number that a double would change. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Number);
}

/** Whether nothing is inside it. */
export function isScalar(value: unknown): boolean {
  return typeof value !== 'object' || value === null || value instanceof Number;
}

/** Sixteen digits in a row, or an exponent of three: few texts have either, and only they can hold what a double changes. */
const mayBeInexact = /[\d.]{16}|\d[eE][+-]?\d{3}/;

/** The value of a JSON text, its numbers as they are written there. Throws a SyntaxError for what is no JSON. */
export function exactJson(text: string): unknown {
  return mayBeInexact.test(text) ? JSON.parse(text, exactly) : JSON.parse(text);
}

/** For `JSON.parse`. */
export function exactly(_key: string, value: unknown, context?: { source?: string }): unknown {
  const isChanged =
    typeof value === 'number' && context?.source !== undefined && inexactness(context.source) !== undefined;
  return isChanged ? new ExactNumber(context.source ?? '') : value;
}
