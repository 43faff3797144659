/** Formats records as a file, a page at a time: CSV, NDJSON, JSON, or the rows from which a workbook is created. */

import type { Row } from '../../session/row.ts';
import {
  type ExportColumn,
  type FormatOptions,
  jsonFormatter,
  type RowWriter,
  textFormatter,
} from './cells.ts';
import { sheetWriter } from './sheet-writer.ts';

/** Returns the writer for a file format. */
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
