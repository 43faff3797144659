/** Formats blocks of the reference for a terminal. */
import { type Block, parseInlines } from './blocks.ts';

/** Options of `formatPlainText`. */
export interface PlainOptions {
  /** The width in columns. Lines that can't be broken, such as examples, may be longer. */
  width: number;
  /** Emphasizes headings and terms; by default, they are plain. */
  strong?: (text: string) => string;
}

const maxColumns = 100;
const indent = '  ';

export function formatPlainText(
  blocks: readonly Block[],
  { width, strong = unchanged }: PlainOptions,
): string {
  const columns = Math.max(20, Math.min(width, maxColumns));
  const parts = blocks.map((block, index) => {
    const lines = formatBlock(block, columns, strong);
    const isUnderHeading = blocks[index - 1]?.kind === 'heading';
    return index === 0 || isUnderHeading ? lines : ['', ...lines];
  });
  return `${parts.flat().join('\n')}\n`;
}

function formatBlock(block: Block, width: number, strong: (text: string) => string): string[] {
  switch (block.kind) {
    case 'heading':
      return [strong(block.text)];
    case 'paragraph':
      return wrap(removeMarkup(block.text), width);
    case 'code':
      return block.lines
        .flatMap((line) => foldCommand(line, width - 2 * indent.length))
        .map((line) => indent + line);
    case 'screen':
      return block.lines.map((line) => indent + line);
    case 'terms':
      return formatTerms(
        block.terms.map(({ term, text }) => ({ term, meanings: [text].flat() })),
        width,
        strong,
      );
    case 'table':
      return formatTerms(
        block.rows.map(([term = '', ...cells]) => ({ term, meanings: cells.filter(Boolean) })),
        width,
        strong,
      );
  }
}

/** Returns terms with their meanings in a second column, or below them if that column would be too narrow. */
function formatTerms(
  rows: readonly { term: string; meanings: readonly string[] }[],
  width: number,
  strong: (text: string) => string,
): string[] {
  const longest = Math.max(0, ...rows.map(({ term }) => removeMarkup(term).length));
  const textColumn = indent.length + longest + 2;
  const isBeside = textColumn <= width / 2.2;
  return rows.flatMap(({ term, meanings }) => {
    const name = removeMarkup(term);
    const startColumn = isBeside ? textColumn : 2 * indent.length;
    const lines = meanings.flatMap((text) => wrap(removeMarkup(text), width - startColumn));
    const body = lines.map((line) => ' '.repeat(startColumn) + line);
    const head = indent + strong(name);
    if (!isBeside || body.length === 0) return [head, ...body];
    return [head + ' '.repeat(textColumn - indent.length - name.length) + lines[0], ...body.slice(1)];
  });
}

function removeMarkup(text: string): string {
  return parseInlines(text)
    .map((part) => part.text)
    .join('');
}

/** Wraps text into lines of at most `width` characters; a longer word gets its own line. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** Breaks a command line that is longer than `width` before its flags, with backslashes. */
export function foldCommand(line: string, width: number): string[] {
  if (line.length <= width) return [line];
  const [first = '', ...flags] = line.split(/ (?=--[a-z])/);
  const lines = [first];
  for (const flag of flags) {
    const last = lines.at(-1) ?? '';
    if (last.length + flag.length + 3 <= width) lines[lines.length - 1] = `${last} ${flag}`;
    else lines.push(`  ${flag}`);
  }
  return lines.map((part, index) => (index < lines.length - 1 ? `${part} \\` : part));
}

function unchanged(text: string): string {
  return text;
}
