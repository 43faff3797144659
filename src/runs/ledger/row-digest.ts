/** Detects whether the rows of a saved plan were edited or damaged, because the reviewed rows must be sent. */
import { createHash } from 'node:crypto';
import { ReadOnlyDatabase } from '../../storage/read-only.ts';
import { ledgerFormat } from './format.ts';
import type { Ledger } from './ledger.ts';
import { selectRows } from './queries.ts';

const digestProperty = 'row_digest';

/** The number of rows that are read into memory at a time. */
const batchRows = 500;

/** Records the digest of all rows, which must not change afterwards. */
export function recordRowDigest(ledger: Ledger): void {
  ledger.setProperty(digestProperty, digestOfRows(ledger.file));
}

/** Returns whether the rows were saved as a plan before they are sent. */
export function isSavedPlan(ledger: Ledger): boolean {
  return ledger.property(digestProperty) !== undefined;
}

/** Returns whether rows have changed since the digest was recorded. */
export function hasChangedRows(ledger: Ledger): boolean {
  return ledger.property(digestProperty) !== digestOfRows(ledger.file);
}

/** Returns a digest of all rows. Reads the file and not the ledger, because the ledger fills in secrets. */
function digestOfRows(file: string): string {
  const hash = createHash('sha256');
  const database = new ReadOnlyDatabase(ledgerFormat(file));
  try {
    for (let after = -1; ; ) {
      const rows = database.all(`${selectRows} WHERE seq > ? ORDER BY seq LIMIT ${batchRows}`, [after]);
      for (const row of rows) hash.update(JSON.stringify(row));
      if (rows.length < batchRows) return hash.digest('hex');
      after = Number(rows.at(-1)?.seq);
    }
  } finally {
    database.close();
  }
}
