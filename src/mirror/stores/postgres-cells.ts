/** Values of PostgreSQL as a mirror’s cells, from the texts that come over the wire. */
import { roundedDouble } from '../../storage/read-only.ts';
import { digitsOf } from '../schema/numbers.ts';
import type { Cell } from '../schema/table.ts';

/** The numbers that PostgreSQL gives to its types. */
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

const readers = new Map<number, (text: string) => Cell>([
  [oids.boolean, (text) => (text === 't' ? 1 : 0)],
  [oids.bigint, whole],
  [oids.smallint, Number],
  [oids.integer, Number],
  [oids.real, Number],
  [oids.double, Number],
  // The session is in UTC.
  [oids.timestamptz, (text) => text.replace(/\+00$/, '')],
]);

/** A number that JavaScript doesn’t hold exactly stays the text of its digits. */
function whole(text: string): Cell {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : text;
}

/**
 * The same for the answer to a query of whoever asks: decimal numbers are numbers there, as they are in a file of SQLite,
 * where a double says them. One that was computed is rounded as it is there.
 */
export function shownFrom({ dataTypeID, tableID }: QueriedColumn, value: unknown): Cell {
  const cell = cellFrom(dataTypeID, value);
  if (cell === null || !decimals.has(dataTypeID)) return cell;
  const number = Number(cell);
  if (tableID === 0 && Math.abs(number) < 1e15) return roundedDouble(number);
  return isSameNumber(String(cell), number) ? number : cell;
}

export interface QueriedColumn {
  /** The number of its type. */
  dataTypeID: number;
  /** 0 where it is no column of a table, but computed. */
  tableID: number;
}

const decimals: ReadonlySet<number> = new Set([oids.numeric, oids.real, oids.double]);

/** Zeros at the end say nothing. */
function isSameNumber(digits: string, number: number): boolean {
  const plain = digits.includes('.') ? digits.replace(/\.?0+$/, '') : digits;
  return digitsOf(number) === plain;
}

export function cellFrom(oid: number, value: unknown): Cell {
  if (value === null || value === undefined) return null;
  return readers.get(oid)?.(String(value)) ?? String(value);
}
