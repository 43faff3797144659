/** Ends the rows that still wait for other rows once nothing more can be sent: they stay planned, or fail. */
import type { Ledger } from './ledger/ledger.ts';
import type { LedgerRow, RowError } from './ledger/row.ts';
import { mayBeDone, namesIn, type OtherRows } from './other-rows.ts';
import { type RowResult, resultOf } from './result.ts';

/**
 * Yields the results of the waiting rows. Rows that wait for one of unknown outcome, directly or through others, stay
 * planned: once that outcome is reconciled, the run can be resumed with them. Rows that wait for each other fail.
 */
export function* endWaiting(ledger: Ledger, others: OtherRows): Generator<RowResult> {
  const waiting = waitingRows(ledger, others);
  const hopeful = new Map<number, string>();
  for (let before = -1; before !== hopeful.size; ) {
    before = hopeful.size;
    for (const [seq, names] of waiting) {
      if (hopeful.has(seq)) continue;
      const hope = names.find((name) => {
        const other = ledger.named(name);
        return other && (mayBeDone(other) || hopeful.has(other.seq) || !waiting.has(other.seq));
      });
      if (hope !== undefined) hopeful.set(seq, hope);
    }
  }
  for (const row of ledger.rows('planned')) {
    const names = waiting.get(row.seq);
    if (names) yield resultOf(ended(ledger, row, hopeful.get(row.seq), names));
  }
}

function waitingRows(ledger: Ledger, others: OtherRows): Map<number, string[]> {
  const waiting = new Map<number, string[]>();
  for (const row of ledger.rowsToSend()) {
    if (others.readiness(row).is === 'waits') waiting.set(row.seq, [...namesIn(row)]);
  }
  return waiting;
}

function ended(ledger: Ledger, row: LedgerRow, hope: string | undefined, names: string[]): LedgerRow {
  const error: RowError =
    hope === undefined
      ? {
          category: 'usage',
          message: `Not sent: it refers to ${names.join(', ')}, which refers back to it.`,
        }
      : {
          category: 'partial',
          message: `Not sent: it depends on ${hope}, whose outcome is unknown.`,
          waited_for: hope,
        };
  const change = { state: hope === undefined ? ('failed' as const) : ('planned' as const), error };
  ledger.change(row.seq, change);
  return { ...row, ...change };
}
