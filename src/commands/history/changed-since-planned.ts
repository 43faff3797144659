/** Who has changed a record since a run was planned that is gone on with: as far as the history or the record tells. */
import type { Context } from '../../context/context.ts';
import { changedSince } from '../../history/undo/changed-since.ts';
import type { WhoChanged } from '../../runs/compare-again.ts';
import type { Ledger } from '../../runs/ledger/ledger.ts';
import { begunAt } from '../../runs/ledger/run-id.ts';
import { StorageFailure } from '../../storage/failures.ts';
import { openHistoryForNow } from './open-history.ts';

/** What has no journal is said of the record alone. To be closed once nobody will be asked for any more. */
export async function changedSincePlanned(
  ledger: Ledger,
  context: Context,
): Promise<{ who: WhoChanged; close(): void }> {
  const history = await openHistoryForNow(context).catch((error: unknown) => {
    // A history that can’t be read stops no run.
    if (error instanceof StorageFailure) return undefined;
    throw error;
  });
  const since = { at: begunAt(ledger.id ?? ''), run: ledger.id };
  return {
    who: (place, record) => changedSince(history, place, since, record),
    close: () => history?.journal.close(),
  };
}
