/**
 * Derives tables from the contract: a column for each plain field, and a link table for each many-to-many relation.
 */
import type { Api } from '../../contract/api.ts';
import type { Field, Fields } from '../../contract/field.ts';
import { boolean, decimal, integer, one, text, timestamp } from '../../contract/field.ts';
import type { Filter } from '../../contract/filter.ts';
import { lazy } from '../../contract/lazy.ts';
import { kinds } from '../kinds.ts';
import type { Cell } from './cells.ts';

/** A column of a table. */
export interface Column {
  /** The name in SQL. A relation to one record stores that record's id: `category_id`. */
  name: string;
  fieldName: string;
  field: Field;
  /** The value of a new row if none is given. */
  initial: Cell;
}

/** A table of linked ids, with the data of each link. */
export interface LinkTable {
  name: string;
  /** The table that declares the relation, at the `from_id` end. */
  owner: string;
  pivot: readonly Column[];
}

/** An end of a link table: the name of its column. */
export type LinkEnd = 'from_id' | 'to_id';

/**
 * How one record refers to many:
 * `links`: through a link table, with this record at the `near` end;
 * `children`: by a column of the other table, which refers to this record;
 * `parts`: likewise, for records that can't exist without this one.
 */
export type Relation = { fieldName: string; field: Field; readonly target: Table } & RelationEnd;

type RelationEnd =
  | { kind: 'links'; table: LinkTable; near: LinkEnd; far: LinkEnd }
  | { kind: 'children' | 'parts'; column: string };

/** A field with the column or relation that stores its values. A field that is never shown has neither. */
export interface StoredField {
  fieldName: string;
  field: Field;
  column: Column | undefined;
  relation: Relation | undefined;
}

/**
 * A table. What follows from fields is computed when it is first used, so that a request pays only for the tables
 * that it touches.
 */
export interface Table {
  readonly name: string;
  /** The singular, such as "supplier": for ids in pivots and for messages. */
  readonly one: string;
  readonly fields: Fields;
  readonly columns: readonly Column[];
  readonly relations: readonly Relation[];
  /** Each field with where its values are stored. */
  readonly storedFields: readonly StoredField[];
  /** The filters of lists; their columns are indexed. */
  readonly filters: readonly Filter[];
  /** Whether deleted records stay, with `deleted_at` set. If the document shows no such field, they are removed. */
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

/** Fields that the sandbox needs and responses don't show. */
const hiddenFields: Readonly<Record<string, () => Fields>> = {
  tax_groups: () => ({ reference: text() }),
  orders: () => ({ name: text(), customer: one('customers'), total: decimal(), placed_at: timestamp() }),
  order_returns: () => ({ name: text(), order: one('orders'), amount: decimal(), returned_at: timestamp() }),
};

/** Every token has a user, even if the API doesn't show users. */
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
  readonly #names = lazy(
    () => new Set([...this.api.collections, ...this.api.references].map(({ name }) => name)),
  );

  constructor(api: Api) {
    this.api = api;
  }

  /** Returns a table by the API's name, such as `inventory_items`. Throws if the API has no such resource. */
  named(name: string): Table {
    const found = this.#tables.get(name) ?? this.#createTable(name);
    if (!found) throw new Error(`There is no table ${name}`);
    this.#tables.set(name, found);
    return found;
  }

  /** Returns whether the API has all of these. */
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
    const fields = lazy(makeFields);
    const columns = lazy(() => [...more(), ...columnsOf(fields())]);
    const relations = lazy(() => this.#relations({ name, one }, fields()));
    const filters = lazy(makeFilters);
    const storedFields = lazy(() =>
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

  /** Nested objects have a table of their own. The reference to their record isn't a field, and is never shown. */
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

/** What a table is built from. */
interface TableSource {
  name: string;
  one: string;
  fields: () => Fields;
  filters?: () => readonly Filter[];
  /** Columns that aren't fields: no response shows them. */
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

/** Returns every link table once: the resource that declares it without `inverseOf` owns it. */
export function linkTables(tables: readonly Table[]): LinkTable[] {
  return tables.flatMap(({ relations }) =>
    relations.flatMap((relation) =>
      relation.kind === 'links' && relation.near === 'from_id' ? [relation.table] : [],
    ),
  );
}

/** Booleans are false at first, except the one that says whether a record is in use. */
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
