/** Converts declared records to records as an account would return them. Fields that aren't in the files are unknown. */

import { isRow, type Row } from '../../account/session/row.ts';
import { type Declaration, type Declared, formatRecordKey } from '../manifest/declared/declared.ts';
import { Ref } from '../manifest/declared/ref.ts';
import type { FileLocation } from '../manifest/source/node.ts';
import type { RuleRecords } from './read-records.ts';

/** The records of files, with the location of each. */
export interface DeclaredRecords extends RuleRecords {
  locations: ReadonlyMap<Row, FileLocation>;
}

/** Returns the declared records by resource. Their IDs are their keys. */
export function recordsOfDeclaration({ records: all }: Declaration): DeclaredRecords {
  const records = all.filter(({ isAbsent }) => !isAbsent);
  const ids = new Map(
    records.flatMap((record) => namesOf(record).map((name) => [name, formatRecordKey(record)] as const)),
  );
  const locations = new Map<Row, FileLocation>();
  const rows = new Map<string, Row[]>();
  for (const record of records) {
    const { resource, values, location } = record;
    const fields = [...values].map(([field, { value }]) => [field, toResponseValue(value, ids)]);
    const row: Row = { ...Object.fromEntries(fields), id: formatRecordKey(record) };
    locations.set(row, location);
    if (!rows.get(resource.name)?.push(row)) rows.set(resource.name, [row]);
  }
  return { rows, missing: [], locations };
}

/** Returns the names by which references may refer to the record. */
function namesOf({ resource, values, key }: Declared): string[] {
  const names = [...resource.key.map((name) => values.get(name)?.value), ...key.map(({ value }) => value)];
  return names.flatMap((value) => (typeof value === 'string' ? [`${resource.name} ${value}`] : []));
}

/** Returns a value as responses contain it: related records with their IDs, the data of a link in `pivot`. */
function toResponseValue(value: unknown, ids: ReadonlyMap<string, string>): unknown {
  if (value instanceof Ref) return { id: ids.get(`${value.target} ${value.text}`) ?? value.text };
  if (Array.isArray(value)) return value.map((item) => toResponseValue(item, ids));
  if (!isRow(value) || value instanceof Number) return value;
  const { id, ...otherValues } = Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, toResponseValue(inner, ids)]),
  );
  return isRow(id) ? { ...id, pivot: otherValues } : { ...otherValues, ...(id !== undefined && { id }) };
}
