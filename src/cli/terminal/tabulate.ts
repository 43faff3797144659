/** Derives the columns of any values. */
import { isObject } from '../../base/number-text.ts';
import { formatItems, type ListWriter, type Writer } from './formats/format.ts';
import { valueAt } from './value-at.ts';

/** The column of values that are neither objects nor lists. */
const scalarColumn = 'value';

/**
 * Returns the names of all columns, in order of first occurrence: fields of objects, with dots in nested names, and 1, 2, …
 * for the items of lists.
 */
export function columnsOf(values: readonly unknown[]): string[] {
  const filled = new Map<string, boolean>();
  for (const value of values) {
    for (const [path, leaf] of leaves(value)) filled.set(path, (filled.get(path) ?? false) || leaf != null);
  }
  const names = [...filled.keys()];
  // A field that is null in one row and an object in another needs only the columns of the object.
  return names.filter((name) => filled.get(name) || !names.some((other) => other.startsWith(`${name}.`)));
}

/** Returns the value of a row in a column: an item of a list by its number, a scalar itself. */
export function cellAt(row: unknown, column: string): unknown {
  if (Array.isArray(row)) return row[Number(column) - 1];
  if (isObject(row)) return valueAt(row, column);
  return column === scalarColumn ? row : undefined;
}

function leaves(row: unknown): [string, unknown][] {
  if (Array.isArray(row)) return row.map((item, index) => [String(index + 1), item]);
  return isObject(row) ? leavesOf(row, '') : [[scalarColumn, row]];
}

function leavesOf(object: object, prefix: string): [string, unknown][] {
  return Object.entries(object).flatMap(([name, value]): [string, unknown][] =>
    isObject(value) && Object.keys(value).length > 0
      ? leavesOf(value, `${prefix}${name}.`)
      : [[prefix + name, value]],
  );
}

/** Functions that return the header and the rows of a format with columns as text. */
export interface RowFormat {
  header(names: readonly string[]): string;
  row(value: unknown, names: readonly string[]): string;
}

/** Returns a writer for a format with columns. Without `columns` all values are read before the first is written. */
export function createRowWriter({ header, row }: RowFormat, columns: readonly string[] | undefined): Writer {
  const createListWriter = (names: readonly string[]): ListWriter => {
    // The header is written with the first row, so that a failed read writes no table.
    let pendingHeader = header(names);
    return {
      add(value) {
        const text = pendingHeader + row(value, names);
        pendingHeader = '';
        return text;
      },
      end: () => pendingHeader,
    };
  };
  return {
    formatValue(value) {
      const names = columns ?? columnsOf([value]);
      return header(names) + row(value, names);
    },
    async *formatList(values) {
      const allValues = columns === undefined ? await Array.fromAsync(values) : values;
      yield* formatItems(createListWriter(columns ?? columnsOf(allValues as unknown[])), allValues);
    },
    ...(columns && { startList: () => createListWriter(columns) }),
  };
}
