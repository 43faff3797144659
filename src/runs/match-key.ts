/**
 * Makes the match keys by which rows find their records: the key values in one form, however the file or the service
 * writes them.
 */

import { usage } from '../base/errors.ts';
import { withCallingCode } from '../contract/phone-form.ts';
import type { Resource } from '../contract/resource.ts';
import { joinedKey, keyValue } from '../session/record-key.ts';
import type { Row } from '../session/row.ts';
import { type Column, columnNamed } from '../tables/columns/columns.ts';
import type { ImportOptions } from '../tables/columns/options.ts';
import type { Intent } from './intent.ts';
import type { Ledger } from './ledger/ledger.ts';
import type { LedgerRow, RowState } from './ledger/row.ts';

/** The columns of a key in the order in which they were given; empty if rows can't be matched. */
export type Key = readonly Column[];

/** The name of the id column. */
export const idKey = 'id';

/**
 * Returns the columns of `--key`, or else the first field of the natural key that the API document calls unique. Rows
 * with ids are matched by their ids first.
 */
export function keyFor(resource: Resource, { key }: Pick<ImportOptions, 'key'>): Key {
  const names = key ?? resource.key.filter((name) => resource.fields[name]?.traits.unique).slice(0, 1);
  return names.map((name) => {
    const column = columnNamed(resource, name);
    if (column?.field && !column.field.traits.secret && column.field.kind !== 'many') return column;
    throw usage(`--key ${name}: ${resource.command} can't be identified by that field.`, {
      hint: `Key fields: ${resource.key.join(', ') || 'only the id'}.`,
    });
  });
}

/** Returns whether the key contains references, whose names must be looked up first. */
export function usesReferences(key: Key): boolean {
  return key.some(({ field }) => field?.traits.target !== undefined);
}

/** Returns the key of a row; undefined where a part of it is missing. */
export function matchKeyOfRow(intent: Intent, key: Key): string | undefined {
  const values = key.map((column) => (column.role === 'id' ? intent.id : intent.body[requestName(column)]));
  return joinedKey(key, values.map(keyValue));
}

/** Returns the match key of an id. */
export function matchKeyOfId(id: string): string {
  return JSON.stringify([id]);
}

/** Returns the values of a match key, each in the form in which it is compared. */
export function partsOfMatchKey(mark: string): string[] {
  return JSON.parse(mark) as string[];
}

/** Returns the values of a match key as a text for messages. */
export function textOfMatchKey(mark: string): string {
  return partsOfMatchKey(mark).join(', ');
}

/** Returns the texts of a key value, normalized and as the file writes it: a filter may find the record by either. */
export function writtenIn({ body, written }: Intent, column: Column): string[] {
  const name = requestName(column);
  const texts = [body[name], written?.[name]].filter((text) => typeof text === 'string');
  const { form, dialCode } = column.field?.traits ?? {};
  if (form !== 'phone' || dialCode === undefined) return texts;
  return [...texts, ...texts.flatMap((text) => withCallingCode(text, body[dialCode]))];
}

/** Returns the name of a column's field in requests. */
export function requestName({ create, update, name }: Column): string {
  return (update ?? create)?.name ?? name;
}

/** Returns the rows of a ledger whose match key belongs to one of these records, each with its records. */
export function matchingRows(
  ledger: Ledger,
  records: readonly Row[],
  marksOf: (record: Row) => readonly string[],
  ...states: RowState[]
): { row: LedgerRow; records: Row[] }[] {
  const byMark = new Map<string, Row[]>();
  for (const record of records)
    for (const mark of marksOf(record)) byMark.set(mark, [...(byMark.get(mark) ?? []), record]);
  if (byMark.size === 0) return [];
  const rows = ledger.matching([...byMark.keys()], ...states);
  return rows.map((row) => ({ row, records: byMark.get(row.match ?? '') ?? [] }));
}
