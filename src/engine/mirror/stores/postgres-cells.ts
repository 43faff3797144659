/** Converts PostgreSQL values, which arrive as text, to cells of a mirror. */
import { roundDouble } from '../../../base/storage/read-only.ts';
import { digitsOf } from '../schema/numbers.ts';
import type { Cell } from '../schema/table.ts';

/** PostgreSQL's type numbers. */
const oids = {
  boolean: 16,
  bigint: 20,
  smallint: 21,
  integer: 23,
  real: 700,
  double: 701,
  numeric: 1700,
  timestamptz: 1184,
} as const;

const parsers = new Map<number, (text: string) => Cell>([
  [oids.boolean, (text) => (text === 't' ? 1 : 0)],
  [oids.bigint, bigintCell],
  [oids.smallint, Number],
  [oids.integer, Number],
  [oids.real, Number],
  [oids.double, Number],
  // The session's time zone is UTC.
  [oids.timestamptz, (text) => text.replace(/\+00$/, '')],
]);

/** Returns a number, or its digits if JavaScript can't represent it exactly. */
function bigintCell(text: string): Cell {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : text;
}

/**
 * Returns the cell for a user's query: decimal numbers become numbers, as in SQLite, if a double can represent them. A
 * computed number is rounded as in SQLite.
 */
export function toQueryCell({ dataTypeID, tableID }: ResultColumn, value: unknown): Cell {
  const cell = toCell(dataTypeID, value);
  if (cell === null || !decimalTypes.has(dataTypeID)) return cell;
  const number = Number(cell);
  if (tableID === 0 && Math.abs(number) < 1e15) return roundDouble(number);
  return isSameNumber(String(cell), number) ? number : cell;
}

export interface ResultColumn {
  /** The number of its type in PostgreSQL. */
  dataTypeID: number;
  /** The number of its table; 0 for a computed column. */
  tableID: number;
}

const decimalTypes: ReadonlySet<number> = new Set([oids.numeric, oids.real, oids.double]);

/** Returns whether digits, without trailing zeros, are those of the number. */
function isSameNumber(digits: string, number: number): boolean {
  const plainDigits = digits.includes('.') ? digits.replace(/\.?0+$/, '') : digits;
  return digitsOf(number) === plainDigits;
}

export function toCell(oid: number, value: unknown): Cell {
  if (value === null || value === undefined) return null;
  return parsers.get(oid)?.(String(value)) ?? String(value);
}
