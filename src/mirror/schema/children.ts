/** Tables that belong to a record: its links to others with what the link holds, and its lists of values. */
import { isObject } from '../../base/number-text.ts';
import type { Api } from '../../contract/api.ts';
import type { Field, Fields } from '../../contract/field.ts';
import { misfit, scalars, textCell } from './cell.ts';
import { aboutOf, cellReader, knownNames, scalarParts, snakeCase } from './parts.ts';
import { type Cell, type Column, idColumn, otherColumn, type Table } from './table.ts';

/** Where the lists stand of which tables are made: in a record itself, or in the nested records of one of its lists. */
export interface Within {
  api: Api;
  /** Of dotted names. */
  prefix: string;
  /** The table whose rows they belong to. */
  table: string;
  /** The column with the id of the record that all of it belongs to. */
  owner: Column;
  /** Between that record and the list: the column with the id of the nested record. */
  parent?: Column;
  hidden(path: string): boolean;
  /** The field of a record that all of it is in. */
  top?: string;
  /** The records that hold the list, in one record of the resource; undefined where the answer doesn’t show them. */
  items(record: Readonly<Record<string, unknown>>): readonly Item[] | undefined;
}

export interface Item {
  id: string;
  record: Record<string, unknown>;
  /** The id of the record that it is part of. */
  owner: string;
}

type Row = Record<string, unknown>;

export interface Child {
  table: Table;
  /** The field of a record that its rows are; undefined where that is in a nested record. */
  field: string | undefined;
  /** What of it is left out: its rows, or some of their columns. */
  hidden: 'all' | readonly string[];
  /**
   * All rows of one record; undefined where the answer doesn’t show them, so that those of before stay. Where some of the
   * list is no row, all of it goes into `misfits` as well, by the record’s field.
   */
  rows(record: Row, misfits: Row): Cell[][] | undefined;
}

const id: Column = { name: idColumn, type: 'text', about: 'Made of the ids of both ends' };
const ownId: Column = {
  name: idColumn,
  type: 'text',
  about: 'Made of the record’s id and the place in the list',
};
const position: Column = { name: 'position', type: 'bigint', about: 'Its place in the list, from 0' };

/** `customers_tags`: the ids of both ends, and what the link holds. */
export function linkChild(name: string, field: Field, within: Within): Child {
  const { pivot = {}, target = '', each } = field.traits;
  const ends = [within.owner, ...(within.parent ? [within.parent] : [])];
  const { api } = within;
  const far = `${each ?? snakeCase(api.resource(target)?.one ?? api.reference(target)?.one ?? target)}_id`;
  const taken = new Set([...ends.map((end) => end.name), far]);
  const isHidden = within.hidden(within.prefix + name);
  // What repeats the ids of the ends is there already.
  const held: Fields = Object.fromEntries(Object.entries(pivot).filter(([inner]) => !taken.has(inner)));
  const parts = scalarParts(held, () => false);
  const hasPivot = Object.keys(pivot).length > 0;
  const cellsOf = cellReader(parts, new Set([...knownNames(pivot, parts), ...taken]), within.api);
  const noun = within.api.nounOf(target);
  const table: Table = {
    name: `${within.table}_${name}`,
    about: aboutOf(field),
    owner: within.owner.name,
    far,
    columns: [
      id,
      ...ends,
      { name: far, type: 'text', about: `The ${noun} at the other end` },
      ...parts.map(({ column }) => column),
      ...(hasPivot
        ? [{ name: otherColumn, type: 'text', about: 'What else the link holds: a JSON object' } as const]
        : []),
    ],
  };
  return {
    table,
    field: within.parent ? undefined : name,
    hidden: isHidden ? 'all' : [],
    rows: listed(name, within, isHidden, (item, linked) => {
      const far = textCell(isObject(linked) ? linked.id : linked);
      if (far === misfit || far === null) return undefined;
      const row = [`${item.id}/${far}`, ...endsOf(item, within), far];
      if (!hasPivot) return row;
      const pivot = isObject(linked) && isObject(linked.pivot) ? linked.pivot : {};
      return [...row, ...cellsOf(pivot, {})];
    }),
  };
}

/** The ids of the records that an entry of a list belongs to. */
function endsOf({ id, owner }: Item, { parent }: Within): Cell[] {
  return parent ? [owner, id] : [owner];
}

/** `users_notifications`, `timed_events_order_types`: a value in each row. */
export function valuesChild(name: string, field: Field, within: Within): Child {
  const isNumber = field.kind === 'integers';
  const value: Column = {
    name: 'value',
    type: isNumber ? 'bigint' : 'text',
    about: field.kind === 'ids' ? 'An id' : 'The value',
    words: isNumber ? field.traits.words : undefined,
  };
  const convert = scalars[isNumber ? 'integer' : 'text']?.convert ?? textCell;
  return listChild(name, field, within, [value], (each) => {
    const cell = convert(isObject(each) ? (each.id ?? each.name) : each);
    return cell === misfit ? undefined : [cell];
  });
}

/** `delivery_zones_coordinates`: a point of the border in each row. */
export function placesChild(name: string, field: Field, within: Within): Child {
  const columns: Column[] = [
    { name: 'longitude', type: 'numeric', about: 'Longitude; in degrees' },
    { name: 'latitude', type: 'numeric', about: 'Latitude; in degrees' },
  ];
  const convert = scalars.decimal?.convert ?? textCell;
  return listChild(name, field, within, columns, (each) => {
    const cells = Array.isArray(each) ? each.slice(0, 2).map(convert) : [];
    const [longitude, latitude] = cells;
    if (longitude === undefined || latitude === undefined || longitude === misfit || latitude === misfit)
      return undefined;
    return [longitude, latitude];
  });
}

function listChild(
  name: string,
  field: Field,
  within: Within,
  columns: readonly Column[],
  cellsOf: (each: unknown) => Cell[] | undefined,
): Child {
  const isHidden = within.hidden(within.prefix + name);
  const ends = [within.owner, ...(within.parent ? [within.parent] : [])];
  return {
    table: {
      name: `${within.table}_${name}`,
      about: aboutOf(field),
      owner: within.owner.name,
      columns: [ownId, ...ends, position, ...columns],
    },
    field: within.parent ? undefined : name,
    hidden: isHidden ? 'all' : [],
    rows: listed(
      name,
      within,
      isHidden,
      (item, each, at) => {
        const cells = cellsOf(each);
        return cells && [`${item.id}/${at}`, ...endsOf(item, within), at, ...cells];
      },
      field.kind === 'ring',
    ),
  };
}

/** The rows of a list: `make` makes each, its id first; undefined where an entry of the list is none. */
function listed(
  name: string,
  within: Within,
  isHidden: boolean,
  make: (item: Item, each: unknown, at: number) => Cell[] | undefined,
  isRing = false,
): Child['rows'] {
  const top = within.top ?? name;
  return (record, misfits) => {
    if (isHidden) return [];
    const items = within.items(record);
    if (items === undefined) return undefined;
    const rows: Cell[][] = [];
    let isShown = items.length === 0;
    for (const item of items) {
      const value = item.record[name];
      if (value === undefined) continue;
      isShown = true;
      const list = listIn(value, isRing);
      if (!list) misfits[top] = record[top];
      else {
        for (let at = 0; at < list.length; at++) {
          const row = make(item, list[at], at);
          if (row) rows.push(row);
          else misfits[top] = record[top];
        }
      }
    }
    if (!isShown) return undefined;
    return toldApart(rows);
  };
}

/** A line of an order may stand there twice: the second one’s id says so. */
export function toldApart(rows: Cell[][]): Cell[][] {
  if (rows.length < 2) return rows;
  const times = new Map<Cell | undefined, number>();
  for (const row of rows) {
    const key = row[0];
    const time = (times.get(key) ?? 0) + 1;
    times.set(key, time);
    if (time > 1) row[0] = `${key}/${time}`;
  }
  return rows;
}

/** A single pair may stand where a list of pairs does (docs/reference/deployments.md: "Values"). Undefined where it is no list. */
export function listIn(value: unknown, isRing = false): readonly unknown[] | undefined {
  if (value === null) return [];
  if (!Array.isArray(value)) return undefined;
  return isRing && value.length > 0 && !Array.isArray(value[0]) ? [value] : value;
}
