/** New rows of a run that was planned a while ago, by now of records that somebody else has made: sent, they would be there twice. */
import type { Row } from '../../session/row.ts';
import type { Session } from '../../session/session.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { LedgerRow } from '../ledger/row.ts';
import { recordsLike } from './records-like.ts';
import { operationOf } from './send-row.ts';

/** By the numbers of the rows. Of rows that have a key, and had no record when they were planned. */
export async function madeSince(
  rows: readonly LedgerRow[],
  ledger: Ledger,
  session: Session,
): Promise<Map<number, Row>> {
  const found = new Map<number, Row>();
  const due = rows.filter((row) => isNew(row, session));
  for await (const { row, record } of recordsLike(due, ledger, session)) found.set(row.seq, record);
  return found;
}

function isNew({ steps: [first], step }: LedgerRow, session: Session): boolean {
  return step === 0 && first !== undefined && operationOf(first, session).effect === 'create';
}
