/** One record as a card: a label and its value a line, relations as indented lists. */

import Table from 'cli-table3';
import { isObject } from '../base/number-text.ts';
import { cleanLine, cleanText } from './clean.ts';
import { painter } from './colour.ts';
import { isolated } from './isolate.ts';
import { plainText, type ShownRow, valueAt } from './value-at.ts';
import { displayWidth } from './width.ts';
import { wrapped } from './wrap.ts';

export interface Entry {
  /** The field's name, such as `category` or `pivot.quantity`. */
  name: string;
  label: string;
  value?(record: ShownRow): unknown;
  /** The value in words; never called for null or undefined, which are shown as a dash. The text is cleaned after. */
  show?(value: unknown, record: ShownRow): string;
  /** For a related record, or a list of them: what is shown of each, the first entry as its heading. */
  entries?: readonly Entry[];
  /** For a list whose items take a line each: that line. It is cleaned after. */
  line?(item: unknown): string;
}

export interface CardOptions {
  colour?: boolean;
  unicode?: boolean;
  /** See `TableOptions`. */
  isolate?: boolean;
  /** Of a longer list only so many items are shown, and then how many are left. */
  mostItems?: number | undefined;
  /** Columns of the window: longer texts break at spaces. Without it (no terminal, or `--wide`) no line is broken. */
  width?: number | undefined;
}

/**
 * No text is cut. What takes more than one line, a relation or a text too long to stand beside its label, is indented
 * below it, which also keeps cli-table3 fast: it measures a whole cell again for each of its lines.
 */
export function renderCard(entries: readonly Entry[], record: ShownRow, options: CardOptions = {}): string {
  return `${card(entries, record, options).join('\n')}\n`;
}

function card(entries: readonly Entry[], record: ShownRow, options: CardOptions): string[] {
  const { bold } = painter(options.colour ?? false);
  const label = entries.reduce((most, it) => Math.max(most, displayWidth(cleanLine(it.label))), 0);
  const contents = entries.map((entry) => content(entry, record, options, label + between.length + 1));
  const table = new Table(layout);
  for (const [index, { label }] of entries.entries()) {
    const beside = contents[index];
    table.push([bold(`${cleanLine(label)}:`), typeof beside === 'string' ? beside : '']);
  }
  const lines = table.toString().split('\n');
  return lines.flatMap((line, index) => {
    const below = contents[index];
    return [line.trimEnd(), ...(Array.isArray(below) ? below.map((text) => `  ${text}`) : [])];
  });
}

/** A string stands beside its label, lines stand below it. */
function content(entry: Entry, record: ShownRow, options: CardOptions, taken: number): string | string[] {
  const value = entry.value === undefined ? valueAt(record, entry.name) : entry.value(record);
  const nothing = painter(options.colour ?? false).dim(options.unicode === false ? '-' : '–');
  if (value === null || value === undefined) return nothing;
  const { entries, line } = entry;
  const below = options.width === undefined ? options : { ...options, width: options.width - 2 };
  if (Array.isArray(value) && (entries !== undefined || line !== undefined)) {
    if (value.length === 0) return nothing;
    const inItem = below.width === undefined ? below : { ...below, width: below.width - 2 };
    const lines = (item: unknown) =>
      line === undefined
        ? card(entries ?? [], item as ShownRow, inItem)
        : folded(cleanLine(line(item)), inItem).map((text) => (options.isolate ? isolated(text) : text));
    return listed(value, lines, options);
  }
  if (entries !== undefined && isObject(value)) return card(entries, value, below);
  const text = cleanText(entry.show === undefined ? plainText(value) : entry.show(value, record));
  if (text === '') return nothing;
  const given = text.split('\n');
  const isBeside =
    given.length === 1 && (options.width === undefined || displayWidth(text) + taken <= options.width);
  const lines = isBeside ? given : given.flatMap((line) => folded(line, below));
  const shown = lines.map((line) => (options.isolate ? isolated(line) : line));
  return isBeside ? (shown[0] ?? '') : shown;
}

function folded(text: string, { width }: CardOptions): string[] {
  return width === undefined ? [text] : wrapped(text, Math.max(1, width));
}

function listed(
  items: readonly unknown[],
  lines: (item: unknown) => string[],
  { mostItems = items.length, unicode = true, colour = false }: CardOptions,
): string[] {
  const shown = items.slice(0, mostItems).flatMap((item) => bulleted(lines(item)));
  const left = items.length - mostItems;
  const more = `${unicode ? '…' : '...'} and ${left} more; --wide shows them all`;
  return left > 0 ? [...shown, painter(colour).dim(more)] : shown;
}

function bulleted(lines: readonly string[]): string[] {
  return lines.map((line, index) => (index === 0 ? `- ${line}` : `  ${line}`));
}

/** Spaces between a label and what stands beside it. */
const between = '  ';

const layout = {
  chars: {
    ...{ top: '', 'top-mid': '', 'top-left': '', 'top-right': '' },
    ...{ bottom: '', 'bottom-mid': '', 'bottom-left': '', 'bottom-right': '' },
    ...{ left: '', 'left-mid': '', mid: '', 'mid-mid': '', right: '', 'right-mid': '', middle: between },
  },
  style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
};
