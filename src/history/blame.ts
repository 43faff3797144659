/** Which write set each field of a record last. */
import type { Resource } from '../contract/resource.ts';
import type { Entry } from './journal/entry.ts';
import type { Journal } from './journal/journal.ts';
import { entries } from './journal/reading.ts';

export interface LastWrite {
  /** By the names of answers. */
  field: string;
  entry: Entry;
}

/** In the order of the contract, what it doesn't know behind. Reads back until every field is accounted for. */
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
