/** The record that a path names. */
import type { Call } from '../call.ts';
import { notFound } from '../http/refusal.ts';
import type { StoredRow } from '../store/cells.ts';
import { findRow } from '../store/rows.ts';

/** Active or deleted. */
export function named({ database, table, ids }: Call): StoredRow {
  const row = findRow(database, table, ids[0] ?? '');
  if (!row) throw notFound();
  return row;
}

/** By its id, where it is known to be there. */
export function rowOf({ database, table }: Call, id: string): StoredRow {
  const row = findRow(database, table, id);
  if (!row) throw new Error(`${table.name} ${id} is gone`);
  return row;
}

/** A deleted record can be read and restored, nothing else. */
export function activeNamed(call: Call): StoredRow {
  const row = named(call);
  if (isDeleted(row)) throw notFound();
  return row;
}

export function isDeleted(row: StoredRow): boolean {
  return typeof row.deleted_at === 'string';
}
