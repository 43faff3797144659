/**
 * Derives tables from a resource of the contract: one for the records, one for each link and one for each nested
 * list. A relation that another resource's list also returns, such as the addresses of a customer, has no table here,
 * because the other resource's table contains it.
 */

import { type Api, apiOf } from '../../../api/contract/api.ts';
import type { Field, Fields } from '../../../api/contract/field.ts';
import { isRelation } from '../../../api/contract/include.ts';
import type { Resource } from '../../../api/contract/resource.ts';
import { isObject } from '../../../base/number-text.ts';
import { mismatch, textCell } from './cell.ts';
import {
  type ChildTable,
  defineLinkTable,
  definePointsTable,
  defineValuesTable,
  type ListHolder,
  type ListLocation,
  listItems,
  withUniqueIds,
} from './children.ts';
import {
  type ColumnReader,
  createRowReader,
  hiddenColumns,
  namesOfColumns,
  newUnusualFields,
  scalarColumns,
  snakeCase,
  type UnusualFields,
} from './columns.ts';
import { containsExcluded, type ExcludedFields, isExcluded, noExclusions } from './excluded.ts';
import { type Cell, type Column, idColumn, otherColumn, readingColumn, type Table } from './table.ts';

/**
 * The kinds that have a table of their own. A relation that the other resource declares is stored in that resource's
 * tables.
 */
const listKinds = new Set(['words', 'integers', 'ids', 'ring', 'many', 'objects']);

export interface MirroredResource {
  resource: Resource;
  main: Table;
  children: readonly ChildTable[];
  /** All of its tables, the main one first. */
  tables: readonly Table[];
  /**
   * Returns the rows of one record in all tables. `readingNumber` is the number of the complete reading of the list that returned
   * the record.
   */
  rows(record: Row, readingNumber: number): RecordRows;
  /** The relations to include in requests, so that responses contain everything that the tables store. */
  includes: readonly string[];
  /** The names of unusual fields in the records so far. */
  unusual: UnusualFields;
  /** The columns of the main table that stay empty because they are excluded. */
  hidden: readonly string[];
  /** Returns whether the mirror excludes a field of a resource. `path` is the field's dotted name. */
  excludes(resource: string, path: string): boolean;
}

export interface RecordRows {
  mainRow: Cell[];
  /** The rows of each child table, in the order of `children`; undefined to keep the rows that the mirror has. */
  childRows: readonly (Cell[][] | undefined)[];
}

type Row = Record<string, unknown>;

/** Returns every resource that has a list, with its tables, in the API's order. */
export function mirroredResources(api: Api, excluded: ExcludedFields = noExclusions): MirroredResource[] {
  return api.collections
    .filter(({ list, fields }) => list !== undefined && Object.hasOwn(fields, idColumn))
    .map((resource) => mirroredResource(resource, excluded));
}

export function mirroredResource(
  resource: Resource,
  excluded: ExcludedFields = noExclusions,
): MirroredResource {
  const { name, fields, summary } = resource;
  const isHidden = (path: string) => isExcluded(excluded, name, path);
  const readers = scalarColumns(apiOf(resource), fields, isHidden);
  const unusual = newUnusualFields();
  const isOtherHidden = isHidden(otherColumn);
  const cellsOf = createRowReader(
    readers,
    namesOfColumns(fields, readers),
    apiOf(resource),
    isOtherHidden ? undefined : unusual,
  );
  const children = childTablesOfResource(resource, isHidden);
  const inverse = inverseColumns(resource);
  const main: Table = {
    name,
    about: summary,
    resource: name,
    columns: [
      ...readers.map(({ column }) => ({ ...column, isIndexed: inverse.has(column.name) })),
      otherFieldsColumn,
      {
        name: readingColumn,
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
    rows: (record, readingNumber) => {
      const mismatches: Row = {};
      const childRows = children.map((child) => child.rows(record, mismatches));
      // A mismatch that contains an excluded field can't be stored, because it would include that field.
      for (const field in mismatches) if (containsExcluded(excluded, name, field)) delete mismatches[field];
      const mainRow = cellsOf(record, mismatches);
      if (isOtherHidden) mainRow[mainRow.length - 1] = null;
      mainRow.push(readingNumber);
      return { mainRow, childRows };
    },
    includes: includedRelations(fields, isHidden),
    unusual,
    hidden: [...hiddenColumns(readers), ...(isOtherHidden ? [otherColumn] : [])],
    excludes: (otherResource, path) => isExcluded(excluded, otherResource, path),
  };
}

/**
 * Returns the columns of relations to one record that the other resource's list also returns: list queries search by
 * them.
 */
function inverseColumns(resource: Resource): ReadonlySet<string> {
  const fields = apiOf(resource).collections.flatMap((otherResource) => Object.values(otherResource.fields));
  const inverse = fields.filter(({ traits }) => traits.target === resource.name && traits.inverseOf);
  return new Set(inverse.map(({ traits }) => `${traits.inverseOf}_id`));
}

const otherFieldsColumn: Column = {
  name: otherColumn,
  type: 'text',
  about: "Fields that have no column, or whose values don't fit it: a JSON object",
};

/** Returns the tables of a resource's links and nested lists, including lists inside nested records. */
function childTablesOfResource(resource: Resource, isHidden: (path: string) => boolean): ChildTable[] {
  const owner: Column = {
    name: `${snakeCase(resource.one)}_id`,
    type: 'text',
    about: `The ${resource.noun} it belongs to`,
    references: resource.name,
  };
  const location: ListLocation = {
    api: apiOf(resource),
    prefix: '',
    table: resource.name,
    resource: resource.name,
    owner,
    isExcluded: isHidden,
    holders: (record) => [{ id: String(record.id), record, owner: String(record.id) }],
  };
  return childTablesOfFields(resource.fields, location);
}

function childTablesOfFields(fields: Fields, location: ListLocation): ChildTable[] {
  return Object.entries(fields).flatMap(([name, field]): ChildTable[] => {
    const { inverseOf, secret, writeOnly } = field.traits;
    if (!listKinds.has(field.kind) || inverseOf || secret || writeOnly) return [];
    return childTablesOfField(name, field, location);
  });
}

function childTablesOfField(name: string, field: Field, location: ListLocation): ChildTable[] {
  switch (field.kind) {
    case 'many':
      return [defineLinkTable(name, field, location)];
    case 'ring':
      return [definePointsTable(name, field, location)];
    case 'objects':
      return nestedChildTables(name, field, location);
    default:
      return [defineValuesTable(name, field, location)];
  }
}

function nestedChildTables(name: string, field: Field, location: ListLocation): ChildTable[] {
  const { fields = {}, itemName = name } = field.traits;
  const path = `${location.prefix}${name}`;
  const topField = location.topField ?? name;
  const isHidden = (nestedName: string) =>
    location.isExcluded(path) || location.isExcluded(`${path}.${nestedName}`);
  const allReaders = scalarColumns(location.api, fields, isHidden);
  const readers: ColumnReader[] = allReaders.filter(({ column }) => column.name !== idColumn);
  const cellsOf = createRowReader(readers, namesOfColumns(fields, allReaders), location.api);
  const columns = readers.map(({ column }) => column);
  const position: Column = { name: 'position', type: 'bigint', about: 'Position in the list, from 0' };
  const nestedHolders = (record: Row): ListHolder[] | undefined => {
    const holders = location.holders(record);
    if (!holders || holders.every((holder) => !Array.isArray(holder.record[name]))) return undefined;
    return holders.flatMap((holder) => nestedHoldersIn(holder, name));
  };
  const table: Table = {
    name: `${location.table}_${name}`,
    about: field.traits.description ?? '',
    resource: location.resource,
    owner: location.owner.name,
    columns: [
      { name: idColumn, type: 'text', about: 'Its ID' },
      location.owner,
      position,
      ...columns,
      otherFieldsColumn,
    ],
  };
  const nestedTable: ChildTable = {
    table,
    field: location.parent ? undefined : name,
    hidden: location.isExcluded(path) ? 'all' : hiddenColumns(allReaders),
    rows: (record, mismatches) => {
      if (location.isExcluded(path)) return [];
      const holders = location.holders(record) ?? [];
      if (holders.some((holder) => !isListOfRecords(holder.record[name])))
        mismatches[topField] = record[topField];
      const rows = nestedHolders(record)?.map((holder, index): Cell[] => [
        ...[holder.id, holder.owner, index],
        ...cellsOf(holder.record, {}),
      ]);
      return rows && withUniqueIds(rows);
    },
  };
  const parent: Column = {
    name: `${itemName}_id`,
    type: 'text',
    about: 'The list item it belongs to',
    references: table.name,
  };
  const nestedLocation = {
    ...location,
    prefix: `${path}.`,
    table: table.name,
    parent,
    topField,
    holders: nestedHolders,
    isExcluded: location.isExcluded,
  };
  return [nestedTable, ...childTablesOfFields(fields, nestedLocation)];
}

function nestedHoldersIn({ record, id, owner }: ListHolder, name: string): ListHolder[] {
  const list = record[name];
  if (!Array.isArray(list)) return [];
  return list.flatMap((value: unknown, index): ListHolder[] => {
    if (!isNestedRecord(value)) return [];
    return [{ id: String(value.id ?? `${id}/${index}`), record: value, owner }];
  });
}

/** Returns whether every item of a list can be a row, or the record doesn't have the list. */
function isListOfRecords(value: unknown): boolean {
  return value === undefined || listItems(value)?.every(isNestedRecord) === true;
}

function isNestedRecord(value: unknown): value is Row {
  return isObject(value) && textCell(value.id) !== mismatch;
}

/**
 * Returns the relations to include, except those that the other resource's list returns: they would only make responses
 * longer.
 */
function includedRelations(fields: Fields, isHidden: (path: string) => boolean, prefix = ''): string[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const { kind, traits } = field;
    const path = `${prefix}${name}`;
    if (!isRelation(field) || traits.inverseOf || isHidden(path)) return [];
    return kind === 'objects'
      ? [path, ...includedRelations(traits.fields ?? {}, isHidden, `${path}.`)]
      : [path];
  });
}
