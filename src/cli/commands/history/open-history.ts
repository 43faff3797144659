/** Opens the journal of the account in use for reading. */

import { existsSync } from 'node:fs';
import type { Session } from '../../../account/session/session.ts';
import { StorageFailure } from '../../../base/storage/failures.ts';
import { Journal } from '../../../engine/history/journal/journal.ts';
import { positionOf } from '../../../engine/history/journal/journal-changes.ts';
import { changedSince } from '../../../engine/history/undo/changed-since.ts';
import type { Ledger } from '../../../engine/runs/ledger/ledger.ts';
import { startTimeOf } from '../../../engine/runs/ledger/run-id.ts';
import { logFile } from '../../../engine/runs/log.ts';
import type { DescribeChange } from '../../../engine/runs/recheck-rows.ts';
import type { Context } from '../../context/context.ts';

/** Opens the history. Returns undefined if it has never been written. It is closed when the command ends. */
export async function openHistory(context: Context): Promise<Journal | undefined> {
  const journal = await openHistoryForCaller(context);
  if (journal) context.recordedWrites.finish.push(() => journal.close());
  return journal;
}

/** Opens the history like `openHistory`, but the caller must close it. */
export async function openHistoryForCaller(context: Context): Promise<Journal | undefined> {
  return openHistoryIn(await (await context.session()).folder());
}

/** Opens the history in the folder of an account. The caller must close it. */
export function openHistoryIn(folder: string): Journal | undefined {
  const file = logFile(folder);
  if (!existsSync(file)) return undefined;
  const journal = new Journal(file);
  if (positionOf(journal).number > 0) return journal;
  // The log has only runs.
  journal.close();
  return undefined;
}

/** Opens a function that describes who changed a record since a run was planned. Without a journal it only uses the record. */
export async function openChangeHistory(
  ledger: Ledger,
  session: Session,
): Promise<{ describeChange: DescribeChange; close(): void }> {
  const journal = openIfReadable(await session.folder());
  const since = { at: startTimeOf(ledger.id ?? ''), run: ledger.id };
  return {
    describeChange: (target, record) => changedSince(journal, target, since, record),
    close: () => journal?.close(),
  };
}

/** Opens the history. An unreadable one doesn't stop a run. */
function openIfReadable(folder: string): Journal | undefined {
  try {
    return openHistoryIn(folder);
  } catch (error) {
    if (error instanceof StorageFailure) return undefined;
    throw error;
  }
}
