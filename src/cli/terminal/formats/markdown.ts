/** Writes Markdown tables (GitHub's), for reviews and pages. Every cell is literal text. */
import { cleanLine } from '../clean.ts';
import { cellAt, createRowWriter } from '../tabulate.ts';
import { formatPlain } from '../value-at.ts';
import type { Format } from './format.ts';

export const markdown = {
  name: 'markdown',
  isForPeople: false,
  isStreaming: true,
  isExact: false,
  needsColumns: true,
  layoutFlags: ['columns'],
  async open({ columns } = {}) {
    const requestedColumns = columns?.map(({ name }) => name);
    const header = (names: readonly string[]) =>
      names.length === 0
        ? ''
        : formatMarkdownRow(names.map(escapeMarkdown)) + formatMarkdownRow(names.map(() => '---'));
    const row = (value: unknown, names: readonly string[]) =>
      formatMarkdownRow(names.map((name) => escapeMarkdown(formatPlain(cellAt(value, name)))));
    return createRowWriter({ header, row }, requestedColumns);
  },
} as const satisfies Format;

export function formatMarkdownRow(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |\n`;
}

/** Escapes text for Markdown: the result contains no markup, mentions or line breaks. */
export function escapeMarkdown(text: string): string {
  const lines = text
    .split(/\r\n|[\r\n]/)
    .map((line) =>
      cleanLine(line).replaceAll(markup, (character) => entities[character] ?? `\\${character}`),
    );
  return lines.join('<br>');
}

/** Matches markup. An underscore inside a word and a colon that doesn't belong to a URL are literal already. */
const markup = /[\\`*[\]<>&|~@]|:(?=\/\/)|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu;

/** Characters of tags, entities, mentions and URLs, which a backslash doesn't make literal everywhere. */
const entities: Readonly<Record<string, string>> = {
  '<': '&lt;',
  '>': '&gt;',
  '&': '&amp;',
  '@': '&#64;',
  ':': '&#58;',
};

/** Formats text as a code span for a table cell, in which no character is markup. Empty text stays empty. */
export function formatMarkdownCode(text: string): string {
  const line = cleanLine(text.replaceAll(/\r\n|[\r\n]/g, '⏎')).replaceAll('|', '\\|');
  if (line === '') return '';
  const longestRun = Math.max(0, ...(line.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longestRun + 1);
  const pad = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  return `${fence}${pad}${line}${pad}${fence}`;
}
