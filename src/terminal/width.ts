/** Measures how many columns a text takes on a terminal; cuts and pads to a number of columns. */
import stringWidth from 'string-width';

/** Columns that `text`, already cleaned and without colour, takes on a terminal. */
export function displayWidth(text: string): number {
  return oneColumnEach.test(text) ? text.length : stringWidth(text, { countAnsiEscapeCodes: true });
}

/** `text` in at most `width` columns, cut between what a reader sees as characters, with `ellipsis` where it was cut. */
export function truncate(text: string, width: number, ellipsis = '…'): string {
  if (oneColumnEach.test(text)) {
    if (text.length <= width) return text;
    const room = width - displayWidth(ellipsis);
    return room < 0 ? text.slice(0, width) : text.slice(0, room) + ellipsis;
  }
  return truncateGraphemes(text, width, ellipsis);
}

export type Align = 'left' | 'right';

/** `text` with spaces up to `width` columns; a longer text stays as it is. */
export function pad(text: string, width: number, align: Align = 'left'): string {
  const spaces = ' '.repeat(Math.max(0, width - displayWidth(text)));
  return align === 'left' ? text + spaces : spaces + text;
}

/**
 * Text that needs no segmenting, which is slow: ASCII and the plain letters and digits of Latin, Greek, Cyrillic,
 * Hebrew and Arabic are one code unit, one grapheme and one column each. Combining marks are not among them.
 */
const oneColumnEach =
  /^[\x20-\x7e\u00a1-\u00ac\u00ae-\u02ff\u0370-\u0377\u037b-\u0482\u048a-\u052f\u05d0-\u05ea\u060c\u061b\u061f\u0621-\u064a\u0660-\u066d\u0671-\u06d3]*$/;
/** Made when it is first used: it takes longer to make than most commands take. */
let graphemes: Intl.Segmenter | undefined;

/** Looks no further than the cut: a cell can hold 10,000 characters. No UTF-16 unit takes more than two columns. */
function truncateGraphemes(text: string, width: number, ellipsis: string): string {
  if (text.length * 2 <= width) return text;
  const ellipsisWidth = displayWidth(ellipsis);
  const mark = ellipsisWidth <= width ? ellipsis : '';
  const room = mark === '' ? width : width - ellipsisWidth;
  graphemes ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  let used = 0;
  let cut = 0;
  for (const { segment, index } of graphemes.segment(text)) {
    const next = used + displayWidth(segment);
    if (next > width) return text.slice(0, cut) + mark;
    if (next <= room) cut = index + segment.length;
    used = next;
  }
  return text;
}
