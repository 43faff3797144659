/** Creations that are answered with the id of another row's record: they are not done on the word of that answer. */

import type { Failure } from '../base/errors.ts';
import type { Resource } from '../contract/resource.ts';
import { repeatedId } from '../session/outcome.ts';
import type { Ledger } from './ledger/ledger.ts';
import type { LedgerRow } from './ledger/row.ts';

interface Answered {
  id: string;
  resource: Resource;
}

/** The failure of a row that was answered with the id of another row's record; undefined where no row has it. */
export function repeatedIn(ledger: Ledger, row: LedgerRow, answered: Answered): Failure | undefined {
  const [other] = othersWith(ledger, row, answered);
  return other && repeatedId(answered.id, `that of ${nameOf(other)}`);
}

/** Other rows that are known to be the record with an id. Rows without a resource of their own are of the run's. */
export function othersWith(ledger: Ledger, { seq }: LedgerRow, { id, resource }: Answered): LedgerRow[] {
  return ledger
    .rowsWithId(id)
    .filter((row) => row.seq !== seq && (row.resource ?? ledger.fact('resource')) === resource.name);
}

/** What messages call a row: `line 2, SKU-1`. */
export function nameOf({ seq, line, key }: LedgerRow): string {
  if (line !== null) return key === null ? `line ${line}` : `line ${line}, ${key}`;
  return key ?? `row ${seq}`;
}
