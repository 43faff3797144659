/** Adds records that aren't in demo.json: examples of the contract, records of another account, and branches. */

import type { Api } from '../../api/contract/api.ts';
import type { Field, Fields } from '../../api/contract/field.ts';
import type { Resource } from '../../api/contract/resource.ts';
import { usage } from '../../base/errors.ts';
import type { Database } from '../../base/storage/database.ts';
import { quoteName } from '../../base/storage/quote-name.ts';
import { kinds } from '../kinds.ts';
import { isObject, removeRow, updateRow } from '../store/rows.ts';
import { type Table, Tables } from '../store/tables.ts';
import { isActive } from '../validation/stored.ts';
import { DemoWriter } from './demo-writer.ts';

/** Adds an example record to each empty table. An empty sandbox only gets records that the API can't create. */
export function addFromContract(writer: DemoWriter, { isEmpty }: { isEmpty: boolean }): void {
  const { api } = writer.tables;
  for (const { name, exampleId } of api.references) {
    const isNamed = Object.hasOwn(writer.tables.get(name).fields, 'name');
    if (isEmptyTable(writer, name) && isNamed) writer.add(name, { name: exampleId }, exampleId);
  }
  if (isEmpty) return;
  const emptyResources = api.collections.filter(({ name }) => isEmptyTable(writer, name));
  for (const resource of emptyResources) {
    const values = { ...exampleValues(resource.fields, api.exampleId), ...keyValues(resource) };
    writer.add(resource.name, values, resource.exampleId);
  }
}

interface OpenSandbox {
  api: Api;
  clock: { now(): number };
  database: Database;
}

/** A record that the API only refers to, such as a branch, with its ID in another account. */
interface ReferenceToAdd {
  /** The API's name of the resource: `branches`. */
  target: string;
  id: string;
  name: string;
}

/** Adds records that the API only refers to, with their IDs. Existing records are unchanged. */
function addReferences({ api, clock, database }: OpenSandbox, references: readonly ReferenceToAdd[]): void {
  const tables = new Tables(api);
  const writer = new DemoWriter({ database, tables }, clock.now());
  database.write(() => {
    for (const { target, id, name } of references) {
      const table = tables.get(target);
      const isNamed = Object.hasOwn(table.fields, 'name');
      if (!isActive(database, table, id)) writer.addToTable(table, isNamed ? { name } : {}, id);
    }
  });
}

/** A record of another account, as in responses of the API. */
interface RecordToAdd {
  /** The API's name of the resource. */
  resource: string;
  row: Readonly<Record<string, unknown>>;
}

/** Adds records of another account with their IDs, and the records that they refer to, without the API's validation. */
export function addRecords(
  sandbox: OpenSandbox,
  records: readonly RecordToAdd[],
  references: readonly ReferenceToAdd[],
): void {
  const { api, clock, database } = sandbox;
  addReferences(sandbox, references);
  const tables = new Tables(api);
  const writer = new DemoWriter({ database, tables }, clock.now());
  database.write(() => {
    replaceOwner(database, tables.get('users'), records);
    for (const { resource, row } of records) {
      const table = tables.get(resource);
      writer.now = typeof row.created_at === 'string' ? Date.parse(`${row.created_at}Z`) : clock.now();
      writer.addToTable(table, valuesIn(table.fields, row), String(row.id));
    }
  });
}

/** Removes the owner of a new sandbox if the records have one. Otherwise the owner isn't notified of anything. */
function replaceOwner(database: Database, users: Table, records: readonly RecordToAdd[]): void {
  const hasOwner = records.some(({ resource, row }) => resource === users.name && row.is_owner === true);
  for (const { id } of database.all('SELECT id FROM users WHERE is_owner = 1'))
    if (hasOwner) removeRow(database, users, String(id));
    else updateRow(database, users, String(id), { notifications: '[]' });
}

function valuesIn(fields: Fields, row: RecordToAdd['row']): Record<string, unknown> {
  const entries = Object.entries(fields).flatMap(([name, field]) => {
    const { traits, kind } = field;
    const value = row[name] ?? undefined;
    const items = (Array.isArray(value) ? value : []) as Record<string, unknown>[];
    if (value === undefined || traits.inverseOf || name === 'id') return [];
    switch (kinds[kind].storedAs) {
      case 'id':
        return [[name, isObject(value) ? value.id : value]];
      case 'links':
        return [[name, items.map(({ id, pivot }) => ({ ...(isObject(pivot) ? pivot : {}), id }))]];
      case 'parts':
        return [[name, items.map((part) => valuesIn(traits.fields ?? {}, part))]];
      default:
        return [[name, value]];
    }
  });
  return Object.fromEntries(entries);
}

function keyValues({ key, exampleKeyField, exampleKey }: Resource): Record<string, unknown> {
  const keyField = exampleKeyField ?? key[0];
  return keyField === undefined ? {} : { [keyField]: exampleKey };
}

function exampleValues(
  fields: Fields,
  exampleIdOf: (target: string) => string | undefined,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, exampleOf(field, exampleIdOf)] as const),
  );
}

/** Returns the example value of a field; undefined for unique fields. */
function exampleOf({ kind, traits }: Field, exampleIdOf: (target: string) => string | undefined): unknown {
  const { target = '', pivot = {}, fields = {}, inverseOf, unique, example } = traits;
  const id = exampleIdOf(target);
  switch (kinds[kind].storedAs) {
    case 'cell':
      return unique ? undefined : example;
    case 'id':
      return id;
    case 'parts':
      return [exampleValues(fields, exampleIdOf)];
    case 'links':
      return inverseOf || id === undefined ? undefined : [{ ...exampleValues(pivot, exampleIdOf), id }];
  }
}

function isEmptyTable({ database }: DemoWriter, name: string): boolean {
  return database.get(`SELECT 1 FROM ${quoteName(name)} LIMIT 1`) === undefined;
}

/** The maximum number of branches, because clients read all branches of the owner in one response. */
export const maxBranches = 10_000;

/**
 * Adds branches until there are `count`, and assigns them to the owner. Branches are removed only from an empty sandbox.
 * Throws a usage failure if the sandbox has more branches and isn't empty, because records refer to them.
 */
export function setBranchCount(sandbox: OpenSandbox, count: number, { isEmpty = false } = {}): void {
  const { database } = sandbox;
  const existingCount = Number(database.get('SELECT count(*) AS count FROM branches')?.count ?? 0);
  if (existingCount > count && isEmpty) {
    const extraBranches = 'SELECT id FROM branches ORDER BY seq LIMIT -1 OFFSET ?';
    database.write(() => {
      database.run(`DELETE FROM users_branches WHERE to_id IN (${extraBranches})`, count);
      database.run(`DELETE FROM branches WHERE id IN (${extraBranches})`, count);
    });
  } else if (existingCount > count) {
    throw usage(`The sandbox has ${existingCount} branches already; --branches can only add branches.`, {
      hint: 'To have fewer branches, reset to an empty sandbox: boh sandbox reset --empty --branches N',
    });
  }
  const newNumbers = Array.from(
    { length: Math.max(0, count - existingCount) },
    (_, index) => existingCount + index + 1,
  );
  addReferences(
    sandbox,
    newNumbers.map((number) => ({ target: 'branches', id: `branch-${number}`, name: `Branch ${number}` })),
  );
  // Clients read the names of branches from the signed-in user.
  database.write(() => {
    database.run(
      `INSERT INTO users_branches (from_id, to_id, position)
       SELECT u.id, b.id, b.seq - 1 FROM users u, branches b
       WHERE u.is_owner = 1
         AND NOT EXISTS (SELECT 1 FROM users_branches WHERE from_id = u.id AND to_id = b.id)`,
    );
  });
}
