/** From a cell of a file of any form to the value that a request gives: what people typed, or what JSON holds. */
import { isList } from '../../contract/list-text.ts';
import type { Resource } from '../../contract/resource.ts';
import type { Read } from '../../contract/text.ts';
import { isTyped, type TableForm } from '../table.ts';
import { cellText, isShare } from '../workbook/cell.ts';
import type { Column } from './columns.ts';
import { isOpenNumber } from './numbers.ts';
import { cleared, plainUnderstanding, readJsonCell, readTextCell, type Understanding } from './read-cell.ts';

export interface CellReading {
  form: TableForm;
  how: Understanding;
  /** The cell that empties a field, where people type them. */
  nullText: string;
  /** The text of a cell before a spreadsheet was kept from running it. */
  plainCell(text: string): string;
  isOfOtherAccount?: boolean | undefined;
}

/** What stands in the cell, as a person reads it; nothing of what only JSON can hold. */
export function textIn(cell: unknown, { form, plainCell }: Pick<CellReading, 'form' | 'plainCell'>): string {
  if (typeof cell === 'string') return isTyped(form) ? plainCell(cell) : cell;
  const isOfSheet = isTyped(form) && (typeof cell === 'number' || typeof cell === 'boolean');
  return isOfSheet ? cellText(cell) : '';
}

/** To be asked only of cells that aren't empty. */
export function readCell(resource: Resource, column: Column, cell: unknown, reading: CellReading): Read {
  const { form, how, nullText } = reading;
  if (cell === null) return { value: cleared };
  if (isTyped(form) && typeof cell === 'string' && cell.trim() === nullText)
    return { value: emptied(column) };
  if (!isTyped(form)) return readJsonCell(resource, column, cell, reading.isOfOtherAccount);
  const text = textIn(cell, reading);
  if (typeof cell === 'string')
    return readTextCell(resource, column, text, form === 'xlsx' && isShare(cell) ? plainUnderstanding : how);
  if (typeof cell === 'number' && column.field?.kind === 'date')
    return { problem: "must be a day: it is a number, in a column that isn't formatted as days" };
  return readTextCell(resource, column, text, plainUnderstanding);
}

/** A list is emptied by one that has nothing in it; all else by null. */
function emptied({ field }: Column): unknown {
  return field && (isList(field) || field.kind === 'objects') ? [] : cleared;
}

/** A number that is a text in a sheet, as it came with a copy from elsewhere: a thousand, or one and a bit? */
export function isDoubtful({ field }: Column, cell: unknown, { form, how }: CellReading): boolean {
  const isNumber = field?.kind === 'decimal' || field?.kind === 'numeric_text';
  return (
    form === 'xlsx' && how.unclear !== undefined && isNumber && typeof cell === 'string' && isOpenNumber(cell)
  );
}
