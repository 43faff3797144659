/**
 * Derives the columns of a record's own fields, the function that reads each from a response, and the JSON of fields
 * without a column.
 */
import { isObject } from '../../base/number-text.ts';
import type { Api } from '../../contract/api.ts';
import type { Field, Fields } from '../../contract/field.ts';
import { redactorOfAll } from '../../contract/redaction.ts';
import { type Converted, mismatch, scalars, textCell } from './cell.ts';
import type { Cell, Column } from './table.ts';

type Row = Record<string, unknown>;

/** One column, and how it is read from a record. */
export interface ColumnReader {
  column: Column;
  /** The names in a response that this column stores. */
  names: readonly string[];
  /** Whether the mirror excludes the column. */
  isHidden?: true;
  /** Returns the cell. A value that doesn't fit the column is added to `mismatches` by field name. */
  read(record: Row, mismatches: Row): Cell;
}

/**
 * Returns the columns of scalar values, relations to one record, and fields inside objects. Lists have tables of
 * their own.
 */
export function scalarColumns(
  fields: Fields,
  isHidden: (path: string) => boolean,
  prefix = '',
): ColumnReader[] {
  return Object.entries(fields).flatMap(([name, field]): ColumnReader[] => {
    const { secret, writeOnly, fields: inside } = field.traits;
    if (secret || writeOnly) return [];
    const path = `${prefix}${name}`;
    if (field.kind === 'object') {
      return scalarColumns(inside ?? {}, isHidden, `${path}.`).map((reader) => insideObject(name, reader));
    }
    const reader = field.kind === 'one' ? relationColumn(name, field) : valueColumn(name, field);
    if (!reader) return [];
    return [isHidden(path) ? { ...reader, isHidden: true } : reader];
  });
}

function valueColumn(name: string, field: Field): ColumnReader | undefined {
  const scalar = scalars[field.kind];
  if (!scalar) return undefined;
  const { type, convert } = scalar;
  const column = { name, type, about: aboutOf(field), words: field.traits.words };
  return {
    column,
    names: [name],
    read: (record, mismatches) => {
      const cell = convert(record[name]);
      if (cell !== mismatch) return cell;
      mismatches[name] = record[name];
      return null;
    },
  };
}

/**
 * Reads the ID of a related record. A response contains the record, or only its ID under the name that requests use.
 */
function relationColumn(name: string, field: Field): ColumnReader {
  const own = `${name}_id`;
  return {
    column: { name: own, type: 'text', about: `${aboutOf(field)}: its ID` },
    names: [name, own],
    read: (record, mismatches) => {
      const related = record[name];
      const cell: Converted = isObject(related)
        ? textCell(related.id)
        : textCell(related === undefined ? record[own] : related);
      if (cell !== mismatch) return cell;
      mismatches[name] = related;
      return null;
    },
  };
}

/** Reads a field inside an object: `licenses.kds` is the column `licenses_kds`. */
function insideObject(name: string, reader: ColumnReader): ColumnReader {
  return {
    column: { ...reader.column, name: `${name}_${reader.column.name}` },
    names: [name],
    ...(reader.isHidden && { isHidden: true }),
    read: (record, mismatches) => {
      const inner = record[name];
      if (isObject(inner)) return reader.read(inner, mismatches);
      if (inner !== null && inner !== undefined) mismatches[name] = inner;
      return null;
    },
  };
}

/** Returns the names in a response that have a column or a table. */
export function knownNames(fields: Fields, readers: readonly ColumnReader[]): ReadonlySet<string> {
  return new Set([...Object.keys(fields), ...readers.flatMap(({ names }) => names), 'pivot']);
}

/** Returns the columns that the mirror excludes. */
export function hiddenColumns(readers: readonly ColumnReader[]): string[] {
  return readers.filter(({ isHidden }) => isHidden).map(({ column }) => column.name);
}

/** Returns the description of a field, with the unit of a number. */
export function aboutOf({ traits: { description = '', unit } }: Field): string {
  return unit === undefined ? description : `${description}, in ${unit}`;
}

/** Returns a name with underscores in place of hyphens and spaces. */
export function snakeCase(name: string): string {
  return name.replaceAll(/[- ]/g, '_');
}

/** Names of fields in records that don't match the contract. */
export interface UnusualFields {
  /** Fields that the contract doesn't have. */
  unknown: Set<string>;
  /** Fields with a value that doesn't fit their column or table. */
  mismatched: Set<string>;
}

/** Returns an empty collection. */
export function newUnusualFields(): UnusualFields {
  return { unknown: new Set(), mismatched: new Set() };
}

/**
 * Returns a function that reads a cell for each column of a record, and one more cell with the rest as JSON (fields other than the `known` names, and values that don't fit), or null if there is no rest. Values that don't fit are added to
 * `mismatches`, which may already contain others. The names of both are added to `unusual`.
 */
export function rowReader(
  readers: readonly ColumnReader[],
  known: ReadonlySet<string>,
  api: Api,
  unusual: UnusualFields = newUnusualFields(),
): (record: Row, mismatches: Row) => Cell[] {
  // A service may return secrets by mistake: they are redacted here.
  const redacted = redactorOfAll(api);
  const indexes = indexesByName(readers, known);
  return (record, mismatches) => {
    const cells: Cell[] = readers.map(() => null);
    const unknown: [name: string, value: unknown][] = [];
    for (const name in record) {
      const read = indexes.get(name);
      if (read) for (const at of read) cells[at] = readers[at]?.read(record, mismatches) ?? null;
      else unknown.push([name, record[name]]);
    }
    for (const name in mismatches) unusual.mismatched.add(name);
    for (const [name] of unknown) unusual.unknown.add(name);
    // Created from entries, because a field may be called `__proto__`.
    const others = { ...mismatches, ...Object.fromEntries(unknown) };
    cells.push(Object.keys(others).length === 0 ? null : JSON.stringify(redacted(others)));
    return cells;
  };
}

/** Returns the indexes of the columns that read each name; empty for a name that is stored elsewhere. */
function indexesByName(
  readers: readonly ColumnReader[],
  known: ReadonlySet<string>,
): ReadonlyMap<string, number[]> {
  const indexes = new Map<string, number[]>([...known].map((name) => [name, []]));
  for (const [at, { names, isHidden }] of readers.entries()) {
    for (const name of names) indexes.set(name, [...(indexes.get(name) ?? []), ...(isHidden ? [] : [at])]);
  }
  return indexes;
}
