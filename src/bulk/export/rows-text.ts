/** Rows of records as the text of a file: CSV, NDJSON or JSON, a page at a time; of a workbook as the lines that it is made from. */
import type { Row } from '../../session/row.ts';
import { emptiedCell } from '../tables/table.ts';
import { jsonCell, type OutColumn, textCell } from './cells.ts';
import type { RowsText, TextOptions } from './text-options.ts';

export async function rowsText(columns: readonly OutColumn[], options: TextOptions): Promise<RowsText> {
  switch (options.form) {
    case 'csv':
      return csvText(columns, options);
    case 'ndjson':
      return {
        begin: () => '',
        rows: (records) => records.map((record) => `${JSON.stringify(jsonRow(columns, record))}\n`).join(''),
        end: () => '',
      };
    case 'json':
      return jsonText(columns);
    case 'xlsx':
      return (await import('./sheet-text.ts')).sheetText(columns, options);
  }
}

async function csvText(
  columns: readonly OutColumn[],
  { isForSpreadsheets, guard, plainCell }: TextOptions,
): Promise<RowsText> {
  const { stringify } = await import('csv-stringify/sync');
  const quoted = (cells: string[]) =>
    stringify([cells], {
      record_delimiter: isForSpreadsheets ? 'windows' : 'unix',
      // Other programs take either alone for the end of a row.
      quoted_match: /[\r\n]/,
    });
  const lineEnd = isForSpreadsheets ? '\r\n' : '\n';
  // Most rows have nothing to quote.
  const line = (cells: string[]) =>
    cells.some((cell) => /[",\r\n]/.test(cell)) ? quoted(cells) : cells.join(',') + lineEnd;
  // Plain cells stay as they are, but for the few that an import would take for guarded ones, or for an emptied field.
  const safe = (cell: string) =>
    isForSpreadsheets || plainCell(cell) !== cell || cell === emptiedCell ? guard(cell) : cell;
  return {
    begin: () => (isForSpreadsheets ? '\u{feff}' : '') + line(columns.map(({ name }) => name)),
    rows: (records) =>
      records.map((record) => line(columns.map((column) => safe(textCell(column, record))))).join(''),
    end: () => '',
  };
}

function jsonText(columns: readonly OutColumn[]): RowsText {
  let before = '[\n';
  return {
    begin: () => '',
    rows: (records) => {
      let text = '';
      for (const record of records) {
        const lines = JSON.stringify(jsonRow(columns, record), null, 2).replaceAll('\n', '\n  ');
        text += `${before}  ${lines}`;
        before = ',\n';
      }
      return text;
    },
    end: () => (before === '[\n' ? '[]\n' : '\n]\n'),
  };
}

function jsonRow(columns: readonly OutColumn[], record: Row): Row {
  const row: Record<string, unknown> = {};
  for (const column of columns) {
    const value = jsonCell(column, record);
    // What can’t be said of a record has no key: null would empty the field.
    if (value !== undefined) row[column.name] = value;
  }
  return row;
}
