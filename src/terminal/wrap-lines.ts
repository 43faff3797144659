/** Breaks lines that are longer than the window at spaces. Loaded at every start, so keep it small. */
import { stripVTControlCharacters } from 'node:util';

/** The indent of continuation lines. */
export const continuationIndent = '    ';

/** Wraps lines of text. Counts each character as one column: exact measuring takes long to load. */
export function wrapLines(text: string, width: number): string {
  return text
    .split('\n')
    .map((line) => (displayLength(line) <= width ? line : wrapLine(line, width)))
    .join('\n');
}

function wrapLine(line: string, width: number): string {
  const [indent = ''] = /^ */.exec(line) ?? [];
  if (width - indent.length < width / 2) return line;
  const lines: string[] = [];
  let current: string | undefined;
  // A word that is longer than the line, such as a URL, isn't cut.
  for (const word of unbreakableParts(line.slice(indent.length))) {
    const extended: string = current === undefined ? indent + word : `${current} ${word}`;
    if (current === undefined || displayLength(extended) <= width) {
      current = extended;
      continue;
    }
    lines.push(current);
    current = indent + continuationIndent + word;
  }
  return [...lines, current ?? ''].join('\n');
}

/**
 * Splits a line into the parts that aren't broken: words and boh commands. If a user copied a command from two lines, the
 * shell would run only its first half.
 */
function unbreakableParts(line: string): string[] {
  const parts: string[] = [];
  let command: string | undefined;
  const words = line.split(' ');
  words.forEach((word, index) => {
    if (command !== undefined) command += ` ${word}`;
    else if (/(^|\W)boh$/.test(word) && /^[a-z-]/.test(words[index + 1] ?? '')) command = word;
    else parts.push(word);
    if (command !== undefined && (index === words.length - 1 || endsCommand(command))) {
      parts.push(command);
      command = undefined;
    }
  });
  return parts;
}

/** Returns whether a command ends with punctuation outside quotes. */
function endsCommand(text: string): boolean {
  const hasOpenQuote = ['"', "'"].some((quote) => text.split(quote).length % 2 === 0);
  return !hasOpenQuote && /[.,;:)]$/.test(text);
}

/** Returns the number of characters without styles. */
function displayLength(text: string): number {
  return stripVTControlCharacters(text).length;
}
