/** Writes Markdown tables (GitHub's), for reviews and pages: every cell is literal text. */
import { cleanLine } from '../clean.ts';
import { cellAt, rowTexts } from '../tabulate.ts';
import { plainText } from '../value-at.ts';
import type { Format } from './format.ts';

/** The Markdown format. */
export const markdown = {
  name: 'markdown',
  isForPeople: false,
  isStreaming: true,
  isExact: false,
  needsColumns: true,
  layoutFlags: ['columns'],
  async open({ columns } = {}) {
    const chosen = columns?.map(({ name }) => name);
    const head = (names: readonly string[]) =>
      names.length === 0 ? '' : markdownRow(names.map(markdownText)) + markdownRow(names.map(() => '---'));
    const row = (value: unknown, names: readonly string[]) =>
      markdownRow(names.map((name) => markdownText(plainText(cellAt(value, name)))));
    return rowTexts({ header: head, row }, chosen);
  },
} as const satisfies Format;

/** Returns a row of a table; the cells are Markdown. */
export function markdownRow(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |\n`;
}

/** Returns a text as Markdown that shows it literally: it contains no markup, mentions or line breaks. */
export function markdownText(text: string): string {
  const lines = text
    .split(/\r\n|[\r\n]/)
    .map((line) => cleanLine(line).replaceAll(markup, (found) => entities[found] ?? `\\${found}`));
  return lines.join('<br>');
}

/** An underscore inside a word and a colon that begins no address are literal already. */
const markup = /[\\`*[\]<>&|~@]|:(?=\/\/)|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu;

/** Characters that a backslash doesn't make literal everywhere: tags, entities, mentions and addresses. */
const entities: Readonly<Record<string, string>> = {
  '<': '&lt;',
  '>': '&gt;',
  '&': '&amp;',
  '@': '&#64;',
  ':': '&#58;',
};

/** Returns a text as a code span for a table cell, in which nothing is markup. An empty text has none. */
export function markdownCode(text: string): string {
  const line = cleanLine(text.replaceAll(/\r\n|[\r\n]/g, '⏎')).replaceAll('|', '\\|');
  if (line === '') return '';
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  const pad = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  return `${fence}${pad}${line}${pad}${fence}`;
}
