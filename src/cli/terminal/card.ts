/** Draws one record as a card: a line for each field, with relations as indented lists. */

import Table from 'cli-table3';
import { isObject } from '../../base/number-text.ts';
import { cleanLine, cleanText, isolateText } from './clean.ts';
import { createPaint } from './color.ts';
import { formatPlain, type ShownRow, valueAt } from './value-at.ts';
import { displayWidth, wrapWords } from './width.ts';

export interface CardEntry {
  /** The field's name, such as `category` or `pivot.quantity`. */
  name: string;
  label: string;
  value?(record: ShownRow): unknown;
  /** Formats the value for people. Not called for null and undefined, which are shown as a dash. The text is then cleaned. */
  show?(value: unknown, record: ShownRow): string;
  /** The entries to show of a related record, or of each record of a list; the first is its heading. */
  entries?: readonly CardEntry[];
  /** Returns the text of an item, for lists with one line per item. The text is then cleaned. */
  formatItem?(item: unknown): string;
}

/** Options for `renderCard`. */
export interface CardOptions {
  color?: boolean;
  unicode?: boolean;
  /** See `TableOptions`. */
  isolate?: boolean;
  /** The maximum number of list items to show. A last line then says how many more there are. */
  maxItems?: number | undefined;
  /** The width of the window in columns, at which text is wrapped. Undefined without a terminal and with `--wide`: no wrapping. */
  width?: number | undefined;
}

/**
 * Draws a card without cutting any text. Relations and long text are indented below their labels. That also keeps
 * cli-table3 fast, which measures a whole cell again for each of its lines.
 */
export function renderCard(
  entries: readonly CardEntry[],
  record: ShownRow,
  options: CardOptions = {},
): string {
  return `${cardLines(entries, record, options).join('\n')}\n`;
}

function cardLines(entries: readonly CardEntry[], record: ShownRow, options: CardOptions): string[] {
  const { bold } = createPaint(options.color ?? false);
  const labelWidth = entries.reduce(
    (width, entry) => Math.max(width, displayWidth(cleanLine(entry.label))),
    0,
  );
  const contents = entries.map((entry) =>
    fieldContent(entry, record, options, labelWidth + labelGap.length + 1),
  );
  const table = new Table(layout);
  for (const [index, { label }] of entries.entries()) {
    const inlineText = contents[index];
    table.push([bold(`${cleanLine(label)}:`), typeof inlineText === 'string' ? inlineText : '']);
  }
  const lines = table.toString().split('\n');
  return lines.flatMap((line, index) => {
    const indentedLines = contents[index];
    return [
      line.trimEnd(),
      ...(Array.isArray(indentedLines) ? indentedLines.map((text) => `  ${text}`) : []),
    ];
  });
}

/** Returns a string to put on the line of its label, or lines to put below it. */
function fieldContent(
  entry: CardEntry,
  record: ShownRow,
  options: CardOptions,
  labelWidth: number,
): string | string[] {
  const value = entry.value === undefined ? valueAt(record, entry.name) : entry.value(record);
  const emptyValue = createPaint(options.color ?? false).dim(options.unicode === false ? '-' : '–');
  if (value === null || value === undefined) return emptyValue;
  const { entries, formatItem } = entry;
  const indentedOptions = options.width === undefined ? options : { ...options, width: options.width - 2 };
  if (Array.isArray(value) && (entries !== undefined || formatItem !== undefined)) {
    if (value.length === 0) return emptyValue;
    const itemOptions =
      indentedOptions.width === undefined
        ? indentedOptions
        : { ...indentedOptions, width: indentedOptions.width - 2 };
    const itemLines = (item: unknown) =>
      formatItem === undefined
        ? cardLines(entries ?? [], item as ShownRow, itemOptions)
        : wrapToWidth(cleanLine(formatItem(item)), itemOptions).map((text) =>
            options.isolate ? isolateText(text) : text,
          );
    return bulletList(value, itemLines, options);
  }
  if (entries !== undefined && isObject(value)) return cardLines(entries, value, indentedOptions);
  const text = cleanText(entry.show === undefined ? formatPlain(value) : entry.show(value, record));
  if (text === '') return emptyValue;
  const textLines = text.split('\n');
  const isInline =
    textLines.length === 1 &&
    (options.width === undefined || displayWidth(text) + labelWidth <= options.width);
  const lines = isInline ? textLines : textLines.flatMap((line) => wrapToWidth(line, indentedOptions));
  const displayedLines = lines.map((line) => (options.isolate ? isolateText(line) : line));
  return isInline ? (displayedLines[0] ?? '') : displayedLines;
}

function wrapToWidth(text: string, { width }: CardOptions): string[] {
  return width === undefined ? [text] : wrapWords(text, Math.max(1, width));
}

function bulletList(
  items: readonly unknown[],
  linesOf: (item: unknown) => string[],
  { maxItems = items.length, unicode = true, color = false }: CardOptions,
): string[] {
  const displayedLines = items.slice(0, maxItems).flatMap((item) => bulletItem(linesOf(item)));
  const remainingCount = items.length - maxItems;
  const more = `${unicode ? '…' : '...'} and ${remainingCount} more; --wide shows all`;
  return remainingCount > 0 ? [...displayedLines, createPaint(color).dim(more)] : displayedLines;
}

function bulletItem(lines: readonly string[]): string[] {
  return lines.map((line, index) => (index === 0 ? `- ${line}` : `  ${line}`));
}

/** The space between a label and its value. */
const labelGap = '  ';

const layout = {
  chars: {
    ...{ top: '', 'top-mid': '', 'top-left': '', 'top-right': '' },
    ...{ bottom: '', 'bottom-mid': '', 'bottom-left': '', 'bottom-right': '' },
    ...{ left: '', 'left-mid': '', mid: '', 'mid-mid': '', right: '', 'right-mid': '', middle: labelGap },
  },
  style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
};
