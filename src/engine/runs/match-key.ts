/** Builds the match keys by which rows find their records: the key values in a normalized form. */

import { joinKeyValues, keyValue } from '../../account/session/record-key.ts';
import type { Row } from '../../account/session/row.ts';
import { internationalNumber } from '../../api/contract/phone-numbers.ts';
import type { Resource } from '../../api/contract/resource.ts';
import { usage } from '../../base/errors.ts';
import { type Column, findColumn } from '../tables/columns/columns.ts';
import type { ImportOptions } from '../tables/columns/options.ts';
import type { Ledger } from './ledger/ledger.ts';
import type { Intent, LedgerRow, RowState } from './ledger/row.ts';

/** The columns of a key, in the order of `--key`; empty if rows can't be matched. */
export type Key = readonly Column[];

/** The name of the column with IDs. */
export const idKey = 'id';

/**
 * Returns the columns of `--key`, or the first field of the natural key that is unique according to the API document.
 * Rows with IDs are matched by their IDs first.
 */
export function keyFor(resource: Resource, { key }: Pick<ImportOptions, 'key'>): Key {
  const names = key ?? resource.key.filter((name) => resource.fields[name]?.traits.unique).slice(0, 1);
  return names.map((name) => {
    const column = findColumn(resource, name);
    if (column?.field && !column.field.traits.secret && column.field.kind !== 'many') return column;
    throw usage(`--key ${name}: ${resource.command} can't be identified by that field.`, {
      hint: `Key fields: ${resource.key.join(', ') || 'id'}.`,
    });
  });
}

/** Returns whether the key contains references, whose names must be looked up first. */
export function usesReferences(key: Key): boolean {
  return key.some(({ field }) => field?.traits.target !== undefined);
}

/** Returns the match key of a row; undefined if a part of it is missing. */
export function matchKeyOfRow(intent: Intent, key: Key): string | undefined {
  const values = key.map((column) => (column.role === 'id' ? intent.id : intent.body[requestNameOf(column)]));
  return joinKeyValues(key, values.map(keyValue));
}

export function matchKeyOfId(id: string): string {
  return JSON.stringify([id]);
}

export function parseMatchKey(matchKey: string): string[] {
  return JSON.parse(matchKey) as string[];
}

/** Returns the values of a match key for messages: `Ada, 5551`. */
export function formatMatchKey(matchKey: string): string {
  return parseMatchKey(matchKey).join(', ');
}

/** Returns the spellings of a key value, normalized and as in the file: a filter may find the record by either. */
export function keySearchValues({ body, written }: Intent, column: Column): string[] {
  const name = requestNameOf(column);
  const spellings = [body[name], written?.[name]].filter((value) => typeof value === 'string');
  return [...spellings, ...spellings.map((text) => internationalNumber(column.field, text, body))];
}

export function requestNameOf({ create, update, name }: Column): string {
  return (update ?? create)?.name ?? name;
}

export function findMatchingRows(
  ledger: Ledger,
  records: readonly Row[],
  matchKeysOf: (record: Row) => readonly string[],
  ...states: RowState[]
): { row: LedgerRow; records: Row[] }[] {
  const byMatchKey = new Map<string, Row[]>();
  for (const record of records)
    for (const matchKey of matchKeysOf(record))
      byMatchKey.set(matchKey, [...(byMatchKey.get(matchKey) ?? []), record]);
  if (byMatchKey.size === 0) return [];
  const rows = ledger.rowsWithMatchKeys([...byMatchKey.keys()], ...states);
  return rows.map((row) => ({ row, records: byMatchKey.get(row.match ?? '') ?? [] }));
}
