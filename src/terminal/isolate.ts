/** Text from right to left, kept from moving what stands beside it in terminals that apply Unicode’s bidi rules. */

/** Hebrew, Arabic and their neighbours, with their presentation forms. */
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

const [first, end] = ['\u2068', '\u2069'];

/**
 * The same text between a first strong isolate and its end (UAX 9) where it needs that. They take no column; a
 * terminal without bidi shows nothing of them. The text is clean, so it holds no end of its own.
 */
export function isolated(text: string): string {
  return rightToLeft.test(text) ? first + text + end : text;
}
