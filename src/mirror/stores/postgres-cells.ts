/** Values of PostgreSQL as a mirror’s cells, from the texts that come over the wire. */
import type { Cell } from '../schema/table.ts';

/** The numbers that PostgreSQL gives to its types. */
const oids = {
  boolean: 16,
  bigint: 20,
  smallint: 21,
  integer: 23,
  real: 700,
  double: 701,
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

export function cellFrom(oid: number, value: unknown): Cell {
  if (value === null || value === undefined) return null;
  return readers.get(oid)?.(String(value)) ?? String(value);
}
