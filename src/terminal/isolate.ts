/** Prevents right-to-left text from reordering its neighbors in terminals that apply Unicode's bidi rules. */

/** Matches Hebrew, Arabic and related scripts, with their presentation forms. */
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

const [isolateStart, isolateEnd] = ['\u2068', '\u2069'];

/**
 * A left-to-right space (an empty braille pattern). Terminals such as VTE drop characters without width, isolates
 * included. There only a visible column keeps a number from swapping places with an Arabic name before it.
 */
const barrier = '\u2800';

/**
 * Puts right-to-left text between a first strong isolate and a pop directional isolate (UAX 9). Both have no width, and
 * a terminal without bidi doesn't show them. The text must be clean, so that it doesn't contain these characters.
 */
export function isolateText(text: string): string {
  return rightToLeft.test(text) ? isolateStart + text + isolateEnd : text;
}

/** Returns the two columns of space after a cell that may be isolated, so that the next cell stays after it. */
export function gapAfter(cell: string): string {
  return cell.includes(isolateEnd) ? ` ${barrier}` : '  ';
}

/**
 * Returns the space after text on a terminal. After right-to-left text it is a barrier: "old → new" would be read as
 * new → old, and a number would appear before its name.
 */
export function spaceAfter(text: string): string {
  return rightToLeft.test(text) ? barrier : ' ';
}
