/** Keeps right-to-left text from reordering its neighbors in terminals that apply Unicode's bidi rules. */

/** Matches Hebrew, Arabic and related scripts, with their presentation forms. */
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

const [isolateStart, isolateEnd] = ['\u2068', '\u2069'];

/**
 * A left-to-right space (an empty braille pattern). Terminals such as VTE drop characters without a column, isolates
 * among them. There only a column of its own keeps a number from swapping places with an Arabic name before it.
 */
const barrier = '\u2800';

/**
 * Returns the text, if needed between a first strong isolate and its end (UAX 9). They take no column, and a terminal
 * without bidi doesn't show them. The text must be clean, so that it contains no such end.
 */
export function isolated(text: string): string {
  return rightToLeft.test(text) ? isolateStart + text + isolateEnd : text;
}

/** Returns the two columns of space after a cell that may be isolated, so that the next cell stays after it. */
export function gapAfter(cell: string): string {
  return cell.includes(isolateEnd) ? ` ${barrier}` : '  ';
}

/**
 * Returns the space after a text on a terminal. After right-to-left text it is a barrier: "old → new" would be read as
 * new → old, and a number would appear before its name.
 */
export function spaceAfter(text: string): string {
  return rightToLeft.test(text) ? barrier : ' ';
}
