/** Text in lines that break at spaces. */
import { displayWidth } from './width.ts';

/** A word that is wider than the lines has a line to itself, and is not cut. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let room = 0;
  for (const word of text.split(' ')) {
    const wide = displayWidth(word);
    if (lines.length > 0 && wide + 1 <= room) {
      lines[lines.length - 1] += ` ${word}`;
      room -= wide + 1;
    } else {
      lines.push(word);
      room = width - wide;
    }
  }
  return lines;
}
