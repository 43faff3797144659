/** Ends the rows that still wait for other rows when no more rows can be sent: they stay planned, or fail. */
import type { Ledger } from './ledger/ledger.ts';
import type { LedgerRow, RowError } from './ledger/row.ts';
import { mayBeDone, type ReferenceResolver, referencedNames } from './reference-resolver.ts';
import { type RowResult, resultOf } from './result.ts';

/**
 * Yields the results of the waiting rows. Rows that wait for a row of unknown outcome, directly or indirectly, stay
 * planned: they can be sent when the run is resumed. Rows that wait for each other fail.
 */
export function* endWaitingRows(ledger: Ledger, resolver: ReferenceResolver): Generator<RowResult> {
  const waitingNames = waitingRows(ledger, resolver);
  const blockers = new Map<number, string>();
  for (let previousSize = -1; previousSize !== blockers.size; ) {
    previousSize = blockers.size;
    for (const [seq, names] of waitingNames) {
      if (blockers.has(seq)) continue;
      const blocker = names.find((name) => {
        const otherRow = ledger.rowNamed(name);
        return (
          otherRow && (mayBeDone(otherRow) || blockers.has(otherRow.seq) || !waitingNames.has(otherRow.seq))
        );
      });
      if (blocker !== undefined) blockers.set(seq, blocker);
    }
  }
  for (const row of ledger.rows('planned')) {
    const names = waitingNames.get(row.seq);
    if (names) yield resultOf(endRow(ledger, row, blockers.get(row.seq), names));
  }
}

function waitingRows(ledger: Ledger, resolver: ReferenceResolver): Map<number, string[]> {
  const waitingNames = new Map<number, string[]>();
  for (const row of ledger.rowsToSend()) {
    if (resolver.readiness(row).status === 'blocked') waitingNames.set(row.seq, [...referencedNames(row)]);
  }
  return waitingNames;
}

function endRow(ledger: Ledger, row: LedgerRow, blocker: string | undefined, names: string[]): LedgerRow {
  const error: RowError =
    blocker === undefined
      ? {
          category: 'usage',
          message: `Not sent: it refers to ${names.join(', ')}, which refers back to it.`,
        }
      : {
          category: 'partial',
          message: `Not sent: it depends on ${blocker}, whose outcome is unknown.`,
          waited_for: blocker,
        };
  const change = { state: blocker === undefined ? ('failed' as const) : ('planned' as const), error };
  ledger.change(row.seq, change);
  return { ...row, ...change };
}
