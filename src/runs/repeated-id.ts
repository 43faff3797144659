/**
 * Detects creations whose response contains the ID of another row's record: such a response doesn't prove that the
 * record was created.
 */

import type { Failure } from '../base/errors.ts';
import type { Resource } from '../contract/resource.ts';
import { duplicateIdFailure } from '../session/outcome.ts';
import type { Ledger } from './ledger/ledger.ts';
import type { LedgerRow } from './ledger/row.ts';

interface ReturnedRecord {
  id: string;
  resource: Resource;
}

/**
 * Returns the failure of a row whose response contains the ID of another row's record; undefined if no other row has
 * that ID.
 */
export function repeatedIdFailure(
  ledger: Ledger,
  row: LedgerRow,
  returned: ReturnedRecord,
): Failure | undefined {
  const [otherRow] = findOtherRowsWithId(ledger, row, returned);
  return otherRow && duplicateIdFailure(returned.id, rowLabel(otherRow));
}

/**
 * Returns the other rows whose record has this ID. Rows without a resource of their own belong to the run's resource.
 */
export function findOtherRowsWithId(
  ledger: Ledger,
  { seq }: LedgerRow,
  { id, resource }: ReturnedRecord,
): LedgerRow[] {
  return ledger
    .rowsWithId(id)
    .filter((row) => row.seq !== seq && (row.resource ?? ledger.property('resource')) === resource.name);
}

/** Returns the name of a row in messages: `line 2, SKU-1`. */
export function rowLabel({ seq, line, key }: LedgerRow): string {
  if (line !== null) return key === null ? `line ${line}` : `line ${line}, ${key}`;
  return key ?? `row ${seq}`;
}
