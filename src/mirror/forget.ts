/** Records that a mirror lets go of for good: a person may ask for it, whatever the account still shows. */
import type { Mirrored } from './schema/derive.ts';
import { historyTable } from './schema/history-tables.ts';
import { forgottenTable } from './schema/state.ts';
import { idColumn } from './schema/table.ts';
import { idsOf } from './stores/reads.ts';
import { name, sql } from './stores/sql.ts';
import type { Store } from './stores/store.ts';
import { removalOfEntries } from './sync/history-rows.ts';
import { removalOf } from './sync/page-changes.ts';

export interface Forgotten {
  resource: string;
  id: string;
  /** Whether the mirror held it. */
  was_held: boolean;
}

/** Rows of other tables that still name a record that was forgotten. */
export interface Naming {
  table: string;
  column: string;
  ids: string[];
}

/** As many are named as a person can take in. */
const mostNamed = 20;

export async function forget(
  store: Store,
  { mirrored, ids, now }: { mirrored: Mirrored; ids: readonly string[]; now: string },
): Promise<Forgotten[]> {
  const resource = mirrored.resource.name;
  const held = new Set(await idsOf(store, mirrored.main, sql`${name(idColumn)} IN ${ids}`));
  const rows = ids.map((id) => [`${resource}/${id}`, now]);
  const written = await writesTo(store, resource, ids);
  await store.scrub([
    ...removalOf(mirrored, ids),
    ...removalOfEntries(written),
    { kind: 'put', table: forgottenTable, rows },
  ]);
  return ids.map((id) => ({ resource, id, was_held: held.has(id) }));
}

/** Of the history: what was written to them. */
function writesTo(store: Store, resource: string, ids: readonly string[]): Promise<string[]> {
  const written = sql`resource = ${resource} AND (record_id IN ${ids} OR other_id IN ${ids})`;
  return idsOf(store, historyTable, written);
}

/** Single relations of other records that lead to these: an address of a customer is a record of its own. */
export async function stillNaming(
  store: Store,
  all: readonly Mirrored[],
  target: Mirrored,
  ids: readonly string[],
): Promise<Naming[]> {
  const found: Naming[] = [];
  for (const { resource, main } of all) {
    for (const [field, { kind, traits }] of Object.entries(resource.fields)) {
      if (kind !== 'one' || traits.target !== target.resource.name) continue;
      const column = `${field}_id`;
      const named = await idsOf(store, main, sql`${name(column)} IN ${ids}`, mostNamed);
      if (named.length > 0) found.push({ table: main.name, column, ids: named });
    }
  }
  return found;
}
