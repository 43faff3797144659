/**
 * Defines the tables that belong to a record's table: its links to other records, with the data of each link, and its
 * lists of values.
 */

import type { Api } from '../../../api/contract/api.ts';
import type { Field, Fields } from '../../../api/contract/field.ts';
import { isObject } from '../../../base/number-text.ts';
import { mismatch, scalars, textCell } from './cell.ts';
import {
  createRowReader,
  descriptionOf,
  namesOfColumns,
  scalarColumns,
  snakeCase,
  tableOf,
} from './columns.ts';
import { type Cell, type Column, idColumn, otherColumn, type Table } from './table.ts';

/** The location of a list: in the record itself, or in the nested records of one of its lists. */
export interface ListLocation {
  api: Api;
  /** The prefix of dotted field names, such as `options.`; empty for the record itself. */
  prefix: string;
  /** The name of the parent table. */
  table: string;
  /** The name of the record's resource. */
  resource: string;
  /** The column with the ID of the record that the rows belong to. */
  owner: Column;
  /** The column with the ID of the nested record that has the list, if it is in one. */
  parent?: Column;
  /** Returns whether the mirror excludes the field with this dotted name. */
  isExcluded(path: string): boolean;
  /** The record's field that contains the list, if it is in a nested record. */
  topField?: string;
  /**
   * Returns the records that have the list, within one record of the resource; undefined if the response doesn't
   * include them.
   */
  holders(record: Readonly<Record<string, unknown>>): readonly ListHolder[] | undefined;
}

/** A record that has a list: the record of the resource itself, or a nested one. */
export interface ListHolder {
  id: string;
  record: Record<string, unknown>;
  /** The ID of the record of the resource that it is part of. */
  owner: string;
}

type Row = Record<string, unknown>;

/** A table that belongs to a record's table. */
export interface ChildTable {
  table: Table;
  /** The record's field that its rows come from; undefined if the list is in a nested record. */
  field: string | undefined;
  /** The part that the mirror excludes: all rows, or the named columns. */
  hidden: 'all' | readonly string[];
  /**
   * Returns all rows of one record. Returns undefined if the response doesn't include them: the rows in the mirror are
   * then kept. If an item of the list can't be a row, the whole field is also added to `mismatches`.
   */
  rows(record: Row, mismatches: Row): Cell[][] | undefined;
}

const linkIdColumn: Column = { name: idColumn, type: 'text', about: 'The IDs of both records' };
const itemIdColumn: Column = {
  name: idColumn,
  type: 'text',
  about: "The record's ID and the position in the list",
};
const positionColumn: Column = { name: 'position', type: 'bigint', about: 'Position in the list, from 0' };

/** Defines a link table such as `customers_tags`: the IDs of both records, and the data of the link. */
export function defineLinkTable(name: string, field: Field, location: ListLocation): ChildTable {
  const { pivot = {}, target = '', itemName } = field.traits;
  const idColumns = [location.owner, ...(location.parent ? [location.parent] : [])];
  const { api } = location;
  const linkedColumn = `${itemName ?? snakeCase(api.resource(target)?.one ?? api.reference(target)?.one ?? target)}_id`;
  const reservedNames = new Set([...idColumns.map((column) => column.name), linkedColumn]);
  const isHidden = location.isExcluded(location.prefix + name);
  // The IDs of both records already have columns.
  const pivotFields: Fields = Object.fromEntries(
    Object.entries(pivot).filter(([pivotName]) => !reservedNames.has(pivotName)),
  );
  const readers = scalarColumns(api, pivotFields, () => false);
  const hasPivot = Object.keys(pivot).length > 0;
  const cellsOf = createRowReader(
    readers,
    new Set([...namesOfColumns(pivot, readers), ...reservedNames]),
    location.api,
  );
  const noun = location.api.nounOf(target);
  const table: Table = {
    name: `${location.table}_${name}`,
    about: descriptionOf(field),
    resource: location.resource,
    owner: location.owner.name,
    linked: linkedColumn,
    columns: [
      linkIdColumn,
      ...idColumns,
      { name: linkedColumn, type: 'text', about: `The linked ${noun}`, references: tableOf(api, target) },
      ...readers.map(({ column }) => column),
      ...(hasPivot
        ? [{ name: otherColumn, type: 'text', about: 'Other data of the link: a JSON object' } as const]
        : []),
    ],
  };
  return {
    table,
    field: location.parent ? undefined : name,
    hidden: isHidden ? 'all' : [],
    rows: listRows(name, location, isHidden, (holder, linked) => {
      const linkedId = textCell(isObject(linked) ? linked.id : linked);
      if (linkedId === mismatch || linkedId === null) return undefined;
      const row = [`${holder.id}/${linkedId}`, ...ownerIds(holder, location), linkedId];
      if (!hasPivot) return row;
      const pivot = isObject(linked) && isObject(linked.pivot) ? linked.pivot : {};
      return [...row, ...cellsOf(pivot, {})];
    }),
  };
}

/** Returns the IDs of the records that an item of the holder's list belongs to. */
function ownerIds({ id, owner }: ListHolder, { parent }: ListLocation): Cell[] {
  return parent ? [owner, id] : [owner];
}

/** Defines a table of values such as `users_notifications` or `timed_events_order_types`: one value per row. */
export function defineValuesTable(name: string, field: Field, location: ListLocation): ChildTable {
  const isNumber = field.kind === 'integers';
  const value: Column = {
    name: 'value',
    type: isNumber ? 'bigint' : 'text',
    about: field.kind === 'ids' ? 'An ID' : 'A value',
    references: tableOf(location.api, field.traits.target),
    words: isNumber ? field.traits.words : undefined,
  };
  const convert = scalars[isNumber ? 'integer' : 'text']?.convert ?? textCell;
  return defineListTable(name, field, location, [value], (item) => {
    const cell = convert(isObject(item) ? (item.id ?? item.name) : item);
    return cell === mismatch ? undefined : [cell];
  });
}

/** Defines a table such as `delivery_zones_coordinates`: one point of the boundary per row. */
export function definePointsTable(name: string, field: Field, location: ListLocation): ChildTable {
  const columns: Column[] = [
    { name: 'longitude', type: 'numeric', about: 'Longitude, in degrees' },
    { name: 'latitude', type: 'numeric', about: 'Latitude, in degrees' },
  ];
  const convert = scalars.decimal?.convert ?? textCell;
  return defineListTable(name, field, location, columns, (item) => {
    const cells = Array.isArray(item) ? item.slice(0, 2).map(convert) : [];
    const [longitude, latitude] = cells;
    if (longitude === undefined || latitude === undefined || longitude === mismatch || latitude === mismatch)
      return undefined;
    return [longitude, latitude];
  });
}

function defineListTable(
  name: string,
  field: Field,
  location: ListLocation,
  columns: readonly Column[],
  cellsOf: (item: unknown) => Cell[] | undefined,
): ChildTable {
  const isHidden = location.isExcluded(location.prefix + name);
  const idColumns = [location.owner, ...(location.parent ? [location.parent] : [])];
  return {
    table: {
      name: `${location.table}_${name}`,
      about: descriptionOf(field),
      resource: location.resource,
      owner: location.owner.name,
      columns: [itemIdColumn, ...idColumns, positionColumn, ...columns],
    },
    field: location.parent ? undefined : name,
    hidden: isHidden ? 'all' : [],
    rows: listRows(
      name,
      location,
      isHidden,
      (holder, item, index) => {
        const cells = cellsOf(item);
        return cells && [`${holder.id}/${index}`, ...ownerIds(holder, location), index, ...cells];
      },
      field.kind === 'ring',
    ),
  };
}

/**
 * Returns the `rows` function of a list. `createRow` returns one row, its ID first, or undefined if an item can't be a
 * row.
 */
function listRows(
  name: string,
  location: ListLocation,
  isHidden: boolean,
  createRow: (holder: ListHolder, item: unknown, index: number) => Cell[] | undefined,
  isRing = false,
): ChildTable['rows'] {
  const topField = location.topField ?? name;
  return (record, mismatches) => {
    if (isHidden) return [];
    const holders = location.holders(record);
    if (holders === undefined) return undefined;
    const rows: Cell[][] = [];
    let isIncluded = holders.length === 0;
    for (const holder of holders) {
      const value = holder.record[name];
      if (value === undefined) continue;
      isIncluded = true;
      const list = listItems(value, isRing);
      if (!list) mismatches[topField] = record[topField];
      else {
        for (let index = 0; index < list.length; index++) {
          const row = createRow(holder, list[index], index);
          if (row) rows.push(row);
          else mismatches[topField] = record[topField];
        }
      }
    }
    if (!isIncluded) return undefined;
    return withUniqueIds(rows);
  };
}

/** Makes the IDs of rows unique: if an item is in the list twice, a number is appended to its second ID. */
export function withUniqueIds(rows: Cell[][]): Cell[][] {
  if (rows.length < 2) return rows;
  const counts = new Map<Cell | undefined, number>();
  for (const row of rows) {
    const key = row[0];
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    if (count > 1) row[0] = `${key}/${count}`;
  }
  return rows;
}

/**
 * Returns the items of a list, or undefined if the value isn't a list. One pair counts as a list of pairs
 * (docs/reference/deployments.md: "Values").
 */
export function listItems(value: unknown, isRing = false): readonly unknown[] | undefined {
  if (value === null) return [];
  if (!Array.isArray(value)) return undefined;
  return isRing && value.length > 0 && !Array.isArray(value[0]) ? [value] : value;
}
