/** Finds the write that last set each field of a record. */
import type { Resource } from '../contract/resource.ts';
import type { Entry } from './journal/entry.ts';
import type { Journal } from './journal/journal.ts';
import { entryNumbered, outlines } from './journal/reading.ts';

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
  const found = new Map<string, number>();
  for (const { number, verb, fields, outcome } of outlines(journal, {
    resource: resource.name,
    id,
    accounts,
  })) {
    if (outcome !== 'done') continue;
    for (const field of fields) if (!found.has(field)) found.set(field, number);
    if (verb === 'create') break;
  }
  const entries = new Map(
    [...new Set(found.values())].map((number) => [number, entryNumbered(journal, number)]),
  );
  const order = (field: string) => (known.includes(field) ? known.indexOf(field) : known.length);
  return [...found]
    .flatMap(([field, number]) => {
      const entry = entries.get(number);
      return entry ? [{ field, entry }] : [];
    })
    .sort((one, other) => order(one.field) - order(other.field));
}
