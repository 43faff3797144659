/** Records that a run has added while somebody else added the same ones: two machines at work on one account know nothing of each other. */
import type { Row } from '../../session/row.ts';
import type { Session } from '../../session/session.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { LedgerRow } from '../ledger/row.ts';
import { recordsLike } from './records-like.ts';

export interface Double {
  key: string;
  /** Of the record that the run has added. */
  id: string;
  /** Of the other one, which was not there when the run was planned. */
  other: string;
}

/** Rows that are looked at together: a list that can only be read whole is read once for so many. */
const mostAtOnce = 20_000;

/** None of rows that have no key. `now` is in milliseconds since 1970. */
export async function doublesOf(ledger: Ledger, session: Session, now: number): Promise<Double[]> {
  const took = now - Number(ledger.fact('since') ?? 0);
  const found: Double[] = [];
  const look = async (rows: readonly LedgerRow[]) => {
    for await (const { row, record, own } of recordsLike(rows, ledger, session))
      if (row.id !== null && !wasThere(record, own, took))
        found.push({ key: row.key ?? row.id, id: row.id, other: String(record.id) });
  };
  let added: LedgerRow[] = [];
  for (const rows of ledger.stretches('done')) {
    added.push(...rows.filter(({ action, id }) => action === 'create' && id !== null));
    if (added.length < mostAtOnce) continue;
    await look(added);
    added = [];
  }
  await look(added);
  return found;
}

/** Before the run was planned. Both moments are the service's: its clock may be another one than this machine's. */
function wasThere({ created_at: other }: Row, own: Row | undefined, took: number): boolean {
  const [first, second] = [other, own?.created_at].map((at) =>
    typeof at === 'string' ? Date.parse(`${at.replace(' ', 'T')}Z`) : Number.NaN,
  );
  // It tells seconds alone.
  return Number(second) - Number(first) > took + 1000;
}
