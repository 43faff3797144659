/** Lines that are longer than a window, in lines that break at spaces. Loaded at every start: keep it small. */
import { stripVTControlCharacters } from 'node:util';

/** How much further in all lines but the first stand. */
export const further = '    ';

/** A letter counts as a column: what measures exactly takes longer to load than anything that is said. */
export function brokenAt(text: string, width: number): string {
  return text
    .split('\n')
    .map((line) => (lengthOf(line) <= width ? line : broken(line, width)))
    .join('\n');
}

function broken(line: string, width: number): string {
  const [inside = ''] = /^ */.exec(line) ?? [];
  if (width - inside.length < width / 2) return line;
  const lines: string[] = [];
  let last: string | undefined;
  // What is longer than the lines, such as an address, isn’t cut.
  for (const word of piecesOf(line.slice(inside.length))) {
    const longer: string = last === undefined ? inside + word : `${last} ${word}`;
    if (last === undefined || lengthOf(longer) <= width) {
      last = longer;
      continue;
    }
    lines.push(last);
    last = inside + further + word;
  }
  return [...lines, last ?? ''].join('\n');
}

/** Words; and as one piece each command that people copy: broken into lines, a shell would run the half of it. */
function piecesOf(line: string): string[] {
  const pieces: string[] = [];
  let command: string | undefined;
  const words = line.split(' ');
  words.forEach((word, at) => {
    if (command !== undefined) command += ` ${word}`;
    else if (/(^|\W)boh$/.test(word) && /^[a-z-]/.test(words[at + 1] ?? '')) command = word;
    else pieces.push(word);
    if (command !== undefined && (at === words.length - 1 || endsCommand(command))) {
      pieces.push(command);
      command = undefined;
    }
  });
  return pieces;
}

/** A sentence goes on behind it; not within quotes. */
function endsCommand(text: string): boolean {
  const isOpen = ['"', "'"].some((quote) => text.split(quote).length % 2 === 0);
  return !isOpen && /[.,;:)]$/.test(text);
}

/** In letters, without the colours around them. */
function lengthOf(text: string): number {
  return stripVTControlCharacters(text).length;
}
