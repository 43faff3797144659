/** References from one row of a ledger to another: the name of the row is written in place of its ID. */
import { isScalar } from '../../base/number-text.ts';
/**
 * The reference `{ "$row": "inventory_items/TOM-01" }`, the only member of its object. Field names of the API never
 * begin with a dollar sign, so values of the service can't be mistaken for references.
 */
export interface RowReference {
  readonly $row: string;
}

/** The start of a reference in the JSON of a step. Within a string, its quotes would be escaped. */
export const referenceInJson = '"$row":';

export function rowReference(name: string): RowReference {
  return { $row: name };
}

export function isRowReference(value: unknown): value is RowReference {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const entries = Object.entries(value);
  return entries.length === 1 && entries[0]?.[0] === '$row' && typeof entries[0][1] === 'string';
}

interface StepReferences {
  ids: readonly unknown[];
  body?: unknown;
  after?: unknown;
}

/** Returns the names of all rows that a step refers to, each once. */
export function findReferences({ ids, body, after }: StepReferences): Set<string> {
  const names = new Set<string>();
  collectNames(ids, names);
  collectNames(body, names);
  collectNames(after, names);
  return names;
}

function collectNames(value: unknown, names: Set<string>): void {
  if (typeof value !== 'object' || value === null) return;
  if (isRowReference(value)) names.add(value.$row);
  else for (const inner of Object.values(value)) collectNames(inner, names);
}

export function withIds(value: unknown, idOf: (name: string) => string): unknown {
  if (typeof value !== 'object' || value === null || isScalar(value)) return value;
  if (isRowReference(value)) return idOf(value.$row);
  if (Array.isArray(value)) return value.map((item) => withIds(item, idOf));
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withIds(inner, idOf)]));
}
