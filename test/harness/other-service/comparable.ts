/** Comparable contents of accounts: keys instead of IDs, without what the service sets. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Link, StoredRecord } from './account.ts';
import type { Facts } from './facts.ts';
import { renderRecord } from './render.ts';
import { resources } from './resources.ts';
import type { OtherService } from './service.ts';

type Row = Record<string, unknown>;

/** The resources that a transfer can write. */
export const writablePaths = Object.keys(resources).filter((path) => !resources[path]?.isReadOnly);

/** Documents about past events, which `pull` doesn't write. */
export const eventPaths = ['cost_adjustments', 'inventory_counts', 'transfer_orders'];

/** Returns the number of active records that `pull` writes: without the owner, past events and some resources. */
export function countPulled(service: OtherService, without: readonly string[]): number {
  return countActive(service, [...without, ...eventPaths]) - 1;
}

/** Returns the number of active records that the API can write, without some resources. */
export function countActive(service: OtherService, without: readonly string[]): number {
  const paths = writablePaths.filter((path) => !without.includes(path));
  return paths.reduce((sum, path) => sum + service.stored(path).length, 0);
}

/** Returns the records that a client can see. Where `is_deleted` is ignored, nothing shows that there are deleted ones. */
export function visibleRecords(service: OtherService, path: string): StoredRecord[] {
  const { listsDeleted, deletedFilter } = service.facts;
  return service.stored(path, { withDeleted: listsDeleted || deletedFilter !== 'ignored' });
}

/**
 * Returns the resources that no client can read completely: their list is refused, or nothing shows a relation, or,
 * `withDeleted`, nothing shows deleted records.
 */
export function incompletePaths(service: OtherService, { withDeleted = false } = {}): string[] {
  const { facts } = service;
  const hidden = hiddenRelations(facts).map((name) => name.split('.')[0] ?? '');
  // Lists that contain deleted records look like others in an account without deleted records.
  const showsDeleted = facts.listsDeleted && Object.keys(resources).some((path) => hasDeleted(service, path));
  const hidesDeleted = withDeleted && !showsDeleted && facts.deletedFilter === 'refused';
  const withHiddenRecords = Object.keys(resources).filter(
    (path) => hidesDeleted && resources[path]?.filters.includes('is_deleted'),
  );
  return [...new Set([...Object.keys(facts.brokenLists), ...hidden, ...withHiddenRecords])];
}

function hasDeleted(service: OtherService, path: string): boolean {
  return service.stored(path, { withDeleted: true }).length > service.stored(path).length;
}

/** Returns the relations that neither lists nor single records show, such as `suppliers.items`. */
function hiddenRelations({ refusedIncludes, relations, singleRelations }: Facts): string[] {
  const styles = [relations, singleRelations];
  if (styles.includes('links')) return [];
  return refusedIncludes.filter((name) => {
    const [path = '', relation = ''] = name.split('.');
    const { isShown, isOne } = resources[path]?.relations?.[relation] ?? {};
    return !((isShown || isOne) && styles.includes('document'));
  });
}

/** Returns the records of an account as lines of text by resource, sorted. */
export function comparableAccount(service: OtherService): Record<string, string[]> {
  const keys = new Map<string, string>();
  for (const [path, records] of service.records)
    for (const record of records.values()) keys.set(record.id, `${path}: ${keyOf(record)}`);
  return Object.fromEntries(
    writablePaths.map((path) => {
      return [
        path,
        visibleRecords(service, path)
          .map((record) => JSON.stringify(toComparable(path, record, keys)))
          .sort(),
      ];
    }),
  );
}

function keyOf({ sku, reference, code, name, notes, id }: StoredRecord): unknown {
  return sku ?? reference ?? code ?? name ?? notes ?? id;
}

/** Fields that the service sets, or that no response shows. */
const serviceFields = new Set(['id', 'created_at', 'updated_at', 'pin']);

function toComparable(path: string, record: StoredRecord, keys: ReadonlyMap<string, string>): Row {
  const relations = resources[path]?.relations ?? {};
  const entries = Object.entries(record).filter(([name]) => !serviceFields.has(name));
  const comparable = entries.map(([name, value]): [string, unknown] => {
    if (name === 'deleted_at') return [name, value !== null];
    if (!relations[name]) return [name, value];
    const links = (value as Link[]).map(({ id, ...values }) => ({ ...values, id: keys.get(id) }));
    return [name, links.map((link) => JSON.stringify(sortKeys(link))).sort()];
  });
  return sortKeys(Object.fromEntries(comparable));
}

function sortKeys(row: Row): Row {
  return Object.fromEntries(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Returns a record with all of its relations, as links with the values of each, and without its secret. */
export function completeRecord(service: OtherService, path: string, record: StoredRecord): Row {
  const include = [...Object.keys(resources[path]?.relations ?? {}), 'authorities', 'notifications'];
  const facts: Facts = { ...service.facts, hasSingleOptions: false };
  const view = { facts, records: service.records, isList: false, include };
  const { pin: _, ...shown } = renderRecord(path, record, view);
  return withLinks(path, shown);
}

/** Returns a row with links instead of related records, and without the links that other records store. */
export function withLinks(path: string, row: Row): Row {
  const relations = resources[path]?.relations ?? {};
  const toLink = (related: Row | null) =>
    related && { id: related.id, ...(related.pivot !== undefined && { pivot: related.pivot }) };
  const stored = Object.entries(row).filter(([name]) => !relations[name]?.inverse);
  const entries = stored.map(([name, value]): [string, unknown] => {
    if (!relations[name] || name === 'options') return [name, value];
    return [name, Array.isArray(value) ? value.map(toLink) : toLink(value as Row | null)];
  });
  return sortKeys(Object.fromEntries(entries));
}

/** Returns the records of a backup by resource. */
export function readBackup(folder: string): Record<string, Row[]> {
  const { resources: files } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as {
    resources: { resource: string; file: string }[];
  };
  return Object.fromEntries(
    files.map(({ resource, file }) => {
      const lines = readFileSync(join(folder, file), 'utf8').split('\n');
      return [resource, lines.flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Row]))];
    }),
  );
}
