/** Adds records that aren't in demo.json: examples of the contract, and records of another account. */
import type { Api } from '../../contract/api.ts';
import type { Field, Fields } from '../../contract/field.ts';
import type { Resource } from '../../contract/resource.ts';
import type { Database } from '../../storage/database.ts';
import { quoteName } from '../../storage/quote-name.ts';
import { kinds } from '../kinds.ts';
import { isObject } from '../store/stored-values.ts';
import { Tables } from '../store/tables.ts';
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

/** A record that the API only refers to, such as a branch, with its ID in another account. */
export interface ReferenceToAdd {
  /** The API's name of the resource: `branches`. */
  target: string;
  id: string;
  name: string;
}

/** Adds records that the API only refers to, with their IDs. Existing records are unchanged. */
export function addReferences(
  { api, clock, database }: { api: Api; clock: { now(): number }; database: Database },
  references: readonly ReferenceToAdd[],
): void {
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
export interface RecordToAdd {
  /** The API's name of the resource. */
  resource: string;
  row: Readonly<Record<string, unknown>>;
}

/** Adds records of another account with their IDs, without the API's validation. */
export function addRecords(
  { api, clock, database }: { api: Api; clock: { now(): number }; database: Database },
  records: readonly RecordToAdd[],
): void {
  const tables = new Tables(api);
  const writer = new DemoWriter({ database, tables }, clock.now());
  database.write(() => {
    for (const { resource, row } of records) {
      const table = tables.get(resource);
      writer.now = typeof row.created_at === 'string' ? Date.parse(`${row.created_at}Z`) : clock.now();
      writer.addToTable(table, valuesIn(table.fields, row), String(row.id));
    }
  });
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
