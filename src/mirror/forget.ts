/** Deletes records from a mirror permanently, whether or not the account still has them. */
import type { Mirrored } from './schema/derive.ts';
import { historyTable } from './schema/history-tables.ts';
import { forgottenTable } from './schema/state.ts';
import { idColumn } from './schema/table.ts';
import { idsOf } from './stores/reads.ts';
import { name, sql } from './stores/sql.ts';
import type { Store } from './stores/store.ts';
import { removalOfEntries } from './sync/history-rows.ts';
import { removalOf } from './sync/page-changes.ts';

/** One record that was deleted from the mirror. */
export interface Forgotten {
  resource: string;
  id: string;
  /** Whether the mirror had the record. */
  was_held: boolean;
}

/** Rows of another table that still refer to a forgotten record. */
export interface RemainingReference {
  table: string;
  column: string;
  ids: string[];
}

/** The maximum number of IDs that are listed for each column. */
const maxListedIds = 20;

/**
 * Deletes the records, their rows in other tables and their history entries, and remembers the IDs so that no later
 * sync adds them again.
 */
export async function forget(
  store: Store,
  { mirrored, ids, now }: { mirrored: Mirrored; ids: readonly string[]; now: string },
): Promise<Forgotten[]> {
  const resource = mirrored.resource.name;
  const existing = new Set(await idsOf(store, mirrored.main, sql`${name(idColumn)} IN ${ids}`));
  const rows = ids.map((id) => [`${resource}/${id}`, now]);
  const entryIds = await entriesAbout(store, resource, ids);
  await store.scrub([
    ...removalOf(mirrored, ids),
    ...removalOfEntries(entryIds),
    { kind: 'put', table: forgottenTable, rows },
  ]);
  return ids.map((id) => ({ resource, id, was_held: existing.has(id) }));
}

/** Returns the IDs of the history entries that are about the records. */
function entriesAbout(store: Store, resource: string, ids: readonly string[]): Promise<string[]> {
  const condition = sql`resource = ${resource} AND (record_id IN ${ids} OR other_id IN ${ids})`;
  return idsOf(store, historyTable, condition);
}

/**
 * Finds other records that refer to the forgotten ones by a relation to one record. For example, the addresses of a
 * customer are records of their own.
 */
export async function remainingReferences(
  store: Store,
  all: readonly Mirrored[],
  target: Mirrored,
  ids: readonly string[],
): Promise<RemainingReference[]> {
  const references: RemainingReference[] = [];
  for (const { resource, main } of all) {
    for (const [field, { kind, traits }] of Object.entries(resource.fields)) {
      if (kind !== 'one' || traits.target !== target.resource.name) continue;
      const column = `${field}_id`;
      const referringIds = await idsOf(store, main, sql`${name(column)} IN ${ids}`, maxListedIds);
      if (referringIds.length > 0) references.push({ table: main.name, column, ids: referringIds });
    }
  }
  return references;
}
