/**
 * Derives the columns of a record's own fields, the function that reads each from a response, and the JSON of fields
 * without a column.
 */

import type { Api } from '../../../api/contract/api.ts';
import type { Field, Fields } from '../../../api/contract/field.ts';
import { redactorOfAll } from '../../../api/contract/redaction.ts';
import { isObject } from '../../../base/number-text.ts';
import { type ConvertedCell, mismatch, scalars, textCell } from './cell.ts';
import type { Cell, Column } from './table.ts';

type Row = Record<string, unknown>;

/** A column, and the function that reads its cell from a record. */
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
 * Returns the columns of single values, relations to one record, and fields inside objects. Lists have separate tables.
 */
export function scalarColumns(
  api: Api,
  fields: Fields,
  isHidden: (path: string) => boolean,
  prefix = '',
): ColumnReader[] {
  return Object.entries(fields).flatMap(([name, field]): ColumnReader[] => {
    const { secret, writeOnly, fields: nestedFields } = field.traits;
    if (secret || writeOnly) return [];
    const path = `${prefix}${name}`;
    if (field.kind === 'object') {
      return scalarColumns(api, nestedFields ?? {}, isHidden, `${path}.`).map((reader) =>
        nestedReader(name, reader),
      );
    }
    const reader = field.kind === 'one' ? relationColumn(api, name, field) : valueColumn(name, field);
    if (!reader) return [];
    return [isHidden(path) ? { ...reader, isHidden: true } : reader];
  });
}

function valueColumn(name: string, field: Field): ColumnReader | undefined {
  const scalar = scalars[field.kind];
  if (!scalar) return undefined;
  const { type, convert } = scalar;
  const column = { name, type, about: descriptionOf(field), words: field.traits.words };
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
 * Returns the column for the ID of a related record. A response contains the record, or only its ID under the name that
 * requests use.
 */
function relationColumn(api: Api, name: string, field: Field): ColumnReader {
  const idName = `${name}_id`;
  return {
    column: {
      name: idName,
      type: 'text',
      about: `${descriptionOf(field)}: its ID`,
      references: tableOf(api, field.traits.target),
    },
    names: [name, idName],
    read: (record, mismatches) => {
      const related = record[name];
      const cell: ConvertedCell = isObject(related)
        ? textCell(related.id)
        : textCell(related === undefined ? record[idName] : related);
      if (cell !== mismatch) return cell;
      mismatches[name] = related;
      return null;
    },
  };
}

/** Returns the table with the records of a relation's target; undefined if the mirror has none. */
export function tableOf(api: Api, target: string | undefined): string | undefined {
  if (target === undefined) return undefined;
  const list = (api.resource(target) ?? api.listOfReference(target))?.list;
  return list || api.reference(target)?.isNamed ? target : undefined;
}

/** Returns the column for a field inside an object: `licenses.kds` is the column `licenses_kds`. */
function nestedReader(name: string, reader: ColumnReader): ColumnReader {
  return {
    column: { ...reader.column, name: `${name}_${reader.column.name}` },
    names: [name],
    ...(reader.isHidden && { isHidden: true }),
    read: (record, mismatches) => {
      const nestedValue = record[name];
      if (isObject(nestedValue)) return reader.read(nestedValue, mismatches);
      if (nestedValue !== null && nestedValue !== undefined) mismatches[name] = nestedValue;
      return null;
    },
  };
}

export function namesOfColumns(fields: Fields, readers: readonly ColumnReader[]): ReadonlySet<string> {
  return new Set([...Object.keys(fields), ...readers.flatMap(({ names }) => names), 'pivot']);
}

export function hiddenColumns(readers: readonly ColumnReader[]): string[] {
  return readers.filter(({ isHidden }) => isHidden).map(({ column }) => column.name);
}

export function descriptionOf({ traits: { description = '', unit } }: Field): string {
  return unit === undefined ? description : `${description}, in ${unit}`;
}

/** Returns a name with underscores in place of hyphens and spaces. */
export function snakeCase(name: string): string {
  return name.replaceAll(/[- ]/g, '_');
}

/** The names of fields in records that don't match the contract. */
export interface UnusualFields {
  /** The fields that the contract doesn't have. */
  unknown: Set<string>;
  /** The fields with a value that doesn't fit their column or table. */
  mismatched: Set<string>;
}

/** Returns an empty collection. */
export function newUnusualFields(): UnusualFields {
  return { unknown: new Set(), mismatched: new Set() };
}

/**
 * Returns a function that reads a record's cell for each column, and one more cell: the JSON of fields that aren't
 * `coveredNames` and of values that don't fit, or null if there are none. Values that don't fit are added to `mismatches`,
 * which may already contain some. The names of both are added to `unusual`.
 */
export function createRowReader(
  readers: readonly ColumnReader[],
  coveredNames: ReadonlySet<string>,
  api: Api,
  unusual: UnusualFields = newUnusualFields(),
): (record: Row, mismatches: Row) => Cell[] {
  // A service may return secrets by mistake: they are redacted here.
  const redact = redactorOfAll(api);
  const indexes = indexesByName(readers, coveredNames);
  return (record, mismatches) => {
    const cells: Cell[] = readers.map(() => null);
    const unknownFields: [name: string, value: unknown][] = [];
    for (const name in record) {
      const columnIndexes = indexes.get(name);
      if (columnIndexes)
        for (const index of columnIndexes) cells[index] = readers[index]?.read(record, mismatches) ?? null;
      else unknownFields.push([name, record[name]]);
    }
    for (const name in mismatches) unusual.mismatched.add(name);
    for (const [name] of unknownFields) unusual.unknown.add(name);
    // The object is created from entries, because a field may be named `__proto__`.
    const otherFields = { ...mismatches, ...Object.fromEntries(unknownFields) };
    cells.push(Object.keys(otherFields).length === 0 ? null : JSON.stringify(redact(otherFields)));
    return cells;
  };
}

/** Returns the indexes of the columns that read each name; empty for a name that is stored elsewhere. */
function indexesByName(
  readers: readonly ColumnReader[],
  coveredNames: ReadonlySet<string>,
): ReadonlyMap<string, number[]> {
  const indexes = new Map<string, number[]>([...coveredNames].map((name) => [name, []]));
  for (const [index, { names, isHidden }] of readers.entries()) {
    for (const name of names) indexes.set(name, [...(indexes.get(name) ?? []), ...(isHidden ? [] : [index])]);
  }
  return indexes;
}
