/** Parts of the queries that read the rows of a ledger. */

/** Both tables of rows, which share their places. */
export const joined = 'progress JOIN rows USING (seq)';
/** Everything of a row. */
export const both = `SELECT * FROM ${joined}`;
/** What sending needs: the rest of a row is for those who show it. */
export const toSend = `SELECT progress.*, line, key, name, resource, steps FROM ${joined}`;

/** Returns a place for each value in the list of a query. */
export function marksFor(values: readonly unknown[]): string {
  return values.map(() => '?').join(', ');
}
