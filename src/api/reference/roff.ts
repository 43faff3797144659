/** Formats pages of the reference as man pages, with the macros of man(7). */
import { type Block, parseInlines, type ReferencePage } from './blocks.ts';
import { foldCommand } from './plain-text.ts';

/** Options of `manPage`. */
export interface ManOptions {
  /** The footer of each page: `boh 0.1.0`. */
  source: string;
}

/** Returns a man page: the title, the line for `man -k`, and the blocks. */
export function manPage({ name, summary, blocks }: ReferencePage, { source }: ManOptions): string {
  const lines = [
    '.\\" Generated from the contract by scripts/reference.ts. Do not edit.',
    `.TH ${name.toUpperCase().replaceAll('-', '\\-')} 1 "" "${source}" "boh"`,
    '.nh',
    '.ad l',
    '.SH NAME',
    `${escapeText(name)} \\- ${escapeText(summary)}`,
    ...blocks.flatMap(formatBlock),
  ];
  return `${lines.join('\n')}\n`;
}

function formatBlock(block: Block): string[] {
  switch (block.kind) {
    case 'heading':
      return block.level === 2
        ? [`.SH ${escapeText(block.text.toUpperCase())}`]
        : [`.SS ${escapeText(block.text)}`];
    case 'paragraph':
      return ['.PP', formatInline(block.text)];
    case 'terms':
      return formatTerms(block.terms.map(({ term, text }) => ({ term, meanings: [text].flat() })));
    case 'table':
      return formatTerms(
        block.rows.map(([term = '', ...cells]) => ({ term, meanings: cells.filter(Boolean) })),
      );
    case 'code':
      return formatUnwrapped(
        '.RS 4',
        block.lines.flatMap((line) => foldCommand(line, 70)),
      );
    case 'screen':
      return formatUnwrapped('.RS 0', block.lines);
  }
}

function formatUnwrapped(begin: string, lines: readonly string[]): string[] {
  return ['.PP', begin, '.nf', ...lines.map((line) => escapeText(line)), '.fi', '.RE'];
}

interface TermEntry {
  term: string;
  meanings: readonly string[];
}

/** Returns terms with their meanings. Short ones are on one line each, without blank lines between them. */
function formatTerms(terms: readonly TermEntry[]): string[] {
  const longest = Math.max(0, ...terms.map(({ term }) => term.length));
  const isShort = longest <= maxShortTermCharacters && terms.every(({ meanings }) => meanings.length <= 1);
  if (!isShort) return terms.flatMap(({ term, meanings }) => formatTerm('.TP', term, meanings));
  return [
    '.PD 0',
    ...terms.flatMap(({ term, meanings }) => formatTerm(`.TP ${longest + 3}`, term, meanings)),
    '.PD',
  ];
}

const maxShortTermCharacters = 30;

function formatTerm(request: string, term: string, [first = '', ...others]: readonly string[]): string[] {
  return [
    request,
    formatBold(term),
    formatInline(first),
    ...others.flatMap((text) => ['.br', formatInline(text)]),
  ];
}

function formatInline(text: string): string {
  const line = parseInlines(text)
    .map((part) =>
      part.kind === 'text' ? escapeText(part.text, false) : `\\fB${escapeText(part.text, false)}\\fR`,
    )
    .join('');
  return escapeLineStart(line);
}

function formatBold(text: string): string {
  return `\\fB${escapeText(
    parseInlines(text)
      .map((part) => part.text)
      .join(''),
    false,
  )}\\fR`;
}

/** Escapes text. A dot or an apostrophe at the start of a line would be a request to the formatter. */
function escapeText(text: string, isWholeLine = true): string {
  const escaped = text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll("'", '\\(aq')
    .replaceAll('’', '\\(cq')
    .replaceAll('…', '...');
  return isWholeLine ? escapeLineStart(escaped) : escaped;
}

function escapeLineStart(line: string): string {
  return /^[.']/.test(line) ? `\\&${line}` : line;
}
