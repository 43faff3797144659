/** Finds the write that last set each field of a record. */
import type { Resource } from '../contract/resource.ts';
import type { Entry } from './journal/entry.ts';
import type { Journal } from './journal/journal.ts';
import { entries } from './journal/reading.ts';

/** The last write to one field. */
export interface LastWrite {
  /** The field's name in responses. */
  field: string;
  entry: Entry;
}

/** Returns the last writes in the contract's field order, unknown fields last. Reads back until each field has its write. */
export function lastWrites(
  journal: Journal,
  resource: Resource,
  id: string,
  accounts: readonly number[] | undefined,
): LastWrite[] {
  const known = Object.keys(resource.fields);
  const found = new Map<string, Entry>();
  for (const entry of entries(journal, { resource: resource.name, id, accounts })) {
    if (entry.outcome !== 'done') continue;
    for (const field of entry.fields) if (!found.has(field)) found.set(field, entry);
    if (entry.verb === 'create') break;
  }
  const order = (field: string) => (known.includes(field) ? known.indexOf(field) : known.length);
  return [...found]
    .map(([field, entry]) => ({ field, entry }))
    .sort((one, other) => order(one.field) - order(other.field));
}
