/**
 * Finds the rows of a ledger whose record has an ID. This query runs after each creation, so pending changes aren't
 * written first.
 */
import type { Database } from '../../storage/database.ts';
import { responseIdSql } from './format.ts';
import { type LedgerRow, type RowChange, toLedgerRow } from './row.ts';
import type { SecretReferences } from './secret-references.ts';

/**
 * Returns the rows whose record has this ID, of any resource, and the rows whose response contained it. `unwritten`
 * contains changes that the database doesn't have yet, by sequence number.
 */
export function findRowsWithId(
  database: Database,
  unwritten: ReadonlyMap<number, RowChange>,
  references: SecretReferences,
  id: string,
): LedgerRow[] {
  const pendingSeqs = [...unwritten].flatMap(([seq, change]) =>
    change.id === id || Object(change.error?.answered).id === id ? seq : [],
  );
  const rows = database.all(
    `SELECT * FROM progress JOIN rows USING (seq) WHERE progress.seq IN (
       SELECT seq FROM progress WHERE id = ?
       UNION SELECT seq FROM progress WHERE state = 'unknown' AND ${responseIdSql} = ?
       UNION SELECT value FROM json_each(?))`,
    ...[id, id, JSON.stringify(pendingSeqs)],
  );
  return rows.map((row) => ({ ...toLedgerRow(row, references), ...unwritten.get(Number(row.seq)) }));
}
