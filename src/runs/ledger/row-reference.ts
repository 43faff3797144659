/** Refers from a row of a ledger to another one: its name is written where its id will be. */
import { isScalar } from '../../base/number-text.ts';
/**
 * The reference `{ "$row": "inventory_items/TOM-01" }`, alone in its object. No field of an API begins with a dollar,
 * so no value of the service looks like one.
 */
export interface RowReference {
  readonly $row: string;
}

/** The reference in the JSON of a step. In a text its quotes would be escaped. */
export const referenceInJson = '"$row":';

/** Returns the reference to the row with a name. */
export function rowReference(name: string): RowReference {
  return { $row: name };
}

/** Returns whether a value is a reference to a row. */
export function isRowReference(value: unknown): value is RowReference {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const entries = Object.entries(value);
  return entries.length === 1 && entries[0]?.[0] === '$row' && typeof entries[0][1] === 'string';
}

interface Referring {
  ids: readonly unknown[];
  body?: unknown;
  after?: unknown;
}

/** Returns the names of all rows that a step refers to, each once. */
export function referencesIn({ ids, body, after }: Referring): Set<string> {
  const names = new Set<string>();
  collect(ids, names);
  collect(body, names);
  collect(after, names);
  return names;
}

function collect(value: unknown, names: Set<string>): void {
  if (typeof value !== 'object' || value === null) return;
  if (isRowReference(value)) names.add(value.$row);
  else for (const inner of Object.values(value)) collect(inner, names);
}

/** Returns the value with an id in place of each reference. */
export function withIds(value: unknown, idOf: (name: string) => string): unknown {
  if (typeof value !== 'object' || value === null || isScalar(value)) return value;
  if (isRowReference(value)) return idOf(value.$row);
  if (Array.isArray(value)) return value.map((item) => withIds(item, idOf));
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withIds(inner, idOf)]));
}
