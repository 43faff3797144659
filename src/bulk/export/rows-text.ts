/**
 * Writes records as the text of a file, a page at a time: CSV, NDJSON or JSON, or the lines from which a workbook is
 * made.
 */

import type { Row } from '../../session/row.ts';
import { jsonReader, type OutColumn, type RowsText, type TextOptions, textReader } from './cells.ts';
import { sheetText } from './sheet-text.ts';

/** Returns the writer for a file format. */
export function rowsText(columns: readonly OutColumn[], options: TextOptions): RowsText {
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

function csvText(columns: readonly OutColumn[], { isForSpreadsheets, csvCell }: TextOptions): RowsText {
  const lineEnd = isForSpreadsheets ? '\r\n' : '\n';
  const line = (cells: readonly string[]) => cells.map(csvCell).join(',') + lineEnd;
  const readers = columns.map(textReader);
  return {
    begin: () => (isForSpreadsheets ? '\u{feff}' : '') + line(columns.map(({ name }) => name)),
    rows: (records) => records.map((record) => line(readers.map((read) => read(record)))).join(''),
    end: () => '',
  };
}

function ndjsonText(columns: readonly OutColumn[]): RowsText {
  const rowOf = jsonRows(columns);
  return {
    begin: () => '',
    rows: (records) => records.map((record) => `${JSON.stringify(rowOf(record))}\n`).join(''),
    end: () => '',
  };
}

function jsonText(columns: readonly OutColumn[]): RowsText {
  const rowOf = jsonRows(columns);
  let before = '[\n';
  return {
    begin: () => '',
    rows: (records) => {
      let text = '';
      for (const record of records) {
        const lines = JSON.stringify(rowOf(record), null, 2).replaceAll('\n', '\n  ');
        text += `${before}  ${lines}`;
        before = ',\n';
      }
      return text;
    },
    end: () => (before === '[\n' ? '[]\n' : '\n]\n'),
  };
}

/**
 * Returns a function that makes JSON rows of records. Unknown values have no member: null would clear the field on
 * import.
 */
function jsonRows(columns: readonly OutColumn[]): (record: Row) => Row {
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
