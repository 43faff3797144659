/** The tables that follow from the contract: a column for each plain field, a link table for each relation of many to many. */
import type { Field, Fields } from '../../contract/field.ts';
import { decimal, one, text, timestamp } from '../../contract/field.ts';
import type { Filter } from '../../contract/filter.ts';
import type { Resource } from '../../contract/resource.ts';
import { resources } from '../../resources/index.ts';
import { references } from '../../resources/references.ts';

export interface Column {
  /** In SQL; a relation to one record keeps that record's id: `category_id`. */
  name: string;
  fieldName: string;
  field: Field;
}

/** Pairs of ids with what the link itself holds. */
export interface LinkTable {
  name: string;
  /** The table at its `from_id` end, which declares the relation. */
  owner: string;
  pivot: readonly Column[];
}

/** Either end of a link table, as its column is named. */
export type End = 'from_id' | 'to_id';

/**
 * How one record leads to many:
 * `links` through a link table, of which this record stands at the `near` end
 * `children` by a column of the other table that names this record
 */
export type Relation = { fieldName: string; field: Field; target: string } & (
  | { kind: 'links'; table: LinkTable; near: End; far: End }
  | { kind: 'children'; column: string }
);

export interface Table {
  name: string;
  /** "supplier": for ids in pivots and for messages. */
  one: string;
  fields: Fields;
  columns: readonly Column[];
  relations: readonly Relation[];
  /** What lists can be asked for; its columns are indexed. */
  filters: readonly Filter[];
  /** Deleted records stay, with `deleted_at` set. Where the document shows no such field they are gone. */
  isSoftDeleted: boolean;
}

/** The column by which the parts of a record, such as a modifier's options, name it. */
export const parentColumn = 'parent_id';

/** What the sandbox itself has to know of records that the API only names. */
const referenceFields: Readonly<Record<string, Fields>> = {
  orders: { customer: one('customers'), total: decimal(), placed_at: timestamp() },
  order_returns: { order: one('orders'), amount: decimal(), returned_at: timestamp() },
};

export const tables: readonly Table[] = [
  ...resources.flatMap((resource) => [tableOf(resource), ...partTables(resource)]),
  ...references.map(({ name, one }) =>
    table(name, one, { id: text(), name: text(), ...referenceFields[name] }),
  ),
];

const byName = new Map(tables.map((table) => [table.name, table]));

/** By the API's own name: `inventory_items`. */
export function tableNamed(name: string): Table {
  const found = byName.get(name);
  if (!found) throw new Error(`There is no table ${name}`);
  return found;
}

export function columnOf(table: Table, fieldName: string): Column | undefined {
  return table.columns.find((column) => column.fieldName === fieldName);
}

export function relationOf(table: Table, fieldName: string): Relation | undefined {
  return table.relations.find((relation) => relation.fieldName === fieldName);
}

/** Every link table once: the side that declares it without `inverseOf` owns it. */
export function linkTables(): LinkTable[] {
  return tables.flatMap(({ relations }) =>
    relations.flatMap((relation) =>
      relation.kind === 'links' && relation.near === 'from_id' ? [relation.table] : [],
    ),
  );
}

function tableOf(resource: Resource): Table {
  return table(resource.name, resource.one, resource.fields, resource.filters);
}

/** Nested objects, each kind in a table of its own. What they belong to is a column and no field: it is never shown. */
function partTables({ name, one, fields }: Resource): Table[] {
  return Object.entries(fields).flatMap(([fieldName, { kind, traits }]) => {
    if (kind !== 'objects') return [];
    const parts = table(partName(name, fieldName), `${one} ${fieldName}`, traits.fields ?? {});
    const parent = { name: parentColumn, fieldName: parentColumn, field: text() };
    return [{ ...parts, columns: [parent, ...parts.columns] }];
  });
}

function partName(owner: string, fieldName: string): string {
  return `${owner}_${fieldName}`;
}

function table(name: string, one: string, fields: Fields, filters: readonly Filter[] = []): Table {
  return {
    name,
    one: one.replaceAll('-', ' '),
    fields,
    columns: columns(fields),
    relations: relations(name, fields),
    filters,
    isSoftDeleted: fields.deleted_at !== undefined,
  };
}

function columns(fields: Fields): Column[] {
  return Object.entries(fields).flatMap(([fieldName, field]) => {
    if (field.kind === 'many' || field.kind === 'objects' || field.traits.writeOnly) return [];
    return [{ name: field.kind === 'one' ? `${fieldName}_id` : fieldName, fieldName, field }];
  });
}

function relations(owner: string, fields: Fields): Relation[] {
  return Object.entries(fields).flatMap(([fieldName, field]): Relation[] => {
    if (field.kind === 'objects') {
      const target = partName(owner, fieldName);
      return [{ kind: 'children', fieldName, field, target, column: parentColumn }];
    }
    return field.kind === 'many' ? [manyRelation(owner, fieldName, field)] : [];
  });
}

function manyRelation(owner: string, fieldName: string, field: Field): Relation {
  const { target = '', inverseOf, pivot = {} } = field.traits;
  if (inverseOf === undefined) {
    const table = { name: `${owner}_${fieldName}`, owner, pivot: columns(pivot) };
    return { kind: 'links', fieldName, field, target, table, near: 'from_id', far: 'to_id' };
  }
  const other = resources.find(({ name }) => name === target)?.fields[inverseOf];
  if (other?.kind === 'one') {
    return { kind: 'children', fieldName, field, target, column: `${inverseOf}_id` };
  }
  const pairs = columns(other?.traits.pivot ?? {});
  const table = { name: `${target}_${inverseOf}`, owner: target, pivot: pairs };
  return { kind: 'links', fieldName, field, target, table, near: 'to_id', far: 'from_id' };
}
