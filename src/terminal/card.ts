/** One record as a card: a label and its value a line, relations as indented lists. Load lazily (cli-table3). */
import Table from 'cli-table3';
import { cleanLine, cleanText } from './clean.ts';
import { painter } from './colour.ts';
import { plainText, type Row, valueAt } from './value-at.ts';

export interface Entry {
  /** The field's name, such as `category` or `pivot.quantity`. */
  name: string;
  label: string;
  value?(record: Row): unknown;
  /** The value in words; never called for null or undefined, which are shown as a dash. The text is cleaned after. */
  show?(value: unknown, record: Row): string;
  /** For a related record, or a list of them: what is shown of each, the first entry as its heading. */
  entries?: readonly Entry[];
}

export interface CardOptions {
  colour?: boolean;
  unicode?: boolean;
}

/** Nothing is cut: a long value goes on in the next line of the terminal. */
export function renderCard(entries: readonly Entry[], record: Row, options: CardOptions = {}): string {
  return `${card(entries, record, options)}\n`;
}

function card(entries: readonly Entry[], record: Row, options: CardOptions): string {
  const { bold } = painter(options.colour ?? false);
  const table = new Table({
    chars: noBorders,
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
  });
  for (const entry of entries)
    table.push([bold(`${cleanLine(entry.label)}:`), content(entry, record, options)]);
  return trimLines(table.toString());
}

function content(entry: Entry, record: Row, options: CardOptions): string {
  const value = entry.value === undefined ? valueAt(record, entry.name) : entry.value(record);
  const { dim } = painter(options.colour ?? false);
  const dash = dim(options.unicode === false ? '-' : '–');
  if (value === null || value === undefined || value === '') return dash;
  if (entry.entries !== undefined && typeof value === 'object') {
    const { entries } = entry;
    const related = Array.isArray(value) ? value : [value];
    if (related.length === 0) return dash;
    return related.map((item: Row) => bulleted(card(entries, item, options))).join('\n');
  }
  return cleanText(entry.show === undefined ? plainText(value) : entry.show(value, record)) || dash;
}

function bulleted(text: string): string {
  return `- ${text.replaceAll('\n', '\n  ')}`;
}

function trimLines(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

const noBorders = {
  ...{ top: '', 'top-mid': '', 'top-left': '', 'top-right': '' },
  ...{ bottom: '', 'bottom-mid': '', 'bottom-left': '', 'bottom-right': '' },
  ...{ left: '', 'left-mid': '', mid: '', 'mid-mid': '', right: '', 'right-mid': '', middle: '  ' },
};
