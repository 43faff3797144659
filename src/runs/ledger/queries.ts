/** Parts of the queries that read the rows of a ledger. */

/** The join of both tables by sequence number. */
export const joinedTables = 'progress JOIN rows USING (seq)';
export const selectRows = `SELECT * FROM ${joinedTables}`;
/** Selects the columns that are needed for sending, without those that are only displayed. */
export const selectRowsToSend = `SELECT progress.*, line, key, name, resource, steps FROM ${joinedTables}`;

export function placeholdersFor(values: readonly unknown[]): string {
  return values.map(() => '?').join(', ');
}
