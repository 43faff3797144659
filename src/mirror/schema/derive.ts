/**
 * From a resource of the contract to its tables: one of its own, one for each link and one for each nested list. What
 * another resource’s list shows as well, such as a customer’s addresses, has no table: it follows from that one.
 */
import type { Api } from '../../contract/api.ts';
import { apiOf } from '../../contract/api.ts';
import type { Field, Fields } from '../../contract/field.ts';
import type { Resource } from '../../contract/resource.ts';
import { type Child, linkChild, placesChild, valuesChild } from './children.ts';
import { type Excluded, isExcluded, nothingExcluded } from './excluded.ts';
import { hiddenColumns, knownNames, othersBeside, type Part, scalarParts, snakeCase } from './parts.ts';
import { type Cell, type Column, idColumn, otherColumn, type Table, walkColumn } from './table.ts';
import type { Item, Within } from './within.ts';

/** Kinds that are rows of their own; where the other side declares the relation, they are rows of that. */
const listKinds = new Set(['words', 'integers', 'ids', 'ring', 'many', 'objects']);

export interface Mirrored {
  resource: Resource;
  main: Table;
  children: readonly Child[];
  /** All of its tables, the main one first. */
  tables: readonly Table[];
  /** The row of a record. `walk` is the number of the walk that showed it. */
  row(record: Row, walk: number): Cell[];
  /** Relations to ask for, so that answers show all that the tables hold. */
  includes: readonly string[];
  /** The names in the records so far that nothing stands for. */
  unknown: ReadonlySet<string>;
  /** Columns of the main table that are left empty. */
  hidden: readonly string[];
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
  const met = new Set<string>();
  const other = othersBeside(knownNames(fields, parts), apiOf(resource), met);
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
  const isOtherHidden = hidden(otherColumn);
  return {
    resource,
    main,
    children,
    tables: [main, ...children.map(({ table }) => table)],
    row: (record, walk) => {
      const misfits: Row = {};
      const cells = parts.map((part) => part.read(record, misfits));
      cells.push(isOtherHidden ? null : other(record, misfits), walk);
      return cells;
    },
    includes: includesOf(fields, hidden),
    unknown: met,
    hidden: [...hiddenColumns(parts), ...(isOtherHidden ? [otherColumn] : [])],
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
  const hidden = (inner: string) => within.hidden(path) || within.hidden(`${path}.${inner}`);
  const parts: Part[] = scalarParts(fields, hidden);
  const other = othersBeside(knownNames(fields, parts), within.api);
  const columns = parts.map(({ column }) => column).filter((column) => column.name !== idColumn);
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
    hidden: within.hidden(path) ? 'all' : hiddenColumns(parts),
    rows: (record) =>
      within.hidden(path)
        ? []
        : items(record)?.map((item, at) => {
            const misfits: Row = {};
            const cells = parts
              .filter(({ column }) => column.name !== idColumn)
              .map((part) => part.read(item.record, misfits));
            return [item.id, item.owner, at, ...cells, other(item.record, misfits)];
          }),
  };
  const parent: Column = { name: `${each}_id`, type: 'text', about: 'The one of the list that has it' };
  const inside = { ...within, prefix: `${path}.`, table: table.name, parent, items, hidden: within.hidden };
  return [own, ...listsIn(fields, inside)];
}

function itemsIn({ record, id, owner }: Item, name: string): Item[] {
  const list = record[name];
  if (!Array.isArray(list)) return [];
  return list.flatMap((each: unknown, at): Item[] => {
    if (typeof each !== 'object' || each === null || Array.isArray(each)) return [];
    const own = (each as Row).id;
    return [
      { id: own === undefined || own === null ? `${id}/${at}` : String(own), record: each as Row, owner },
    ];
  });
}

/** Without what is the other side’s to show: it would only make answers longer. */
function includesOf(fields: Fields, hidden: (path: string) => boolean, prefix = ''): string[] {
  return Object.entries(fields).flatMap(([name, { kind, traits }]) => {
    const path = `${prefix}${name}`;
    if (!traits.includable || traits.inverseOf || hidden(path)) return [];
    return kind === 'objects' ? [path, ...includesOf(traits.fields ?? {}, hidden, `${path}.`)] : [path];
  });
}
