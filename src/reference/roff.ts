/** Writes pages of the reference as man pages, with the macros of man(7). */
import { type Block, inlines, type Page } from './blocks.ts';
import { foldCommand } from './plain-text.ts';

/** How to write man pages. */
export interface ManOptions {
  /** The footer of each page: `boh 0.1.0`. */
  source: string;
}

/** Returns a man page: the title, the line for `man -k`, and the blocks. */
export function manPage({ name, summary, blocks }: Page, { source }: ManOptions): string {
  const lines = [
    '.\\" Generated from the contract by scripts/reference.ts. Do not edit.',
    `.TH ${name.toUpperCase().replaceAll('-', '\\-')} 1 "" "${source}" "boh"`,
    '.nh',
    '.ad l',
    '.SH NAME',
    `${literal(name)} \\- ${literal(summary)}`,
    ...blocks.flatMap(block),
  ];
  return `${lines.join('\n')}\n`;
}

function block(it: Block): string[] {
  switch (it.kind) {
    case 'heading':
      return it.level === 2 ? [`.SH ${literal(it.text.toUpperCase())}`] : [`.SS ${literal(it.text)}`];
    case 'paragraph':
      return ['.PP', inline(it.text)];
    case 'terms':
      return entries(it.terms.map(({ term, text }) => ({ term, texts: [text].flat() })));
    case 'table':
      return entries(it.rows.map(([term = '', ...cells]) => ({ term, texts: cells.filter(Boolean) })));
    case 'code':
      return unfilled(
        '.RS 4',
        it.lines.flatMap((line) => foldCommand(line, 70)),
      );
    case 'screen':
      return unfilled('.RS 0', it.lines);
  }
}

/** Returns unwrapped, indented lines. */
function unfilled(begin: string, lines: readonly string[]): string[] {
  return ['.PP', begin, '.nf', ...lines.map((line) => literal(line)), '.fi', '.RE'];
}

interface Entry {
  term: string;
  texts: readonly string[];
}

/** Returns terms with meanings; short ones are on one line each, without space between. */
function entries(all: readonly Entry[]): string[] {
  const longest = Math.max(0, ...all.map(({ term }) => term.length));
  const isShort = longest <= maxShortTerm && all.every(({ texts }) => texts.length <= 1);
  if (!isShort) return all.flatMap(({ term, texts }) => entry('.TP', term, texts));
  return ['.PD 0', ...all.flatMap(({ term, texts }) => entry(`.TP ${longest + 3}`, term, texts)), '.PD'];
}

const maxShortTerm = 30;

function entry(request: string, term: string, [first = '', ...others]: readonly string[]): string[] {
  return [request, bold(term), inline(first), ...others.flatMap((text) => ['.br', inline(text)])];
}

function inline(text: string): string {
  const line = inlines(text)
    .map((part) =>
      part.kind === 'text' ? literal(part.text, false) : `\\fB${literal(part.text, false)}\\fR`,
    )
    .join('');
  return safeStart(line);
}

function bold(text: string): string {
  return `\\fB${literal(
    inlines(text)
      .map((part) => part.text)
      .join(''),
    false,
  )}\\fR`;
}

/** Escapes a text. A dot or an apostrophe at the start of a line would be a request to the formatter. */
function literal(text: string, isWholeLine = true): string {
  const escaped = text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll("'", '\\(aq')
    .replaceAll('’', '\\(cq')
    .replaceAll('…', '...');
  return isWholeLine ? safeStart(escaped) : escaped;
}

function safeStart(line: string): string {
  return /^[.']/.test(line) ? `\\&${line}` : line;
}
