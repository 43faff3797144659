/** Parses the value of a cell in a file of any format. */
import { isListOrParts } from '../../../api/contract/comma-list.ts';
import type { Resource } from '../../../api/contract/resource.ts';
import type { Kind } from '../../../api/contract/traits.ts';
import type { ParseResult } from '../../../api/contract/value-text.ts';
import { FormattedCell, isSpreadsheetFormat, type TableFormat } from '../table.ts';
import { formatCell, isPercentText } from '../workbook/cell.ts';
import type { Column } from './columns.ts';
import {
  apiFormats,
  clearedValue,
  isAmbiguous,
  parseJsonCell,
  parseTextCell,
  type ValueFormats,
} from './parse-cell.ts';

export interface CellReadOptions {
  format: TableFormat;
  formats: ValueFormats;
  /** The text of a cell that clears its field. */
  nullText: string;
  /** Removes the apostrophe that an export writes before cells that spreadsheets would run as formulas. */
  unguardCell(text: string): string;
  isOfOtherAccount?: boolean | undefined;
  /** Whether the caller checks `textProblemOf` for text fields: an unchanged value needs no check. */
  ignoresTextProblems?: boolean | undefined;
}

/** Returns the text of a cell as a spreadsheet displays it; '' for values that exist only in JSON. */
export function cellDisplayText(
  cell: unknown,
  { format, unguardCell }: Pick<CellReadOptions, 'format' | 'unguardCell'>,
): string {
  if (typeof cell === 'string') return isSpreadsheetFormat(format) ? unguardCell(cell) : cell;
  if (cell instanceof FormattedCell) return cell.text;
  const isSheetValue = isSpreadsheetFormat(format) && (typeof cell === 'number' || typeof cell === 'boolean');
  return isSheetValue ? formatCell(cell) : '';
}

/** The kinds of fields whose values are numbers, dates or times, not text. */
const typedKinds: ReadonlySet<Kind | undefined> = new Set([
  ...(['integer', 'decimal', 'numeric_text', 'unit', 'choice', 'integers', 'boolean'] as const),
  ...(['date', 'timestamp', 'hour'] as const),
]);

/** Returns the problem of a date or a shortened number in a column of text, as the end of a sentence. */
export function textProblemOf({ field }: Column, cell: unknown): string | undefined {
  return cell instanceof FormattedCell && !typedKinds.has(field?.kind) ? cell.textProblem : undefined;
}

/** Parses the value of a cell that isn't empty. Returns the value or the problem. */
export function parseCell(
  resource: Resource,
  column: Column,
  cell: unknown,
  options: CellReadOptions,
): ParseResult {
  const { format, formats, nullText } = options;
  if (cell === null) return { value: clearedValue };
  // The lines of a document are already read.
  if (Array.isArray(cell)) return parseJsonCell(resource, column, cell, options);
  if (isSpreadsheetFormat(format) && typeof cell === 'string' && cell.trim() === nullText)
    return { value: emptyValue(column) };
  if (!isSpreadsheetFormat(format)) return parseJsonCell(resource, column, cell, options);
  const textProblem =
    options.ignoresTextProblems && column.field?.kind === 'text' ? undefined : textProblemOf(column, cell);
  if (textProblem !== undefined) return { problem: textProblem };
  if (cell instanceof FormattedCell && cell.number !== undefined && typedKinds.has(column.field?.kind))
    return parseCell(resource, column, cell.number, options);
  const text = cellDisplayText(cell, options);
  if (typeof cell === 'string')
    return parseTextCell(
      resource,
      column,
      text,
      format === 'xlsx' && isPercentText(cell) ? apiFormats : formats,
    );
  if (typeof cell === 'number' && column.field?.kind === 'date')
    return { problem: "must be a date: the cell has a number and isn't formatted as a date" };
  return parseTextCell(resource, column, text, apiFormats);
}

/** Returns the value that clears a field: an empty list or null. */
function emptyValue({ field }: Column): unknown {
  return field && isListOrParts(field) ? [] : clearedValue;
}

/** Returns whether a cell of a sheet is text with an ambiguous number, for example pasted from another program. */
export function isAmbiguousCell(
  { field }: Column,
  cell: unknown,
  { format, formats }: CellReadOptions,
): boolean {
  const isNumberField = field?.kind === 'decimal' || field?.kind === 'numeric_text';
  return format === 'xlsx' && isNumberField && typeof cell === 'string' && isAmbiguous(field, cell, formats);
}
