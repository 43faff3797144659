/** Finds the rows of a ledger whose record has an id. Each creation asks for it, so pending changes aren't written first. */
import type { Database } from '../../storage/database.ts';
import { answeredId } from './form.ts';
import { type LedgerRow, type RowChange, rowIn } from './row.ts';
import type { SecretReferences } from './secret-references.ts';

/**
 * Returns the rows whose record has this id, of any resource, and the rows that were answered with it. `unwritten`
 * contains changes that the database doesn't have yet, by sequence number.
 */
export function rowsWithId(
  database: Database,
  unwritten: ReadonlyMap<number, RowChange>,
  references: SecretReferences,
  id: string,
): LedgerRow[] {
  const waiting = [...unwritten].flatMap(([seq, change]) =>
    change.id === id || Object(change.error?.answered).id === id ? seq : [],
  );
  const found = database.all(
    `SELECT * FROM progress JOIN rows USING (seq) WHERE progress.seq IN (
       SELECT seq FROM progress WHERE id = ?
       UNION SELECT seq FROM progress WHERE state = 'unknown' AND ${answeredId} = ?
       UNION SELECT value FROM json_each(?))`,
    ...[id, id, JSON.stringify(waiting)],
  );
  return found.map((row) => ({ ...rowIn(row, references), ...unwritten.get(Number(row.seq)) }));
}
