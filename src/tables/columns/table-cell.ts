/** Reads the value of a cell in a file of any form: typed text or JSON. */
import { isList } from '../../contract/list-text.ts';
import type { Resource } from '../../contract/resource.ts';
import type { ParseResult } from '../../contract/text.ts';
import { isTyped, type TableForm } from '../table.ts';
import { cellText, isPercentText } from '../workbook/cell.ts';
import type { Column } from './columns.ts';
import { isAmbiguousNumber } from './numbers.ts';
import { clearedValue, plainFormats, readJsonCell, readTextCell, type ValueFormats } from './read-cell.ts';

/** The options for reading the cells of a file. */
export interface CellReadOptions {
  form: TableForm;
  formats: ValueFormats;
  /** The text of a cell that clears its field. */
  nullText: string;
  /** Removes the apostrophe that an export writes before cells that spreadsheets would run as formulas. */
  unescapeFormula(text: string): string;
  isOfOtherAccount?: boolean | undefined;
}

/** Returns the text of a cell as people read it; '' for values that exist only in JSON. */
export function textIn(
  cell: unknown,
  { form, unescapeFormula }: Pick<CellReadOptions, 'form' | 'unescapeFormula'>,
): string {
  if (typeof cell === 'string') return isTyped(form) ? unescapeFormula(cell) : cell;
  const isSheetValue = isTyped(form) && (typeof cell === 'number' || typeof cell === 'boolean');
  return isSheetValue ? cellText(cell) : '';
}

/** Reads the value of a cell that isn't empty. */
export function readCell(
  resource: Resource,
  column: Column,
  cell: unknown,
  options: CellReadOptions,
): ParseResult {
  const { form, formats, nullText } = options;
  if (cell === null) return { value: clearedValue };
  // The lines of a document are already read.
  if (Array.isArray(cell)) return readJsonCell(resource, column, cell, options.isOfOtherAccount);
  if (isTyped(form) && typeof cell === 'string' && cell.trim() === nullText)
    return { value: emptyValue(column) };
  if (!isTyped(form)) return readJsonCell(resource, column, cell, options.isOfOtherAccount);
  const text = textIn(cell, options);
  if (typeof cell === 'string')
    return readTextCell(
      resource,
      column,
      text,
      form === 'xlsx' && isPercentText(cell) ? plainFormats : formats,
    );
  if (typeof cell === 'number' && column.field?.kind === 'date')
    return { problem: "must be a date: the cell has a number and isn't formatted as a date" };
  return readTextCell(resource, column, text, plainFormats);
}

/** Returns the value that clears a field: an empty list or null. */
function emptyValue({ field }: Column): unknown {
  return field && (isList(field) || field.kind === 'objects') ? [] : clearedValue;
}

/** Returns whether a cell of a sheet is a text with an ambiguous number, for example pasted from another program. */
export function isAmbiguousCell(
  { field }: Column,
  cell: unknown,
  { form, formats }: CellReadOptions,
): boolean {
  const isNumber = field?.kind === 'decimal' || field?.kind === 'numeric_text';
  return (
    form === 'xlsx' &&
    formats.refusedNumbers !== undefined &&
    isNumber &&
    typeof cell === 'string' &&
    isAmbiguousNumber(cell)
  );
}
