/** Numbers as they are written: whether a text is one, and whether it would still be the same number after it was sent. */

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
