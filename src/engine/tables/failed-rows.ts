/** Writes failed rows with their reasons, in the format of the original file, so that users can fix and import them again. */

import { isObject, parseExactJson } from '../../base/number-text.ts';
import { redact } from '../../base/redaction.ts';
import { replaceFile } from '../../base/replace-file.ts';
import { reasonColumn } from './columns/columns.ts';
import { formatCsvRow, splitRecord } from './csv-splitter.ts';
import { encoderFor } from './encode.ts';
import type { OpenTable } from './open-table.ts';
import { rawSeparator, type TableFormat } from './table.ts';
import { workbookBytes } from './workbook/book-bytes.ts';
import type { SheetCell } from './workbook/cell.ts';
import type { SheetHeader } from './workbook/messages.ts';

/** The format of a file, for writing a similar file. Ledgers store it. */
export interface StoredTableFormat {
  format: TableFormat;
  encoding: string;
  hasBom: boolean;
  /** For CSV. */
  delimiter?: string | undefined;
  quote?: string | undefined;
  lineBreak?: string | undefined;
  columns?: readonly string[] | undefined;
  /** For a workbook. */
  sheet?: string | undefined;
}

export interface FailedRow {
  raw: string;
  reason: string;
}

/** Returns the format of a file as ledgers store it. */
export function storedFormatOf(table: OpenTable): StoredTableFormat {
  const { format, encoded: { encoding, hasBom } = { encoding: 'utf-8', hasBom: false } } = table;
  const csvFormat = 'dialect' in table ? { ...table.dialect, columns: table.columns } : {};
  const sheetFormat = 'sheet' in table ? { sheet: table.sheet, columns: table.columns } : {};
  return { format, encoding, hasBom, ...csvFormat, ...sheetFormat };
}

/** Writes failed rows to a file, which is replaced when the new one is complete. Throws if it can't be written. */
export async function writeFailedRows(
  file: string,
  format: StoredTableFormat,
  rows: Iterable<FailedRow>,
): Promise<void> {
  // The original file may be private, so a new file is.
  await replaceFile(file, encodeRows(format, splitAndRedactRows(rows)), { newFileMode: 0o600 });
}

/** Splits documents into their rows. Redacts known secrets, which users have to enter again. */
function* splitAndRedactRows(rows: Iterable<FailedRow>): Generator<FailedRow> {
  for (const { raw, reason } of rows)
    for (const text of raw.split(rawSeparator)) yield { raw: redact(text), reason: redact(reason) };
}

async function* encodeRows(format: StoredTableFormat, rows: Iterable<FailedRow>): AsyncIterable<Buffer> {
  if (format.format === 'xlsx') {
    yield* workbookBytes(formatSheetLines(format, rows));
    return;
  }
  const { encode } = encoderFor(format.encoding);
  if (format.hasBom) yield encode('\ufeff');
  for (const text of formatRows(format, rows)) yield encode(text);
}

/** Returns the lines of a sheet with the original cells and the reasons. */
function* formatSheetLines({ sheet = 'rows', columns = [] }: StoredTableFormat, rows: Iterable<FailedRow>) {
  const reasonIndex = columns.includes(reasonColumn) ? columns.indexOf(reasonColumn) : columns.length;
  const names = columns.toSpliced(reasonIndex, 1, reasonColumn);
  yield `${JSON.stringify({ sheet, columns: names.map((name) => ({ name })) } satisfies SheetHeader)}\n`;
  for (const { raw, reason } of rows) {
    const cells = parseExactJson(raw) as SheetCell[];
    const paddedCells = Array.from({ length: columns.length }, (_, index) => cells[index] ?? null);
    yield `${JSON.stringify(paddedCells.toSpliced(reasonIndex, 1, reason))}\n`;
  }
}

function formatRows(format: StoredTableFormat, rows: Iterable<FailedRow>): Iterable<string> {
  if (format.format === 'csv') return formatCsvRows(format, rows);
  return format.format === 'ndjson' ? formatNdjsonRows(rows) : formatJsonRows(rows);
}

function* formatCsvRows(
  { delimiter = ',', quote = '"', lineBreak = '\n', columns = [] }: StoredTableFormat,
  rows: Iterable<FailedRow>,
) {
  // The result is plain CSV, even if the file has spaces after separators or apostrophes as quotes.
  const syntax = { delimiter: delimiter[0] ?? ',', quote: '"' };
  const line = (cells: readonly string[]) => formatCsvRow(cells, syntax) + lineBreak;
  const reasonIndex = columns.indexOf(reasonColumn);
  const addReason = (cells: readonly string[], reason: string) =>
    reasonIndex === -1
      ? [...padCells(cells, columns.length).slice(0, columns.length), reason, ...cells.slice(columns.length)]
      : padCells(cells, columns.length).with(reasonIndex, reason);
  yield line(addReason(columns, reasonColumn));
  for (const { raw, reason } of rows) {
    yield line(addReason(splitRecord(raw, { delimiter, quote }), reason));
  }
}

function padCells(cells: readonly string[], length: number): string[] {
  return [...cells, ...Array.from({ length: Math.max(0, length - cells.length) }, () => '')];
}

function* formatNdjsonRows(rows: Iterable<FailedRow>) {
  for (const row of rows) yield `${withReason(row)}\n`;
}

function* formatJsonRows(rows: Iterable<FailedRow>) {
  let separator = '[\n';
  for (const row of rows) {
    yield separator + withReason(row);
    separator = ',\n';
  }
  yield separator === '[\n' ? '[]\n' : '\n]\n';
}

/** Adds the reason to a JSON object. Returns other values unchanged. */
function withReason({ raw, reason }: FailedRow): string {
  try {
    const value = parseExactJson(raw);
    if (!isObject(value)) return raw;
    return JSON.stringify({ ...value, [reasonColumn]: reason });
  } catch {
    return raw.replaceAll('\n', ' ');
  }
}
