/** One search of a lookup: a filter with its value, and the records that have it. */
import { isRow, type Row } from '../client/shape.ts';
import type { Field } from '../contract/field.ts';
import type { Filter } from '../contract/filter.ts';
import { normalizeKey } from '../contract/normalize-key.ts';

/** One search: a filter with its value. */
export interface Attempt {
  filter: Filter;
  value: string;
}

/** Returns a row's value of the filtered field; undefined if the row doesn't contain it. */
export function filteredValue({ on = '', value: { kind } }: Filter, row: Row): unknown {
  if (Object.hasOwn(row, on)) return row[on];
  return kind === 'one' && Object.hasOwn(row, `${on}_id`) ? row[`${on}_id`] : undefined;
}

/** Returns whether a row has the value, however the service interprets the filter. */
export function isMatch({ filter, value }: Attempt, row: Row): boolean {
  const rowValue = filteredValue(filter, row);
  if (rowValue === undefined || rowValue === null) return false;
  return Array.isArray(rowValue)
    ? rowValue.some((item) => equalsText(filter.value, isRow(item) ? item.id : item, value))
    : equalsText(filter.value, isRow(rowValue) ? rowValue.id : rowValue, value);
}

/** Returns whether a row's value equals the text: strings by their normalized key, numbers and booleans as in a query. */
function equalsText(field: Field, rowValue: unknown, value: string): boolean {
  if (typeof rowValue === 'string') return normalizeKey(field, rowValue) === normalizeKey(field, value);
  if (typeof rowValue === 'boolean') return String(rowValue) === value || (rowValue ? '1' : '0') === value;
  return typeof rowValue === 'number' && value.split(',').includes(String(rowValue));
}
