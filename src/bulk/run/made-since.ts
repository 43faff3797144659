/** New rows of a run that was planned a while ago, by now of records that somebody else has made: sent, they would be there twice. */
import type { Row } from '../../session/row.ts';
import type { Session } from '../../session/session.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { LedgerRow } from '../ledger/row.ts';
import { markOfRecord } from '../plan/mark.ts';
import { lookingFor, recordsLike } from './records-like.ts';
import { operationOf } from './send-row.ts';

/** By the numbers of the rows. Of rows that were matched by a key, and had no record then. */
export async function madeSince(
  rows: readonly LedgerRow[],
  ledger: Ledger,
  session: Session,
): Promise<Map<number, Row>> {
  const found = new Map<number, Row>();
  const looking = lookingFor(ledger, session);
  const due = new Map(rows.flatMap((row) => (isNew(row, session) ? [[row.match, row] as const] : [])));
  if (!looking || due.size === 0) return found;
  for await (const records of recordsLike(due.values(), looking)) {
    for (const record of records) {
      const row = due.get(`k${markOfRecord(record, looking.key)}`);
      if (row && !ledger.hasId(String(record.id))) found.set(row.seq, record);
    }
  }
  return found;
}

function isNew({ match, steps: [first], step, resource }: LedgerRow, session: Session): boolean {
  const isMatched = resource === null && match?.startsWith('k') === true;
  return isMatched && step === 0 && first !== undefined && operationOf(first, session).effect === 'create';
}
