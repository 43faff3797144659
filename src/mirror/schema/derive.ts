/**
 * Derives tables from a resource of the contract: one for the records, one for each link and one for each nested
 * list. A relation that another resource's list also shows, such as the addresses of a customer, has no table here:
 * it follows from the other resource's table.
 */
import { isObject } from '../../base/number-text.ts';
import { type Api, apiOf } from '../../contract/api.ts';
import type { Field, Fields } from '../../contract/field.ts';
import type { Resource } from '../../contract/resource.ts';
import { mismatch, textCell } from './cell.ts';
import {
  type Child,
  type Item,
  type ListLocation,
  linkChild,
  listIn,
  pointsChild,
  valuesChild,
  withUniqueIds,
} from './children.ts';
import {
  type ColumnReader,
  hiddenColumns,
  knownNames,
  newUnusualFields,
  rowReader,
  scalarColumns,
  snakeCase,
  type UnusualFields,
} from './columns.ts';
import { containsExcluded, type Excluded, isExcluded, nothingExcluded } from './excluded.ts';
import { type Cell, type Column, idColumn, otherColumn, type Table, walkColumn } from './table.ts';

/**
 * The kinds that have a table of their own. A relation that the other resource declares is stored in that resource's
 * tables.
 */
const listKinds = new Set(['words', 'integers', 'ids', 'ring', 'many', 'objects']);

/** A resource with its tables. */
export interface Mirrored {
  resource: Resource;
  main: Table;
  children: readonly Child[];
  /** All of its tables, the main one first. */
  tables: readonly Table[];
  /**
   * Returns the rows of one record in all tables. `walk` is the number of the complete reading that returned the
   * record.
   */
  rows(record: Row, walk: number): RecordRows;
  /** The relations to include in requests, so that responses contain everything that the tables store. */
  includes: readonly string[];
  /** The names of unusual fields in the records so far. */
  unusual: UnusualFields;
  /** The columns of the main table that stay empty because they are excluded. */
  hidden: readonly string[];
  /** Returns whether the mirror excludes a field, given by its dotted name, of this resource or another one. */
  excludes(resource: string, path: string): boolean;
}

/** The rows of one record. */
export interface RecordRows {
  /** The row of the main table. */
  own: Cell[];
  /** The rows of each child table, in the order of `children`; undefined to keep the rows that the mirror has. */
  lists: readonly (Cell[][] | undefined)[];
}

type Row = Record<string, unknown>;

/** Returns every resource that has a list, with its tables, in the API's order. */
export function mirroredResources(api: Api, excluded: Excluded = nothingExcluded): Mirrored[] {
  return api.collections
    .filter(({ list, fields }) => list !== undefined && Object.hasOwn(fields, idColumn))
    .map((resource) => mirroredResource(resource, excluded));
}

/** Returns one resource with its tables. */
export function mirroredResource(resource: Resource, excluded: Excluded = nothingExcluded): Mirrored {
  const { name, fields, summary } = resource;
  const hidden = (path: string) => isExcluded(excluded, name, path);
  const readers = scalarColumns(fields, hidden);
  const unusual = newUnusualFields();
  const isOtherHidden = hidden(otherColumn);
  const cellsOf = rowReader(
    readers,
    knownNames(fields, readers),
    apiOf(resource),
    isOtherHidden ? undefined : unusual,
  );
  const children = childrenOf(resource, hidden);
  const inverse = inverseColumns(resource);
  const main: Table = {
    name,
    about: summary,
    columns: [
      ...readers.map(({ column }) => ({ ...column, isIndexed: inverse.has(column.name) })),
      otherFieldsColumn,
      {
        name: walkColumn,
        type: 'bigint',
        about: 'Number of the last complete reading of the list that returned the record',
      },
    ],
  };
  return {
    resource,
    main,
    children,
    tables: [main, ...children.map(({ table }) => table)],
    rows: (record, walk) => {
      const mismatches: Row = {};
      const lists = children.map((child) => child.rows(record, mismatches));
      // A mismatch that contains an excluded field can't be stored, because it would include that field.
      for (const field in mismatches) if (containsExcluded(excluded, name, field)) delete mismatches[field];
      const own = cellsOf(record, mismatches);
      if (isOtherHidden) own[own.length - 1] = null;
      own.push(walk);
      return { own, lists };
    },
    includes: includesOf(fields, hidden),
    unusual,
    hidden: [...hiddenColumns(readers), ...(isOtherHidden ? [otherColumn] : [])],
    excludes: (other, path) => isExcluded(excluded, other, path),
  };
}

/**
 * Returns the columns of relations to one record that the other resource's list also shows: list queries look rows up
 * by them.
 */
function inverseColumns(resource: Resource): ReadonlySet<string> {
  const fields = apiOf(resource).collections.flatMap((other) => Object.values(other.fields));
  const inverse = fields.filter(({ traits }) => traits.target === resource.name && traits.inverseOf);
  return new Set(inverse.map(({ traits }) => `${traits.inverseOf}_id`));
}

const otherFieldsColumn: Column = {
  name: otherColumn,
  type: 'text',
  about: "Fields that have no column, or whose values don't fit it: a JSON object",
};

/** Returns the tables of its links and nested lists, including lists inside nested records. */
function childrenOf(resource: Resource, hidden: (path: string) => boolean): Child[] {
  const owner: Column = {
    name: `${snakeCase(resource.one)}_id`,
    type: 'text',
    about: `The ${resource.noun} it belongs to`,
  };
  const location: ListLocation = {
    api: apiOf(resource),
    prefix: '',
    table: resource.name,
    owner,
    hidden,
    items: (record) => [{ id: String(record.id), record, owner: String(record.id) }],
  };
  return listsIn(resource.fields, location);
}

function listsIn(fields: Fields, location: ListLocation): Child[] {
  return Object.entries(fields).flatMap(([name, field]): Child[] => {
    const { inverseOf, secret, writeOnly } = field.traits;
    if (!listKinds.has(field.kind) || inverseOf || secret || writeOnly) return [];
    return childrenFor(name, field, location);
  });
}

function childrenFor(name: string, field: Field, location: ListLocation): Child[] {
  switch (field.kind) {
    case 'many':
      return [linkChild(name, field, location)];
    case 'ring':
      return [pointsChild(name, field, location)];
    case 'objects':
      return nestedChildren(name, field, location);
    default:
      return [valuesChild(name, field, location)];
  }
}

/** Returns a table for the nested records, and tables for the lists inside them. */
function nestedChildren(name: string, field: Field, location: ListLocation): Child[] {
  const { fields = {}, itemName = name } = field.traits;
  const path = `${location.prefix}${name}`;
  const top = location.topField ?? name;
  const hidden = (inner: string) => location.hidden(path) || location.hidden(`${path}.${inner}`);
  const all = scalarColumns(fields, hidden);
  const readers: ColumnReader[] = all.filter(({ column }) => column.name !== idColumn);
  const cellsOf = rowReader(readers, knownNames(fields, all), location.api);
  const columns = readers.map(({ column }) => column);
  const position: Column = { name: 'position', type: 'bigint', about: 'Position in the list, from 0' };
  const items = (record: Row): Item[] | undefined => {
    const holders = location.items(record);
    if (!holders || holders.every((holder) => !Array.isArray(holder.record[name]))) return undefined;
    return holders.flatMap((holder) => itemsIn(holder, name));
  };
  const table: Table = {
    name: `${location.table}_${name}`,
    about: field.traits.description ?? '',
    owner: location.owner.name,
    columns: [
      { name: idColumn, type: 'text', about: 'Its ID' },
      location.owner,
      position,
      ...columns,
      otherFieldsColumn,
    ],
  };
  const own: Child = {
    table,
    field: location.parent ? undefined : name,
    hidden: location.hidden(path) ? 'all' : hiddenColumns(all),
    rows: (record, mismatches) => {
      if (location.hidden(path)) return [];
      const holders = location.items(record) ?? [];
      if (holders.some((holder) => !isListOfRecords(holder.record[name]))) mismatches[top] = record[top];
      const rows = items(record)?.map((item, at): Cell[] => [
        ...[item.id, item.owner, at],
        ...cellsOf(item.record, {}),
      ]);
      return rows && withUniqueIds(rows);
    },
  };
  const parent: Column = { name: `${itemName}_id`, type: 'text', about: 'The list item it belongs to' };
  const inside = {
    ...location,
    prefix: `${path}.`,
    table: table.name,
    parent,
    topField: top,
    items,
    hidden: location.hidden,
  };
  return [own, ...listsIn(fields, inside)];
}

function itemsIn({ record, id, owner }: Item, name: string): Item[] {
  const list = record[name];
  if (!Array.isArray(list)) return [];
  return list.flatMap((each: unknown, at): Item[] => {
    if (!isNestedRecord(each)) return [];
    return [{ id: String(each.id ?? `${id}/${at}`), record: each, owner }];
  });
}

/** Returns whether every item of the list, if the record has it, can be a row. */
function isListOfRecords(value: unknown): boolean {
  return value === undefined || listIn(value)?.every(isNestedRecord) === true;
}

function isNestedRecord(value: unknown): value is Row {
  return isObject(value) && textCell(value.id) !== mismatch;
}

/**
 * Returns the relations to include, except those that the other resource's list shows: they would only make responses
 * longer.
 */
function includesOf(fields: Fields, hidden: (path: string) => boolean, prefix = ''): string[] {
  return Object.entries(fields).flatMap(([name, { kind, traits }]) => {
    const path = `${prefix}${name}`;
    if (!traits.includable || traits.inverseOf || hidden(path)) return [];
    return kind === 'objects' ? [path, ...includesOf(traits.fields ?? {}, hidden, `${path}.`)] : [path];
  });
}
