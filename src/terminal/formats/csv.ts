/** CSV by RFC 4180, safe to open in a spreadsheet and the same again when it is imported. */
import { stringify } from 'csv-stringify/sync';
import { cleanText } from '../clean.ts';
import { plainText, valueAt } from '../value-at.ts';
import type { Format, FormatOptions, Values } from './shape.ts';

export function csv({ columns, bom = false, terminal = false }: FormatOptions = {}): Format {
  const line = (cells: unknown[]) =>
    stringify([cells.map((cell) => (terminal ? cleanText(cellText(cell)) : cellText(cell)))], {
      record_delimiter: 'windows',
    });
  const head = (names: readonly string[]) => (bom ? '\u{feff}' : '') + line([...names]);
  const row = (value: unknown, names: readonly string[]) => line(names.map((name) => cellValue(value, name)));
  return {
    one(value) {
      const names = columns ?? columnsOf([value]);
      return head(names) + row(value, names);
    },
    async *many(values) {
      const list = columns === undefined ? await collect(values) : values;
      const names = columns ?? columnsOf(list as unknown[]);
      yield head(names);
      for await (const value of list) yield row(value, names);
    },
  };
}

/** The text of a cell as it was before `csv` made it harmless: what an import reads. */
export function plainCell(cell: string): string {
  return guardedCell.test(cell) ? cell.slice(1) : cell;
}

/**
 * Spreadsheets run a cell that begins with one of these as a formula (the wide forms too). An apostrophe before
 * it stops them. Apostrophes that stand there already get one more, so that `plainCell` can always take one away.
 */
const formula = /^'*[=+\-@\t\r\n＝＋－＠]/;
const guardedCell = /^'+[=+\-@\t\r\n＝＋－＠]/;
const plainNumber = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i;

function cellText(value: unknown): string {
  const text =
    typeof value === 'object' && value !== null && !isListOfWords(value)
      ? JSON.stringify(value)
      : plainText(value);
  return formula.test(text) && !plainNumber.test(text) ? `'${text}` : text;
}

function isListOfWords(value: object): boolean {
  return (
    Array.isArray(value) && value.every((item) => typeof item !== 'object' && !String(item).includes(','))
  );
}

const scalarColumn = 'value';

/** A value that is no object (after `--query`) fills the one column called `value`. */
function cellValue(value: unknown, name: string): unknown {
  const isScalar = typeof value !== 'object' || value === null;
  return isScalar && name === scalarColumn ? value : valueAt(value, name);
}

/** Every field that occurs, in the order in which it is first seen: none is dropped silently. */
function columnsOf(values: readonly unknown[]): string[] {
  const names = new Set<string>();
  for (const value of values) {
    if (typeof value === 'object' && value !== null) for (const name of Object.keys(value)) names.add(name);
    else names.add(scalarColumn);
  }
  return [...names];
}

async function collect(values: Values): Promise<unknown[]> {
  const list = [];
  for await (const value of values) list.push(value);
  return list;
}
