/** What a text without quotes stands for in YAML 1.2: a number, a truth value, nothing, or itself. */

const words: ReadonlyMap<string, boolean | null> = new Map([
  ...['null', 'Null', 'NULL'].map((word) => [word, null] as const),
  ...['true', 'True', 'TRUE'].map((word) => [word, true] as const),
  ...['false', 'False', 'FALSE'].map((word) => [word, false] as const),
]);

/** Undefined for what looks like a number of some other form: the library knows them all. */
export function plainValue(text: string): string | number | boolean | null | undefined {
  if (text.length <= 5) {
    const word = words.get(text);
    if (word !== undefined) return word;
  }
  const code = text.charCodeAt(0);
  const beginsAsNumber = (code >= zero && code <= nine) || code === minus || code === plus || code === point;
  if (!beginsAsNumber) return code === tilde ? undefined : text;
  if (text.length <= 16 && /^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  return isOtherNumber(text) ? undefined : text;
}

const [zero, nine, minus, plus, point, tilde] = [0x30, 0x39, 0x2d, 0x2b, 0x2e, 0x7e];

/** Digits alone, with whatever else is in numbers; `.inf`, `0x1f`, `0o7`, `1e3`. */
function isOtherNumber(text: string): boolean {
  return /^[-+]?((\d+\.?\d*|\.\d+)(e[-+]?\d*)?|\.(inf|nan)|0[xo][\da-f]*)$/i.test(text);
}
