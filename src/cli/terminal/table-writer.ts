/** Writes for people: a list as a table, one object as a card, other values as a line of text. */
import { isScalar } from '../../base/number-text.ts';
import { renderCard } from './card.ts';
import { cleanText } from './clean.ts';
import type { FormatOptions, Writer } from './formats/format.ts';
import { type Column, renderTable } from './table.ts';
import { cellAt, columnsOf } from './tabulate.ts';
import type { ShownRow } from './value-at.ts';

export function createTableWriter(options: FormatOptions = {}): Writer {
  const renderList = (rows: readonly unknown[]) => {
    if (rows.every((row) => row !== null && isScalar(row)))
      return rows.map((row) => `${formatLine(row)}\n`).join('');
    const columns = options.columns ?? columnsOf(rows).map((name) => ({ name }));
    const records = options.columns ? (rows as ShownRow[]) : rows.map((row) => recordOf(row, columns));
    const displayedColumns = columns.map((column) => ({ show: formatDisplay, ...column }));
    const table = renderTable(displayedColumns, records, options);
    options.onHeader?.(table.headerLines);
    if (table.note !== undefined) options.onNote?.(table.note);
    return table.text;
  };
  return {
    formatValue(value) {
      if (Array.isArray(value)) return renderList(value);
      if (isScalar(value)) return `${formatLine(value)}\n`;
      return renderCard(entriesOf(Object(value), options), value as ShownRow, options);
    },
    async *formatList(values) {
      yield renderList(await Array.fromAsync(values as Iterable<unknown>));
    },
  };
}

/** Returns a row as a record: rows of `--query` may be lists or scalars. */
function recordOf(row: unknown, columns: readonly Column[]): ShownRow {
  return Object.fromEntries(columns.map(({ name }) => [name, cellAt(row, name)]));
}

function entriesOf(value: object, { columns }: FormatOptions) {
  const names = columns?.map(({ name }) => name) ?? Object.keys(value);
  return names.map((name) => ({
    name,
    label: name.replaceAll('_', ' '),
    show: (fieldValue: unknown) =>
      isLong(fieldValue) ? fieldValue.map(formatDisplay).join('\n') : formatDisplay(fieldValue),
  }));
}

/** Returns whether a list is too long for one line. */
function isLong(value: unknown): value is unknown[] {
  return Array.isArray(value) && value.length > 4;
}

function formatLine(value: unknown): string {
  return cleanText(value == null ? '-' : String(value));
}

function formatDisplay(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.map(formatDisplay).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
