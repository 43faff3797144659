/**
 * Detects creations whose response contains the id of another row's record: such a response doesn't prove that the
 * record was created.
 */

import type { Failure } from '../base/errors.ts';
import type { Resource } from '../contract/resource.ts';
import { duplicateIdFailure } from '../session/outcome.ts';
import type { Ledger } from './ledger/ledger.ts';
import type { LedgerRow } from './ledger/row.ts';

interface AnsweredRecord {
  id: string;
  resource: Resource;
}

/**
 * Returns the failure of a row whose response contains the id of another row's record; undefined if no other row has
 * that id.
 */
export function repeatedIdFailure(
  ledger: Ledger,
  row: LedgerRow,
  answered: AnsweredRecord,
): Failure | undefined {
  const [other] = otherRowsWithId(ledger, row, answered);
  return other && duplicateIdFailure(answered.id, rowLabel(other));
}

/**
 * Returns the other rows whose record has this id. Rows without a resource of their own belong to the run's resource.
 */
export function otherRowsWithId(
  ledger: Ledger,
  { seq }: LedgerRow,
  { id, resource }: AnsweredRecord,
): LedgerRow[] {
  return ledger
    .rowsWithId(id)
    .filter((row) => row.seq !== seq && (row.resource ?? ledger.fact('resource')) === resource.name);
}

/** Returns the name of a row in messages: `line 2, SKU-1`. */
export function rowLabel({ seq, line, key }: LedgerRow): string {
  if (line !== null) return key === null ? `line ${line}` : `line ${line}, ${key}`;
  return key ?? `row ${seq}`;
}
