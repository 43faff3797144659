/** Dumps the records of a sandbox for golden files: sorted, and without what differs between runs. */
import { scopeNames } from '../../api/contract/scope.ts';
import { quoteName } from '../../base/storage/quote-name.ts';
import { type ApiRecord, apiRecordsOf, noRelations, type RecordView } from '../records/records.ts';
import type { Sandbox } from '../service.ts';
import type { Table } from '../store/tables.ts';

/** The records by the API's resource name. */
export type Dump = Record<string, Record<string, unknown>[]>;

/**
 * Returns all records of all resources, or of one: resources and keys in alphabetical order, records by ID, related
 * records as IDs. Timestamps are left out; deleted records have `is_deleted`.
 */
export function dumpSandbox({ api, database, tables }: Sandbox, resourceName?: string): Dump {
  const grant = { userId: '', scopes: new Set(scopeNames) };
  const variant = { 'wire.relations': 'ids', 'wire.parts': 'listed', 'wire.scalars': 'typed' } as const;
  const view: RecordView = { database, tables, grant, include: noRelations, variant };
  const names = api.collections
    .map(({ name }) => name)
    .filter((name) => !resourceName || name === resourceName);
  return database.read(() =>
    Object.fromEntries(names.sort().map((name) => [name, dumpTable(view, tables.get(name))])),
  );
}

function dumpTable(view: RecordView, table: Table): Record<string, unknown>[] {
  const rows = view.database.all(`SELECT * FROM ${quoteName(table.name)} ORDER BY id`);
  return apiRecordsOf(view, table, rows).map((record, index) => ({
    ...sortKeys(withoutTimes(record, table)),
    ...(table.isSoftDeleted && rows[index]?.deleted_at !== null && { is_deleted: true }),
  }));
}

function withoutTimes(record: ApiRecord, { fields }: Table): object {
  return Object.fromEntries(Object.entries(record).filter(([name]) => fields[name]?.kind !== 'timestamp'));
}

function sortKeys<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(sortKeys) as Value;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, item]) => [name, sortKeys(item)])) as Value;
}
