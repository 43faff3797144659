/** Parts of the queries that read the rows of a ledger. */

/** The join of both tables, whose rows have the same sequence numbers. */
export const joined = 'progress JOIN rows USING (seq)';
/** Selects all columns of rows. */
export const both = `SELECT * FROM ${joined}`;
/** Selects the columns that sending needs, without those that are only displayed. */
export const toSend = `SELECT progress.*, line, key, name, resource, steps FROM ${joined}`;

/** Returns a placeholder for each value in the list of a query. */
export function placeholdersFor(values: readonly unknown[]): string {
  return values.map(() => '?').join(', ');
}
