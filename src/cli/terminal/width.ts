/** Measures, cuts, pads and wraps text in terminal columns. */
import stringWidth from 'string-width';

/** Returns the width of clean text without styles in terminal columns. */
export function displayWidth(text: string): number {
  return singleWidthText.test(text) ? text.length : stringWidth(text, { countAnsiEscapeCodes: true });
}

/** Cuts text to `width` columns between graphemes, with `ellipsis` at the end if it was cut. */
export function truncate(text: string, width: number, ellipsis = '…'): string {
  if (singleWidthText.test(text)) {
    if (text.length <= width) return text;
    const textWidth = width - displayWidth(ellipsis);
    return textWidth < 0 ? text.slice(0, width) : text.slice(0, textWidth) + ellipsis;
  }
  return truncateGraphemes(text, width, ellipsis);
}

/** The side that text is aligned to. */
export type Align = 'left' | 'right';

/** Pads text with spaces to `width` columns. Longer text is returned unchanged. */
export function pad(text: string, width: number, align: Align = 'left'): string {
  const spaces = ' '.repeat(Math.max(0, width - displayWidth(text)));
  return align === 'left' ? text + spaces : spaces + text;
}

/**
 * Matches text that needs no segmentation, which is slow: ASCII and the plain letters and digits of Latin, Greek, Cyrillic,
 * Hebrew and Arabic are one code unit, one grapheme and one column each. Combining marks are not included.
 */
const singleWidthText =
  /^[\x20-\x7e\u00a1-\u00ac\u00ae-\u02ff\u0370-\u0377\u037b-\u0482\u048a-\u052f\u05d0-\u05ea\u060c\u061b\u061f\u0621-\u064a\u0660-\u066d\u0671-\u06d3]*$/;
/** Created at first use, because creating it takes longer than most commands. */
let graphemes: Intl.Segmenter | undefined;

/** Cuts text without reading beyond the cut, because a cell may have 10,000 characters. A UTF-16 unit takes at most two columns. */
function truncateGraphemes(text: string, width: number, ellipsis: string): string {
  if (text.length * 2 <= width) return text;
  const ellipsisWidth = displayWidth(ellipsis);
  const shownEllipsis = ellipsisWidth <= width ? ellipsis : '';
  const textWidth = shownEllipsis === '' ? width : width - ellipsisWidth;
  graphemes ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  let usedWidth = 0;
  let cutIndex = 0;
  for (const { segment, index } of graphemes.segment(text)) {
    const nextWidth = usedWidth + displayWidth(segment);
    if (nextWidth > width) return text.slice(0, cutIndex) + shownEllipsis;
    if (nextWidth <= textWidth) cutIndex = index + segment.length;
    usedWidth = nextWidth;
  }
  return text;
}

/** Breaks text at spaces into lines of `width` columns. A wider word gets its own line and isn't cut. */
export function wrapWords(text: string, width: number): string[] {
  const lines: string[] = [];
  let freeColumns = 0;
  for (const word of text.split(' ')) {
    const wordWidth = displayWidth(word);
    if (lines.length > 0 && wordWidth + 1 <= freeColumns) {
      lines[lines.length - 1] += ` ${word}`;
      freeColumns -= wordWidth + 1;
    } else {
      lines.push(word);
      freeColumns = width - wordWidth;
    }
  }
  return lines;
}
