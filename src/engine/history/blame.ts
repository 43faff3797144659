/** Finds the write that last set each field of a record. */
import type { Resource } from '../../api/contract/resource.ts';
import type { Entry } from './journal/entry.ts';
import type { Journal } from './journal/journal.ts';
import { entries } from './journal/reading.ts';

export interface LastWrite {
  /** The field's name in responses. */
  field: string;
  entry: Entry;
}

/** Returns the last write to each field, in the contract's order of fields; unknown fields come last. */
export function lastWrites(journal: Journal, resource: Resource, id: string): LastWrite[] {
  const fieldNames = Object.keys(resource.fields);
  const lastEntries = new Map<string, Entry>();
  for (const entry of entries(journal, { resource: resource.name, id })) {
    if (entry.outcome !== 'done') continue;
    for (const field of entry.fields) if (!lastEntries.has(field)) lastEntries.set(field, entry);
    if (entry.verb === 'create') break;
  }
  const order = (field: string) =>
    fieldNames.includes(field) ? fieldNames.indexOf(field) : fieldNames.length;
  return [...lastEntries]
    .map(([field, entry]) => ({ field, entry }))
    .sort((a, b) => order(a.field) - order(b.field));
}
