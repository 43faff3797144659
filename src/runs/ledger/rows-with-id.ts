/** Which rows of a ledger are the record with an id: asked with each creation, so that nothing is written for it. */
import type { Database } from '../../storage/database.ts';
import { answeredId } from './form.ts';
import { type LedgerRow, type RowChange, rowIn } from './row.ts';
import type { SecretReferences } from './secret-references.ts';

/**
 * The rows that are known to be records with this id, of whatever resource, or were answered with it. `unwritten` are
 * changes that the database doesn't hold yet, by the places of their rows.
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
