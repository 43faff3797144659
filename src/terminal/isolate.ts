/** Text from right to left, kept from moving what stands beside it in terminals that apply Unicode’s bidi rules. */

/** Hebrew, Arabic and their neighbours, with their presentation forms. */
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

const [first, end] = ['\u2068', '\u2069'];

/**
 * A blank that runs from left to right (an empty braille pattern). Terminals such as VTE keep nothing that takes no column,
 * isolates among it: there only a column of its own keeps a number from changing places with an Arabic name before it.
 */
const barrier = '\u2800';

/**
 * The same text between a first strong isolate and its end (UAX 9) where it needs that. They take no column; a
 * terminal without bidi shows nothing of them. The text is clean, so it holds no end of its own.
 */
export function isolated(text: string): string {
  return rightToLeft.test(text) ? first + text + end : text;
}

/** Two spaces behind a text that may be isolated: what follows stays behind it. */
export function gapBehind(cell: string): string {
  return cell.includes(end) ? ` ${barrier}` : '  ';
}

/**
 * The space behind a text, in a window: one that nothing passes where the text runs from right to left. “Old → new” would
 * be read as new → old, and a number would stand before the name that it follows.
 */
export function spaceBehind(text: string): string {
  return rightToLeft.test(text) ? barrier : ' ';
}
