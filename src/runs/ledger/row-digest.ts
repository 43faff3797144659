/** Detects whether the rows of a saved plan were edited or damaged: they must be sent as they were reviewed. */
import { createHash } from 'node:crypto';
import { ReadOnlyDatabase } from '../../storage/read-only.ts';
import { ledgerFormat } from './form.ts';
import type { Ledger } from './ledger.ts';
import { both } from './queries.ts';

/** The fact that contains the digest; plans of earlier builds don't have it. */
const fact = 'row_digest';

/** How many rows are read into memory at a time. */
const batchRows = 500;

/** Records the digest of all rows, which must not change afterwards. */
export function noteRowDigest(ledger: Ledger): void {
  ledger.setFact(fact, digestOfRows(ledger.file));
}

/** Returns whether rows have changed since the digest was recorded. */
export function haveRowsChanged(ledger: Ledger): boolean {
  const noted = ledger.fact(fact);
  return noted !== undefined && noted !== digestOfRows(ledger.file);
}

/** Reads the file and not the ledger, which fills in secrets. Columns without a value don't count: builds may add some. */
function digestOfRows(file: string): string {
  const hash = createHash('sha256');
  const reading = new ReadOnlyDatabase(ledgerFormat(file));
  try {
    for (let after = -1; ; ) {
      const rows = reading.all(`${both} WHERE seq > ? ORDER BY seq LIMIT ${batchRows}`, [after]);
      for (const row of rows) {
        const cells = Object.entries(row).filter(([, cell]) => cell !== null);
        hash.update(JSON.stringify(cells.sort(([one], [other]) => (one < other ? -1 : 1))));
      }
      if (rows.length < batchRows) return hash.digest('hex');
      after = Number(rows.at(-1)?.seq);
    }
  } finally {
    reading.close();
  }
}
