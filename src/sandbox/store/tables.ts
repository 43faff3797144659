/** The tables that follow from the contract: a column for each plain field, a link table for each relation of many to many. */
import type { Api } from '../../contract/api.ts';
import type { Field, Fields } from '../../contract/field.ts';
import { boolean, decimal, integer, one, text, timestamp } from '../../contract/field.ts';
import type { Filter } from '../../contract/filter.ts';
import { lazy } from '../../contract/lazy.ts';
import { kinds } from '../kinds.ts';
import type { Cell } from './cells.ts';

export interface Column {
  /** In SQL; a relation to one record keeps that record's id: `category_id`. */
  name: string;
  fieldName: string;
  field: Field;
  /** What a new row holds where nothing is given. */
  initial: Cell;
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
 * `children` by a column of the other table, in which those records name this one
 * `parts` likewise, of records that are nothing without this one
 */
export type Relation = { fieldName: string; field: Field; readonly target: Table } & RelationEnd;

type RelationEnd =
  | { kind: 'links'; table: LinkTable; near: End; far: End }
  | { kind: 'children' | 'parts'; column: string };

/** What is made of fields is made when it is first asked for: a request pays for the tables that it touches. */
export interface Table {
  readonly name: string;
  /** "supplier": for ids in pivots and for messages. */
  readonly one: string;
  readonly fields: Fields;
  readonly columns: readonly Column[];
  readonly relations: readonly Relation[];
  /** What lists can be asked for; its columns are indexed. */
  readonly filters: readonly Filter[];
  /** Deleted records stay, with `deleted_at` set. Where the document shows no such field they are gone. */
  readonly isSoftDeleted: boolean;
}

/** The columns by which the parts of a record, such as a modifier's options, name it and stand in their order. */
export const parentColumn = 'parent_id';
export const positionColumn = 'part_position';

const partColumns: readonly Column[] = [
  { name: parentColumn, fieldName: parentColumn, field: text(), initial: null },
  { name: positionColumn, fieldName: positionColumn, field: integer(), initial: null },
];

/** What the sandbox itself has to know of records, beyond what answers show of them. */
const unseen: Readonly<Record<string, () => Fields>> = {
  tax_groups: () => ({ reference: text() }),
  orders: () => ({ name: text(), customer: one('customers'), total: decimal(), placed_at: timestamp() }),
  order_returns: () => ({ name: text(), order: one('orders'), amount: decimal(), returned_at: timestamp() }),
};

/** Somebody stands behind each token, whether or not the API shows users. */
const ownUsers = (): Fields => ({ id: text(), name: text(), is_owner: boolean(), deleted_at: timestamp() });

/** All tables of an API. */
export class Tables {
  readonly api: Api;
  readonly #known = new Map<string, Table>();
  /** Of the records that the API has or names. */
  readonly #names = lazy(
    () => new Set([...this.api.collections, ...this.api.references].map(({ name }) => name)),
  );

  constructor(api: Api) {
    this.api = api;
  }

  /** By the API's own name: `inventory_items`. Throws where the API has no such records. */
  named(name: string): Table {
    const found = this.#known.get(name) ?? this.#make(name);
    if (!found) throw new Error(`There is no table ${name}`);
    this.#known.set(name, found);
    return found;
  }

  /** Whether the API has all of these. */
  has(...names: readonly string[]): boolean {
    return names.every((name) => this.#names().has(name));
  }

  /** Those of resources with their parts, then those of references. */
  get all(): readonly Table[] {
    const names = [...this.api.collections, ...this.api.references].map(({ name }) => name);
    const tables = [...new Set([...names, 'users'])].map((name) => this.named(name));
    return tables.flatMap((table) => [
      table,
      ...table.relations.flatMap(({ kind, target }) => (kind === 'parts' ? [target] : [])),
    ]);
  }

  #make(name: string): Table | undefined {
    const resource = this.api.resource(name);
    if (resource && !resource.singleton) {
      return this.#table({
        name,
        one: resource.noun,
        fields: () => resource.fields,
        filters: () => resource.filters,
        more: () => columnsOf(unseen[name]?.() ?? {}).filter(({ fieldName }) => !resource.fields[fieldName]),
      });
    }
    const reference = this.api.reference(name);
    const hidden = unseen[name]?.();
    const fields = () => (hidden ? { id: text() } : { id: text(), name: text() });
    if (reference)
      return this.#table({ name, one: reference.one, fields, more: () => columnsOf(hidden ?? {}) });
    return name === 'users' ? this.#table({ name, one: 'user', fields: ownUsers }) : undefined;
  }

  #table({ name, one, fields: makeFields, filters: makeFilters = none, more = none }: Plan): Table {
    const fields = lazy(makeFields);
    const columns = lazy(() => [...more(), ...columnsOf(fields())]);
    const relations = lazy(() => this.#relations({ name, one }, fields()));
    const filters = lazy(makeFilters);
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
      const { kept } = kinds[field.kind];
      if (kept === 'parts') return [this.#partRelation(owner, fieldName, field)];
      return kept === 'links' ? [this.#manyRelation(owner.name, fieldName, field)] : [];
    });
  }

  /** Nested objects, each kind in a table of its own. What they belong to is no field of theirs: it is never shown. */
  #partRelation({ name, one }: Pick<Table, 'name' | 'one'>, fieldName: string, field: Field): Relation {
    const target = this.#table({
      name: `${name}_${fieldName}`,
      one: `${one} ${fieldName}`,
      fields: () => field.traits.fields ?? {},
      more: () => partColumns,
    });
    return { kind: 'parts', fieldName, field, target, column: parentColumn };
  }

  #manyRelation(owner: string, fieldName: string, field: Field): Relation {
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
    if (other && kinds[other.kind].kept === 'id') return end({ kind: 'children', column: `${inverseOf}_id` });
    const pairs = columnsOf(other?.traits.pivot ?? {});
    const table = { name: `${targetName}_${inverseOf}`, owner: targetName, pivot: pairs };
    return end({ kind: 'links', table, near: 'to_id', far: 'from_id' });
  }
}

/** What a table is made of. */
interface Plan {
  name: string;
  one: string;
  fields: () => Fields;
  filters?: () => readonly Filter[];
  /** Columns that are no fields: no answer shows them. */
  more?: () => readonly Column[];
}

function none(): [] {
  return [];
}

export function columnOf(table: Table, fieldName: string): Column | undefined {
  return table.columns.find((column) => column.fieldName === fieldName);
}

export function relationOf(table: Table, fieldName: string): Relation | undefined {
  return table.relations.find((relation) => relation.fieldName === fieldName);
}

/** Every link table once: the side that declares it without `inverseOf` owns it. */
export function linkTables(tables: readonly Table[]): LinkTable[] {
  return tables.flatMap(({ relations }) =>
    relations.flatMap((relation) =>
      relation.kind === 'links' && relation.near === 'from_id' ? [relation.table] : [],
    ),
  );
}

/** Switches are off to begin with, but for the one that says whether a record is in use. */
function initialOf(fieldName: string, { kind }: Field): Cell {
  return fieldName === 'is_active' ? 1 : kinds[kind].initial;
}

function columnsOf(fields: Fields): Column[] {
  return Object.entries(fields).flatMap(([fieldName, field]) => {
    const { kept } = kinds[field.kind];
    if (kept === 'links' || kept === 'parts' || field.traits.writeOnly) return [];
    return [
      {
        name: kept === 'id' ? `${fieldName}_id` : fieldName,
        fieldName,
        field,
        initial: initialOf(fieldName, field),
      },
    ];
  });
}
