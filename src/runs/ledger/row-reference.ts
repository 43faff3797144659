/** How a row of a ledger speaks of another one: by that row's name, in the place where its id will stand. */
import { isScalar } from '../../base/number-text.ts';
/**
 * `{ "$row": "inventory_items/TOM-01" }`, alone in its object. No field of an API begins with a dollar, so nothing that
 * the service holds can be taken for one.
 */
export interface RowReference {
  readonly $row: string;
}

/** As it stands in the JSON of a step; a text that holds it has its quotes escaped there. */
export const referenceInJson = '"$row":';

export function rowReference(name: string): RowReference {
  return { $row: name };
}

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

/** The names of all rows that a step refers to, each once. */
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

/** The same value with an id in the place of each reference. */
export function withIds(value: unknown, idOf: (name: string) => string): unknown {
  if (typeof value !== 'object' || value === null || isScalar(value)) return value;
  if (isRowReference(value)) return idOf(value.$row);
  if (Array.isArray(value)) return value.map((item) => withIds(item, idOf));
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withIds(inner, idOf)]));
}
