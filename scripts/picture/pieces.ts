/** Cuts a line of a terminal, as tmux captures it, into pieces of text that stand at a column and look one way. */
import stringWidth from 'string-width';

export interface Piece {
  /** Cells from the left edge, from 0. */
  column: number;
  /** In cells. */
  width: number;
  text: string;
  look: Look[];
  /** Whether it holds letters that are written from right to left. */
  rightToLeft: boolean;
}

export type Look = 'bold' | 'dim' | 'strike' | 'red' | 'green' | 'yellow' | 'blue' | 'cyan';

const begins: Record<string, Look> = {
  1: 'bold',
  2: 'dim',
  9: 'strike',
  31: 'red',
  32: 'green',
  33: 'yellow',
  34: 'blue',
  36: 'cyan',
};

const ends: Record<string, Look[]> = {
  0: Object.values(begins),
  22: ['bold', 'dim'],
  29: ['strike'],
  39: ['red', 'green', 'yellow', 'blue', 'cyan'],
  // The ground, which is never coloured.
  49: [],
};

/** Pieces end where the look changes and at two spaces, so that every cell of a table is a piece of its own. */
export function pieces(line: string): Piece[] {
  const found: Piece[] = [];
  let look: Look[] = [];
  let column = 0;
  for (const stretch of `\x1b[m${line}`.split('\x1b').slice(1)) {
    const [, codes, text] = /^\[([\d;]*)m(.*)$/.exec(stretch) ?? [];
    if (codes === undefined || text === undefined)
      throw new Error(`No picture of ${JSON.stringify(stretch)}.`);
    look = (codes || '0').split(';').reduce(changed, look);
    for (const part of text.split(/( {2,}|^ | $)/)) {
      const width = stringWidth(part);
      if (part.trim() !== '') {
        found.push({ column, width, text: part, look, rightToLeft: /\p{Script=Arabic}/u.test(part) });
      }
      column += width;
    }
  }
  return found;
}

function changed(look: Look[], code: string): Look[] {
  const begun = begins[code];
  const ended = ends[code];
  if (begun !== undefined) return [...look, begun];
  if (ended !== undefined) return look.filter((one) => !ended.includes(one));
  throw new Error(`No picture of the attribute ${code}.`);
}
