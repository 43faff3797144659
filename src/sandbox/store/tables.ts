/**
 * Derives tables from the contract: a column for each plain field, and a link table for each many-to-many relation.
 */

import type { Api } from '../../api/contract/api.ts';
import {
  boolean,
  decimal,
  type Field,
  type Fields,
  integer,
  one,
  text,
  timestamp,
} from '../../api/contract/field.ts';
import type { Filter } from '../../api/contract/filter.ts';
import { relationStorage } from '../../api/sql/filters.ts';
import { once } from '../../base/once.ts';
import type { Cell } from '../../base/storage/database.ts';
import { kinds } from '../kinds.ts';

export interface Column {
  /** The name in SQL. A relation to one record stores that record's id: `category_id`. */
  name: string;
  fieldName: string;
  field: Field;
  /** The default value of a new row. */
  initial: Cell;
}

/** A table of linked IDs, with the data of each link. */
export interface LinkTable {
  name: string;
  pivot: readonly Column[];
}

/** An end of a link table: the name of the column with its IDs. */
export type LinkEnd = 'from_id' | 'to_id';

/**
 * A relation from one record to many:
 * `links`: through a link table, with this record in `recordColumn` and the related records in `targetColumn`;
 * `children`: through a column of the other table that refers to this record;
 * `parts`: like `children`, for records that can't exist without this record.
 */
export type Relation = { fieldName: string; field: Field; readonly target: Table } & RelationEnd;

type RelationEnd =
  | { kind: 'links'; table: LinkTable; recordColumn: LinkEnd; targetColumn: LinkEnd }
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
  /** The singular noun, such as "supplier": for IDs in pivots and for messages. */
  readonly noun: string;
  readonly fields: Fields;
  readonly columns: readonly Column[];
  readonly relations: readonly Relation[];
  /** The fields with their columns and relations. */
  readonly storedFields: readonly StoredField[];
  /** The filters of lists; their columns are indexed. */
  readonly filters: readonly Filter[];
  /** Whether deleted records are kept with `deleted_at`. Without this field in the API document, they are removed. */
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
  orders: () => ({
    name: text(),
    customer: one('customers'),
    total: decimal(),
    lines: text(),
    placed_at: timestamp(),
  }),
  order_returns: () => ({ name: text(), order: one('orders'), amount: decimal(), returned_at: timestamp() }),
};

/** The fields of users for an API without users: every token needs a user. */
const minimalUserFields = (): Fields => ({
  id: text(),
  name: text(),
  is_owner: boolean(),
  deleted_at: timestamp(),
});

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
  get(name: string): Table {
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
    const tables = [...new Set([...names, 'users'])].map((name) => this.get(name));
    return tables.flatMap((table) => [
      table,
      ...table.relations.flatMap(({ kind, target }) => (kind === 'parts' ? [target] : [])),
    ]);
  }

  #createTable(name: string): Table | undefined {
    const resource = this.api.resource(name) ?? this.api.listOfReference(name);
    if (resource && !resource.singleton) {
      return this.#table({
        name,
        noun: resource.noun,
        fields: () => resource.fields,
        filters: () => resource.filters,
        extraColumns: () =>
          columnsOf(hiddenFields[name]?.() ?? {}).filter(({ fieldName }) => !resource.fields[fieldName]),
      });
    }
    const reference = this.api.reference(name);
    const hiddenOnly = hiddenFields[name]?.();
    const fields = () => (hiddenOnly ? { id: text() } : { id: text(), name: text() });
    if (reference)
      return this.#table({
        name,
        noun: reference.one,
        fields,
        extraColumns: () => columnsOf(hiddenOnly ?? {}),
      });
    return name === 'users' ? this.#table({ name, noun: 'user', fields: minimalUserFields }) : undefined;
  }

  #table({
    name,
    noun,
    fields: createFields,
    filters: createFilters = noItems,
    extraColumns = noItems,
  }: TableDefinition): Table {
    const fields = once(createFields);
    const columns = once(() => [...extraColumns(), ...columnsOf(fields())]);
    const relations = once(() => this.#relations({ name, noun }, fields()));
    const filters = once(createFilters);
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
      noun,
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

  #relations(owner: Pick<Table, 'name' | 'noun'>, fields: Fields): Relation[] {
    return Object.entries(fields).flatMap(([fieldName, field]) => {
      const { storedAs } = kinds[field.kind];
      if (storedAs === 'parts') return [this.#partRelation(owner, fieldName, field)];
      return storedAs === 'links' ? [this.#linkRelation(owner.name, fieldName, field)] : [];
    });
  }

  /** Returns the relation to a table of nested objects. Responses never contain their reference to the record. */
  #partRelation({ name, noun }: Pick<Table, 'name' | 'noun'>, fieldName: string, field: Field): Relation {
    const target = this.#table({
      name: `${name}_${fieldName}`,
      noun: `${noun} ${fieldName}`,
      fields: () => field.traits.fields ?? {},
      extraColumns: () => partColumns,
    });
    return { kind: 'parts', fieldName, field, target, column: parentColumn };
  }

  #linkRelation(owner: string, fieldName: string, field: Field): Relation {
    const getTarget = () => this.get(field.traits.target ?? '');
    const commonProperties = {
      fieldName,
      field,
      get target() {
        return getTarget();
      },
    };
    const createRelation = (relation: RelationEnd): Relation => Object.assign(commonProperties, relation);
    const storage = relationStorage(this.api, owner, fieldName, field);
    if (storage.kind === 'column') return createRelation({ kind: 'children', column: storage.column });
    const table = { name: storage.table, pivot: columnsOf(storage.pivot) };
    return storage.isInverse
      ? createRelation({ kind: 'links', table, recordColumn: 'to_id', targetColumn: 'from_id' })
      : createRelation({ kind: 'links', table, recordColumn: 'from_id', targetColumn: 'to_id' });
  }
}

/** The definition of a table, whose parts are computed when they are first used. */
interface TableDefinition {
  name: string;
  noun: string;
  fields: () => Fields;
  filters?: () => readonly Filter[];
  /** The columns that aren't fields. Responses don't contain them. */
  extraColumns?: () => readonly Column[];
}

function noItems(): [] {
  return [];
}

export function columnOf(table: Table, fieldName: string): Column | undefined {
  return table.columns.find((column) => column.fieldName === fieldName);
}

export function relationOf(table: Table, fieldName: string): Relation | undefined {
  return table.relations.find((relation) => relation.fieldName === fieldName);
}

/** Returns all link tables. Each belongs to the resource that declares the relation without `inverseOf`. */
export function linkTables(tables: readonly Table[]): LinkTable[] {
  return tables.flatMap(({ relations }) =>
    relations.flatMap((relation) =>
      relation.kind === 'links' && relation.recordColumn === 'from_id' ? [relation.table] : [],
    ),
  );
}

/** Returns the initial cell of a field. Booleans are false, except `is_active`. */
function initialOf(fieldName: string, { kind }: Field): Cell {
  return fieldName === 'is_active' ? 1 : kinds[kind].initialCell;
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
