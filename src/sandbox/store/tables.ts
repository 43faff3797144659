/**
 * Derives tables from the contract: a column for each plain field, and a link table for each many-to-many relation.
 */

import { once } from '../../base/once.ts';
import type { Api } from '../../contract/api.ts';
import type { Field, Fields } from '../../contract/field.ts';
import { boolean, decimal, integer, one, text, timestamp } from '../../contract/field.ts';
import type { Filter } from '../../contract/filter.ts';
import { kinds } from '../kinds.ts';
import type { Cell } from './cells.ts';

/** A column of a table. */
export interface Column {
  /** The name in SQL. A relation to one record stores that record's id: `category_id`. */
  name: string;
  fieldName: string;
  field: Field;
  /** The default value of a new row. */
  initial: Cell;
}

/** A table of linked ids, with the data of each link. */
export interface LinkTable {
  name: string;
  /** The table that declares the relation, at the `from_id` end. */
  owner: string;
  pivot: readonly Column[];
}

/** An end of a link table: the name of the column with its ids. */
export type LinkEnd = 'from_id' | 'to_id';

/**
 * A relation from one record to many:
 * `links`: through a link table, with this record in the column `near` and the others in `far`;
 * `children`: through a column of the other table that refers to this record;
 * `parts`: like `children`, for records that can't exist without this record.
 */
export type Relation = { fieldName: string; field: Field; readonly target: Table } & RelationEnd;

type RelationEnd =
  | { kind: 'links'; table: LinkTable; near: LinkEnd; far: LinkEnd }
  | { kind: 'children' | 'parts'; column: string };

/** A field with the column or relation that stores its values; a write-only field has neither. */
export interface StoredField {
  fieldName: string;
  field: Field;
  column: Column | undefined;
  relation: Relation | undefined;
}

/** A table. Its properties are computed when they are first used, so that a request only computes what it needs. */
export interface Table {
  readonly name: string;
  /** The singular, such as "supplier": for ids in pivots and for messages. */
  readonly one: string;
  readonly fields: Fields;
  readonly columns: readonly Column[];
  readonly relations: readonly Relation[];
  /** The fields with their columns and relations. */
  readonly storedFields: readonly StoredField[];
  /** The filters of lists; their columns are indexed. */
  readonly filters: readonly Filter[];
  /** Whether deleted records are kept with `deleted_at`. Without this field in the document, they are removed. */
  readonly isSoftDeleted: boolean;
}

/** The column by which a part, such as a modifier's option, refers to its record. */
export const parentColumn = 'parent_id';
/** The column by which the parts of a record are ordered. */
export const positionColumn = 'part_position';

const partColumns: readonly Column[] = [
  { name: parentColumn, fieldName: parentColumn, field: text(), initial: null },
  { name: positionColumn, fieldName: positionColumn, field: integer(), initial: null },
];

/** The fields that the sandbox needs and that responses don't contain. */
const hiddenFields: Readonly<Record<string, () => Fields>> = {
  tax_groups: () => ({ reference: text() }),
  orders: () => ({ name: text(), customer: one('customers'), total: decimal(), placed_at: timestamp() }),
  order_returns: () => ({ name: text(), order: one('orders'), amount: decimal(), returned_at: timestamp() }),
};

/** The fields of users for an API without users: every token needs a user. */
const minimalUserFields = (): Fields => ({
  id: text(),
  name: text(),
  is_owner: boolean(),
  deleted_at: timestamp(),
});

/** The tables of an API. */
export class Tables {
  readonly api: Api;
  readonly #tables = new Map<string, Table>();
  /** The names of the resources and references of the API. */
  readonly #names = once(
    () => new Set([...this.api.collections, ...this.api.references].map(({ name }) => name)),
  );

  constructor(api: Api) {
    this.api = api;
  }

  /** Returns a table by the API's name, such as `inventory_items`. Throws if the API doesn't have this resource. */
  named(name: string): Table {
    const table = this.#tables.get(name) ?? this.#createTable(name);
    if (!table) throw new Error(`Unknown table ${name}`);
    this.#tables.set(name, table);
    return table;
  }

  /** Returns whether the API has all of these resources or references. */
  has(...names: readonly string[]): boolean {
    return names.every((name) => this.#names().has(name));
  }

  /** All tables: those of resources with their parts, then those of references. */
  get all(): readonly Table[] {
    const names = [...this.api.collections, ...this.api.references].map(({ name }) => name);
    const tables = [...new Set([...names, 'users'])].map((name) => this.named(name));
    return tables.flatMap((table) => [
      table,
      ...table.relations.flatMap(({ kind, target }) => (kind === 'parts' ? [target] : [])),
    ]);
  }

  #createTable(name: string): Table | undefined {
    const resource = this.api.resource(name);
    if (resource && !resource.singleton) {
      return this.#table({
        name,
        one: resource.noun,
        fields: () => resource.fields,
        filters: () => resource.filters,
        more: () =>
          columnsOf(hiddenFields[name]?.() ?? {}).filter(({ fieldName }) => !resource.fields[fieldName]),
      });
    }
    const reference = this.api.reference(name);
    const hidden = hiddenFields[name]?.();
    const fields = () => (hidden ? { id: text() } : { id: text(), name: text() });
    if (reference)
      return this.#table({ name, one: reference.one, fields, more: () => columnsOf(hidden ?? {}) });
    return name === 'users' ? this.#table({ name, one: 'user', fields: minimalUserFields }) : undefined;
  }

  #table({
    name,
    one,
    fields: makeFields,
    filters: makeFilters = noItems,
    more = noItems,
  }: TableSource): Table {
    const fields = once(makeFields);
    const columns = once(() => [...more(), ...columnsOf(fields())]);
    const relations = once(() => this.#relations({ name, one }, fields()));
    const filters = once(makeFilters);
    const storedFields = once(() =>
      Object.entries(fields()).map(([fieldName, field]) => ({
        fieldName,
        field,
        column: columns().find((column) => column.fieldName === fieldName),
        relation: relations().find((relation) => relation.fieldName === fieldName),
      })),
    );
    return {
      name,
      one,
      get fields() {
        return fields();
      },
      get columns() {
        return columns();
      },
      get relations() {
        return relations();
      },
      get storedFields() {
        return storedFields();
      },
      get filters() {
        return filters();
      },
      get isSoftDeleted() {
        return fields().deleted_at !== undefined;
      },
    };
  }

  #relations(owner: Pick<Table, 'name' | 'one'>, fields: Fields): Relation[] {
    return Object.entries(fields).flatMap(([fieldName, field]) => {
      const { storedAs } = kinds[field.kind];
      if (storedAs === 'parts') return [this.#partRelation(owner, fieldName, field)];
      return storedAs === 'links' ? [this.#linkRelation(owner.name, fieldName, field)] : [];
    });
  }

  /** Returns the relation to a table of nested objects. Their reference to the record is never shown. */
  #partRelation({ name, one }: Pick<Table, 'name' | 'one'>, fieldName: string, field: Field): Relation {
    const target = this.#table({
      name: `${name}_${fieldName}`,
      one: `${one} ${fieldName}`,
      fields: () => field.traits.fields ?? {},
      more: () => partColumns,
    });
    return { kind: 'parts', fieldName, field, target, column: parentColumn };
  }

  #linkRelation(owner: string, fieldName: string, field: Field): Relation {
    const { target: targetName = '', inverseOf, pivot = {} } = field.traits;
    const named = () => this.named(targetName);
    const shared = {
      fieldName,
      field,
      get target() {
        return named();
      },
    };
    const end = (relation: RelationEnd): Relation => Object.assign(shared, relation);
    if (inverseOf === undefined) {
      const table = { name: `${owner}_${fieldName}`, owner, pivot: columnsOf(pivot) };
      return end({ kind: 'links', table, near: 'from_id', far: 'to_id' });
    }
    const other = this.api.resource(targetName)?.fields[inverseOf];
    if (other && kinds[other.kind].storedAs === 'id')
      return end({ kind: 'children', column: `${inverseOf}_id` });
    const pivotColumns = columnsOf(other?.traits.pivot ?? {});
    const table = { name: `${targetName}_${inverseOf}`, owner: targetName, pivot: pivotColumns };
    return end({ kind: 'links', table, near: 'to_id', far: 'from_id' });
  }
}

/** The source of a table. */
interface TableSource {
  name: string;
  one: string;
  fields: () => Fields;
  filters?: () => readonly Filter[];
  /** The columns that aren't fields. Responses don't contain them. */
  more?: () => readonly Column[];
}

function noItems(): [] {
  return [];
}

/** Returns the column of a field. */
export function columnOf(table: Table, fieldName: string): Column | undefined {
  return table.columns.find((column) => column.fieldName === fieldName);
}

/** Returns the relation of a field. */
export function relationOf(table: Table, fieldName: string): Relation | undefined {
  return table.relations.find((relation) => relation.fieldName === fieldName);
}

/** Returns all link tables. Each belongs to the resource that declares the relation without `inverseOf`. */
export function linkTables(tables: readonly Table[]): LinkTable[] {
  return tables.flatMap(({ relations }) =>
    relations.flatMap((relation) =>
      relation.kind === 'links' && relation.near === 'from_id' ? [relation.table] : [],
    ),
  );
}

/** Returns the initial cell of a field. Booleans are false, except `is_active`. */
function initialOf(fieldName: string, { kind }: Field): Cell {
  return fieldName === 'is_active' ? 1 : kinds[kind].initial;
}

function columnsOf(fields: Fields): Column[] {
  return Object.entries(fields).flatMap(([fieldName, field]) => {
    const { storedAs } = kinds[field.kind];
    if (storedAs === 'links' || storedAs === 'parts' || field.traits.writeOnly) return [];
    return [
      {
        name: storedAs === 'id' ? `${fieldName}_id` : fieldName,
        fieldName,
        field,
        initial: initialOf(fieldName, field),
      },
    ];
  });
}
