/**
 * From a resource of the contract to its tables: one of its own, one for each link and one for each nested list. What
 * another resource’s list shows as well, such as a customer’s addresses, has no table: it follows from that one.
 */
import { isObject } from '../../base/number-text.ts';
import { type Api, apiOf } from '../../contract/api.ts';
import type { Field, Fields } from '../../contract/field.ts';
import type { Resource } from '../../contract/resource.ts';
import { misfit, textCell } from './cell.ts';
import {
  type Child,
  type Item,
  linkChild,
  listIn,
  placesChild,
  toldApart,
  valuesChild,
  type Within,
} from './children.ts';
import { type Excluded, holdsExcluded, isExcluded, nothingExcluded } from './excluded.ts';
import {
  cellReader,
  hiddenColumns,
  knownNames,
  type Met,
  newMet,
  type Part,
  scalarParts,
  snakeCase,
} from './parts.ts';
import { type Cell, type Column, idColumn, otherColumn, type Table, walkColumn } from './table.ts';

/** Kinds that are rows of their own; where the other side declares the relation, they are rows of that. */
const listKinds = new Set(['words', 'integers', 'ids', 'ring', 'many', 'objects']);

export interface Mirrored {
  resource: Resource;
  main: Table;
  children: readonly Child[];
  /** All of its tables, the main one first. */
  tables: readonly Table[];
  /** All that a record is in the tables. `walk` is the number of the walk that showed it. */
  rows(record: Row, walk: number): RecordRows;
  /** Relations to ask for, so that answers show all that the tables hold. */
  includes: readonly string[];
  /** The names in the records so far that are kept beside. */
  met: Met;
  /** Columns of the main table that are left empty. */
  hidden: readonly string[];
  /** Whether the mirror leaves out a field, by its dotted name, of this resource or of another. */
  leavesOut(resource: string, path: string): boolean;
}

export interface RecordRows {
  /** Of the main table. */
  own: Cell[];
  /** Of each child, in their order; undefined where those of before stay. */
  lists: readonly (Cell[][] | undefined)[];
}

type Row = Record<string, unknown>;

/** Those of an API that have a list, in its order. */
export function mirrored(api: Api, excluded: Excluded = nothingExcluded): Mirrored[] {
  return api.collections
    .filter(({ list, fields }) => list !== undefined && Object.hasOwn(fields, idColumn))
    .map((resource) => mirroredResource(resource, excluded));
}

export function mirroredResource(resource: Resource, excluded: Excluded = nothingExcluded): Mirrored {
  const { name, fields, summary } = resource;
  const hidden = (path: string) => isExcluded(excluded, name, path);
  const parts = scalarParts(fields, hidden);
  const met = newMet();
  const isOtherHidden = hidden(otherColumn);
  const cellsOf = cellReader(
    parts,
    knownNames(fields, parts),
    apiOf(resource),
    isOtherHidden ? undefined : met,
  );
  const children = childrenOf(resource, hidden);
  const sought = soughtColumns(resource);
  const main: Table = {
    name,
    about: summary,
    columns: [
      ...parts.map(({ column }) => ({ ...column, isSought: sought.has(column.name) })),
      otherAbout,
      {
        name: walkColumn,
        type: 'bigint',
        about: 'The number of the last reading of the list that showed the record',
      },
    ],
  };
  return {
    resource,
    main,
    children,
    tables: [main, ...children.map(({ table }) => table)],
    rows: (record, walk) => {
      const misfits: Row = {};
      const lists = children.map((child) => child.rows(record, misfits));
      // What holds something that is left out can’t be kept beside without it.
      for (const field in misfits) if (holdsExcluded(excluded, name, field)) delete misfits[field];
      const own = cellsOf(record, misfits);
      if (isOtherHidden) own[own.length - 1] = null;
      own.push(walk);
      return { own, lists };
    },
    includes: includesOf(fields, hidden),
    met,
    hidden: [...hiddenColumns(parts), ...(isOtherHidden ? [otherColumn] : [])],
    leavesOut: (other, path) => isExcluded(excluded, other, path),
  };
}

/** Of relations to one record that the other side’s list shows as well. */
function soughtColumns(resource: Resource): ReadonlySet<string> {
  const fields = apiOf(resource).collections.flatMap((other) => Object.values(other.fields));
  const inverse = fields.filter(({ traits }) => traits.target === resource.name && traits.inverseOf);
  return new Set(inverse.map(({ traits }) => `${traits.inverseOf}_id`));
}

const otherAbout: Column = {
  name: otherColumn,
  type: 'text',
  about: 'What the service shows besides, or what fits no column: a JSON object',
};

/** Its links and nested lists, those inside of nested records among them. */
function childrenOf(resource: Resource, hidden: (path: string) => boolean): Child[] {
  const owner: Column = {
    name: `${snakeCase(resource.one)}_id`,
    type: 'text',
    about: `The ${resource.noun} that it belongs to`,
  };
  const within: Within = {
    api: apiOf(resource),
    prefix: '',
    table: resource.name,
    owner,
    hidden,
    items: (record) => [{ id: String(record.id), record, owner: String(record.id) }],
  };
  return listsIn(resource.fields, within);
}

function listsIn(fields: Fields, within: Within): Child[] {
  return Object.entries(fields).flatMap(([name, field]): Child[] => {
    const { inverseOf, secret, writeOnly } = field.traits;
    if (!listKinds.has(field.kind) || inverseOf || secret || writeOnly) return [];
    return childrenFor(name, field, within);
  });
}

function childrenFor(name: string, field: Field, within: Within): Child[] {
  switch (field.kind) {
    case 'many':
      return [linkChild(name, field, within)];
    case 'ring':
      return [placesChild(name, field, within)];
    case 'objects':
      return nestedChildren(name, field, within);
    default:
      return [valuesChild(name, field, within)];
  }
}

/** A table of the nested records, and those of the lists inside them. */
function nestedChildren(name: string, field: Field, within: Within): Child[] {
  const { fields = {}, each = name } = field.traits;
  const path = `${within.prefix}${name}`;
  const top = within.top ?? name;
  const hidden = (inner: string) => within.hidden(path) || within.hidden(`${path}.${inner}`);
  const all = scalarParts(fields, hidden);
  const parts: Part[] = all.filter(({ column }) => column.name !== idColumn);
  const cellsOf = cellReader(parts, knownNames(fields, all), within.api);
  const columns = parts.map(({ column }) => column);
  const position: Column = { name: 'position', type: 'bigint', about: 'Its place in the list, from 0' };
  const items = (record: Row): Item[] | undefined => {
    const holders = within.items(record);
    if (!holders || holders.every((holder) => !Array.isArray(holder.record[name]))) return undefined;
    return holders.flatMap((holder) => itemsIn(holder, name));
  };
  const table: Table = {
    name: `${within.table}_${name}`,
    about: field.traits.about ?? '',
    owner: within.owner.name,
    columns: [
      { name: idColumn, type: 'text', about: 'Its id' },
      within.owner,
      position,
      ...columns,
      otherAbout,
    ],
  };
  const own: Child = {
    table,
    field: within.parent ? undefined : name,
    hidden: within.hidden(path) ? 'all' : hiddenColumns(all),
    rows: (record, misfits) => {
      if (within.hidden(path)) return [];
      const holders = within.items(record) ?? [];
      if (holders.some((holder) => !isListOfRecords(holder.record[name]))) misfits[top] = record[top];
      const rows = items(record)?.map((item, at): Cell[] => [
        ...[item.id, item.owner, at],
        ...cellsOf(item.record, {}),
      ]);
      return rows && toldApart(rows);
    },
  };
  const parent: Column = { name: `${each}_id`, type: 'text', about: 'The one of the list that has it' };
  const inside = {
    ...within,
    prefix: `${path}.`,
    table: table.name,
    parent,
    top,
    items,
    hidden: within.hidden,
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

/** What is shown of such a list, if anything is, has a row each. */
function isListOfRecords(value: unknown): boolean {
  return value === undefined || listIn(value)?.every(isNestedRecord) === true;
}

function isNestedRecord(value: unknown): value is Row {
  return isObject(value) && textCell(value.id) !== misfit;
}

/** Without what is the other side’s to show: it would only make answers longer. */
function includesOf(fields: Fields, hidden: (path: string) => boolean, prefix = ''): string[] {
  return Object.entries(fields).flatMap(([name, { kind, traits }]) => {
    const path = `${prefix}${name}`;
    if (!traits.includable || traits.inverseOf || hidden(path)) return [];
    return kind === 'objects' ? [path, ...includesOf(traits.fields ?? {}, hidden, `${path}.`)] : [path];
  });
}
