/** Splits a terminal line that tmux captured into pieces of text with a column and a style. */
import stringWidth from 'string-width';

/** A piece of a terminal line. */
export interface Piece {
  /** The number of cells before it. */
  column: number;
  /** The width in cells. */
  width: number;
  text: string;
  styles: Style[];
  /** Whether it contains letters that are written from right to left. */
  isRightToLeft: boolean;
}

/** A text attribute or color of the terminal. */
export type Style = 'bold' | 'dim' | 'strike' | 'red' | 'green' | 'yellow' | 'blue' | 'cyan';

/** The styles that codes of escape sequences set. */
const styleByCode: Record<string, Style> = {
  1: 'bold',
  2: 'dim',
  9: 'strike',
  31: 'red',
  32: 'green',
  33: 'yellow',
  34: 'blue',
  36: 'cyan',
};

/** The styles that codes of escape sequences reset. */
const resetByCode: Record<string, Style[]> = {
  0: Object.values(styleByCode),
  22: ['bold', 'dim'],
  29: ['strike'],
  39: ['red', 'green', 'yellow', 'blue', 'cyan'],
  // Resets the background, which never has a color.
  49: [],
};

/** Returns the pieces of a line. They end at style changes and at two spaces, so that every table cell is a piece. */
export function splitIntoPieces(line: string): Piece[] {
  const result: Piece[] = [];
  let styles: Style[] = [];
  let column = 0;
  for (const sequence of `\x1b[m${line}`.split('\x1b').slice(1)) {
    const [, codes, text] = /^\[([\d;]*)m(.*)$/.exec(sequence) ?? [];
    if (codes === undefined || text === undefined)
      throw new Error(`Unknown escape sequence ${JSON.stringify(sequence)}.`);
    styles = (codes || '0').split(';').reduce(applyCode, styles);
    for (const part of text.split(/( {2,}|^ | $)/)) {
      const width = stringWidth(part);
      if (part.trim() !== '') {
        result.push({ column, width, text: part, styles, isRightToLeft: /\p{Script=Arabic}/u.test(part) });
      }
      column += width;
    }
  }
  return result;
}

function applyCode(styles: Style[], code: string): Style[] {
  const addedStyle = styleByCode[code];
  const removedStyles = resetByCode[code];
  if (addedStyle !== undefined) return [...styles, addedStyle];
  if (removedStyles !== undefined) return styles.filter((style) => !removedStyles.includes(style));
  throw new Error(`Unknown text attribute ${code}.`);
}
