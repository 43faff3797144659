/**
 * Detects creations that are answered with the id of another row's record: such an answer doesn't prove that they are
 * done.
 */

import type { Failure } from '../base/errors.ts';
import type { Resource } from '../contract/resource.ts';
import { repeatedId } from '../session/outcome.ts';
import type { Ledger } from './ledger/ledger.ts';
import type { LedgerRow } from './ledger/row.ts';

interface Answered {
  id: string;
  resource: Resource;
}

/** Returns the failure of a row that was answered with the id of another row's record; undefined if no row has that id. */
export function repeatedIn(ledger: Ledger, row: LedgerRow, answered: Answered): Failure | undefined {
  const [other] = othersWith(ledger, row, answered);
  return other && repeatedId(answered.id, nameOf(other));
}

/** Returns the other rows whose record has this id. Rows without a resource of their own belong to the run's resource. */
export function othersWith(ledger: Ledger, { seq }: LedgerRow, { id, resource }: Answered): LedgerRow[] {
  return ledger
    .rowsWithId(id)
    .filter((row) => row.seq !== seq && (row.resource ?? ledger.fact('resource')) === resource.name);
}

/** Returns the name of a row in messages: `line 2, SKU-1`. */
export function nameOf({ seq, line, key }: LedgerRow): string {
  if (line !== null) return key === null ? `line ${line}` : `line ${line}, ${key}`;
  return key ?? `row ${seq}`;
}
