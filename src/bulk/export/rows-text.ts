/** Writes records as the text of a file, a page at a time: CSV, NDJSON, JSON, or the lines that become a workbook. */

import type { Row } from '../../session/row.ts';
import { type ExportColumn, jsonReader, type RowsText, type TextOptions, textReader } from './cells.ts';
import { sheetText } from './sheet-text.ts';

/** Returns the writer for a file format. */
export function rowsText(columns: readonly ExportColumn[], options: TextOptions): RowsText {
  switch (options.form) {
    case 'csv':
      return csvText(columns, options);
    case 'ndjson':
      return ndjsonText(columns);
    case 'json':
      return jsonText(columns);
    case 'xlsx':
      return sheetText(columns, options);
  }
}

function csvText(columns: readonly ExportColumn[], { isForSpreadsheets, csvCell }: TextOptions): RowsText {
  const lineEnd = isForSpreadsheets ? '\r\n' : '\n';
  const line = (cells: readonly string[]) => cells.map(csvCell).join(',') + lineEnd;
  const readers = columns.map(textReader);
  return {
    begin: () => (isForSpreadsheets ? '\u{feff}' : '') + line(columns.map(({ name }) => name)),
    rows: (records) => records.map((record) => line(readers.map((read) => read(record)))).join(''),
    end: () => '',
  };
}

function ndjsonText(columns: readonly ExportColumn[]): RowsText {
  const toRow = jsonConverter(columns);
  return {
    begin: () => '',
    rows: (records) => records.map((record) => `${JSON.stringify(toRow(record))}\n`).join(''),
    end: () => '',
  };
}

function jsonText(columns: readonly ExportColumn[]): RowsText {
  const toRow = jsonConverter(columns);
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
function jsonConverter(columns: readonly ExportColumn[]): (record: Row) => Row {
  const readers = columns.map((column) => [column.name, jsonReader(column)] as const);
  return (record) => {
    const row: Record<string, unknown> = {};
    for (const [name, read] of readers) {
      const value = read(record);
      if (value !== undefined) row[name] = value;
    }
    return row;
  };
}
