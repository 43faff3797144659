/** Reads the value of a cell in a file of any form: typed text or JSON. */
import { isList } from '../../contract/list-text.ts';
import type { Resource } from '../../contract/resource.ts';
import type { Read } from '../../contract/text.ts';
import { isTyped, type TableForm } from '../table.ts';
import { cellText, isShare } from '../workbook/cell.ts';
import type { Column } from './columns.ts';
import { isOpenNumber } from './numbers.ts';
import { cleared, plainFormats, readJsonCell, readTextCell, type ValueFormats } from './read-cell.ts';

/** How the cells of a file are read. */
export interface CellReading {
  form: TableForm;
  formats: ValueFormats;
  /** The text of a cell that clears its field. */
  nullText: string;
  /** Removes the apostrophes that keep a spreadsheet from running a cell. */
  plainCell(text: string): string;
  isOfOtherAccount?: boolean | undefined;
}

/** Returns the text of a cell as people read it; '' for values that only JSON has. */
export function textIn(cell: unknown, { form, plainCell }: Pick<CellReading, 'form' | 'plainCell'>): string {
  if (typeof cell === 'string') return isTyped(form) ? plainCell(cell) : cell;
  const isOfSheet = isTyped(form) && (typeof cell === 'number' || typeof cell === 'boolean');
  return isOfSheet ? cellText(cell) : '';
}

/** Reads the value of a cell that isn't empty. */
export function readCell(resource: Resource, column: Column, cell: unknown, reading: CellReading): Read {
  const { form, formats, nullText } = reading;
  if (cell === null) return { value: cleared };
  // The lines of a document, which were read already.
  if (Array.isArray(cell)) return readJsonCell(resource, column, cell, reading.isOfOtherAccount);
  if (isTyped(form) && typeof cell === 'string' && cell.trim() === nullText)
    return { value: emptied(column) };
  if (!isTyped(form)) return readJsonCell(resource, column, cell, reading.isOfOtherAccount);
  const text = textIn(cell, reading);
  if (typeof cell === 'string')
    return readTextCell(resource, column, text, form === 'xlsx' && isShare(cell) ? plainFormats : formats);
  if (typeof cell === 'number' && column.field?.kind === 'date')
    return { problem: "must be a date: the cell has a number and isn't formatted as a date" };
  return readTextCell(resource, column, text, plainFormats);
}

/** Returns the value that clears a field: an empty list, else null. */
function emptied({ field }: Column): unknown {
  return field && (isList(field) || field.kind === 'objects') ? [] : cleared;
}

/** Returns whether a cell of a sheet is text with an ambiguous number, as after copying from elsewhere. */
export function isDoubtful({ field }: Column, cell: unknown, { form, formats }: CellReading): boolean {
  const isNumber = field?.kind === 'decimal' || field?.kind === 'numeric_text';
  return (
    form === 'xlsx' &&
    formats.unclear !== undefined &&
    isNumber &&
    typeof cell === 'string' &&
    isOpenNumber(cell)
  );
}
