/** Formats records as a file, a page at a time: CSV, NDJSON, JSON, or the rows from which a workbook is created. */

import type { Row } from '../../../account/session/row.ts';
import { inputWords } from '../../../api/contract/value-text.ts';
import { usage } from '../../../base/errors.ts';
import { formatCount } from '../../../base/shown-items.ts';
import { nullCell } from '../../tables/table.ts';
import { formatSheetHeader, formatSheetRow } from '../../tables/workbook/book-bytes.ts';
import { exactNumber, maxCellCharacters, maxSheetRows, type SheetCell } from '../../tables/workbook/cell.ts';
import type { SheetColumn } from '../../tables/workbook/messages.ts';
import {
  type ExportColumn,
  type FormatOptions,
  jsonFormatter,
  type RowWriter,
  textFormatter,
} from './cells.ts';

export function createRowWriter(columns: readonly ExportColumn[], options: FormatOptions): RowWriter {
  switch (options.format) {
    case 'csv':
      return csvWriter(columns, options);
    case 'ndjson':
      return ndjsonWriter(columns);
    case 'json':
      return jsonWriter(columns);
    case 'xlsx':
      return sheetWriter(columns, options);
  }
}

function csvWriter(
  columns: readonly ExportColumn[],
  { isForSpreadsheets, csvCell }: FormatOptions,
): RowWriter {
  const lineEnd = isForSpreadsheets ? '\r\n' : '\n';
  const line = (cells: readonly string[]) => cells.map(csvCell).join(',') + lineEnd;
  const formatters = columns.map(textFormatter);
  return {
    begin: () => (isForSpreadsheets ? '\u{feff}' : '') + line(columns.map(({ name }) => name)),
    rows: (records) => records.map((record) => line(formatters.map((format) => format(record)))).join(''),
    end: () => '',
  };
}

function ndjsonWriter(columns: readonly ExportColumn[]): RowWriter {
  const toRow = jsonRowConverter(columns);
  return {
    begin: () => '',
    rows: (records) => records.map((record) => `${JSON.stringify(toRow(record))}\n`).join(''),
    end: () => '',
  };
}

function jsonWriter(columns: readonly ExportColumn[]): RowWriter {
  const toRow = jsonRowConverter(columns);
  let separator = '[\n';
  return {
    begin: () => '',
    rows: (records) => {
      let text = '';
      for (const record of records) {
        const lines = JSON.stringify(toRow(record), null, 2).replaceAll('\n', '\n  ');
        text += `${separator}  ${lines}`;
        separator = ',\n';
      }
      return text;
    },
    end: () => (separator === '[\n' ? '[]\n' : '\n]\n'),
  };
}

/**
 * Returns a function that converts a record to a JSON row. Unknown values are omitted, because null would clear the
 * field on import.
 */
function jsonRowConverter(columns: readonly ExportColumn[]): (record: Row) => Row {
  const formatters = columns.map((column) => [column.name, jsonFormatter(column)] as const);
  return (record) => {
    const row: Record<string, unknown> = {};
    for (const [name, format] of formatters) {
      const value = format(record);
      if (value !== undefined) row[name] = value;
    }
    return row;
  };
}

function sheetWriter(columns: readonly ExportColumn[], options: FormatOptions): RowWriter {
  const { sheet, guardCell, unguardCell } = options;
  // A text cell of a sheet is never run as a formula, so only text that an import would misread is escaped.
  const escapeIfMisread = (text: string) =>
    unguardCell(text) !== text || text === nullCell ? guardCell(text) : text;
  const readers = columns.map((column) => cellReader(column, escapeIfMisread));
  let count = 0;
  return {
    begin(expectedRows) {
      if (expectedRows !== undefined && expectedRows > maxSheetRows) throw tooManyRows(sheet);
      return formatSheetHeader({ sheet, columns: columns.map(sheetColumn) });
    },
    rows(records) {
      count += records.length;
      if (count > maxSheetRows) throw tooManyRows(sheet);
      return records.map((record) => formatSheetRow(readers.map((read) => read(record)))).join('');
    },
    end: () => '',
  };
}

function cellReader(column: ExportColumn, escapeText: (text: string) => string): (record: Row) => SheetCell {
  const read = textFormatter(column);
  const kind = kindOf(column);
  return (record) => {
    const text = read(record);
    if (text === '') return null;
    if (text.length > maxCellCharacters) throw cellTooLong(column, record, text.length);
    return (kind && typedValue(text, kind)) ?? escapeText(text);
  };
}

/** Returns the typed value; undefined if the value must be text to be read back unchanged. */
function typedValue(text: string, kind: CellKind): SheetCell | undefined {
  if (kind === 'number') return exactNumber(text);
  if (kind === 'boolean') return text === 'true' || text === 'false' ? text === 'true' : undefined;
  return /^\d{4}-\d\d-\d\d$/.test(text) && text >= firstCommonDate ? { date: text } : undefined;
}

type CellKind = 'number' | 'boolean' | 'date';

/** The first date that all spreadsheets store as the same number. */
const firstCommonDate = '1900-03-01';

function sheetColumn(column: ExportColumn): SheetColumn {
  const { name, field } = column;
  const kind = kindOf(column);
  const choices =
    kind === 'boolean' ? ['TRUE', 'FALSE'] : field?.kind === 'choice' ? inputWords(field) : undefined;
  return { name, isText: kind === undefined, choices };
}

function kindOf({ field, role }: ExportColumn): CellKind | undefined {
  if (role === 'note') return field ? undefined : 'boolean';
  switch (field?.kind) {
    case 'integer':
    case 'decimal':
    case 'numeric_text':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'date':
      return 'date';
    default:
      return undefined;
  }
}

function tooManyRows(sheet: string) {
  return usage(`${sheet} has more than ${formatCount(maxSheetRows)} rows, which is the limit of a sheet.`, {
    hint: 'Write CSV or NDJSON, which have no limit, or use filters.',
  });
}

function cellTooLong({ name }: ExportColumn, { id }: Row, length: number) {
  return usage(
    `${name} of ${id} has ${formatCount(length)} characters; the limit of a cell is ${formatCount(maxCellCharacters)}.`,
    { hint: 'Write CSV or NDJSON, or omit that column with --columns.' },
  );
}
