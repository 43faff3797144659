/** Deletes records from a mirror permanently, whether or not the account still has them. */

import { identifier, sql } from '../../api/sql/sql.ts';
import type { MirroredResource } from './schema/derive.ts';
import { historyTable } from './schema/history-tables.ts';
import { forgottenTable } from './schema/state.ts';
import { idColumn } from './schema/table.ts';
import { readIds } from './stores/reads.ts';
import type { Store } from './stores/store.ts';
import { versionRemovals } from './sync/change-log.ts';
import { entryRemovals } from './sync/history-rows.ts';
import { recordRemovals } from './sync/page-changes.ts';

/** A record that was deleted from the mirror. */
export interface ForgottenRecord {
  resource: string;
  id: string;
  /** Whether the mirror had the record. */
  was_in_mirror: boolean;
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
 * Deletes the records, their rows in other tables and their history entries, and stores the IDs, so that no later sync
 * adds the records again.
 */
export async function forget(
  store: Store,
  { mirrored, ids, now }: { mirrored: MirroredResource; ids: readonly string[]; now: string },
): Promise<ForgottenRecord[]> {
  const resource = mirrored.resource.name;
  const existingIds = new Set(await readIds(store, mirrored.main, sql`${identifier(idColumn)} IN ${ids}`));
  const rows = ids.map((id) => [`${resource}/${id}`, now]);
  const entryIds = await findEntryIds(store, resource, ids);
  await store.scrub([
    ...recordRemovals(mirrored, ids),
    ...entryRemovals(entryIds),
    ...(await versionRemovals(store, resource, ids)),
    { kind: 'put', table: forgottenTable, rows },
  ]);
  return ids.map((id) => ({ resource, id, was_in_mirror: existingIds.has(id) }));
}

/** Returns the IDs of the history entries that are about the records. */
function findEntryIds(store: Store, resource: string, ids: readonly string[]): Promise<string[]> {
  const condition = sql`resource = ${resource} AND (record_id IN ${ids} OR other_id IN ${ids})`;
  return readIds(store, historyTable, condition);
}

/**
 * Returns the records that refer to a forgotten record by a relation to one record. For example, the addresses of a
 * customer are separate records.
 */
export async function findRemainingReferences(
  store: Store,
  resources: readonly MirroredResource[],
  target: MirroredResource,
  ids: readonly string[],
): Promise<RemainingReference[]> {
  const references: RemainingReference[] = [];
  for (const { resource, main } of resources) {
    for (const [field, { kind, traits }] of Object.entries(resource.fields)) {
      if (kind !== 'one' || traits.target !== target.resource.name) continue;
      const column = `${field}_id`;
      const referringIds = await readIds(store, main, sql`${identifier(column)} IN ${ids}`, maxListedIds);
      if (referringIds.length > 0) references.push({ table: main.name, column, ids: referringIds });
    }
  }
  return references;
}
