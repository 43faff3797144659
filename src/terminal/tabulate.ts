/** Any values as rows and columns, where nobody has said which columns there are. */
import { isObject } from '../base/number-text.ts';
import { valueAt } from './value-at.ts';

/** What a value that is neither object nor list fills. */
const scalarColumn = 'value';

/**
 * A name for each value that occurs, in the order in which they are first seen, so that none is dropped: fields of
 * objects, dotted where they hold objects, and 1, 2, … for the items of lists.
 */
export function columnsOf(values: readonly unknown[]): string[] {
  const filled = new Map<string, boolean>();
  for (const value of values) {
    for (const [path, leaf] of leaves(value)) filled.set(path, (filled.get(path) ?? false) || leaf != null);
  }
  const names = [...filled.keys()];
  // Null in one row and an object in another: the columns of the object say it.
  return names.filter((name) => filled.get(name) || !names.some((other) => other.startsWith(`${name}.`)));
}

/** The value of a row in a column: of a list by its place, of what is neither list nor object by itself. */
export function cellAt(row: unknown, column: string): unknown {
  if (Array.isArray(row)) return row[Number(column) - 1];
  if (isObject(row)) return valueAt(row, column);
  return column === scalarColumn ? row : undefined;
}

function leaves(row: unknown): [string, unknown][] {
  if (Array.isArray(row)) return row.map((item, index) => [String(index + 1), item]);
  return isObject(row) ? within(row, '') : [[scalarColumn, row]];
}

function within(object: object, prefix: string): [string, unknown][] {
  return Object.entries(object).flatMap(([name, value]): [string, unknown][] =>
    isObject(value) && Object.keys(value).length > 0
      ? within(value, `${prefix}${name}.`)
      : [[prefix + name, value]],
  );
}
