/** Reads the history of this machine for the mirror: the writes of the account in use, field by field. */
import type { Context } from '../../context/context.ts';
import { fieldChanges } from '../../history/field-changes.ts';
import type { Entry } from '../../history/journal/entry.ts';
import { changesSince, journalId, oldestNumber, positionOf } from '../../history/journal/journal-changes.ts';
import { entriesAfter, entryNumbered } from '../../history/journal/reading.ts';
import type { HistoryEntry } from '../../mirror/sync/history-rows.ts';
import type { OpenHistorySource } from '../../mirror/sync/round.ts';
import { idsOf } from '../history/entry-json.ts';
import { openHistoryForCaller } from '../history/open-history.ts';

/** Opens the history. The source is undefined if boh has never written anything from this machine. */
export async function openHistorySource(context: Context): Promise<OpenHistorySource> {
  const journal = await openHistoryForCaller(context);
  if (!journal) return { source: undefined, close: () => {} };
  const toEntry = (entry: Entry) => historyEntry(entry, context);
  return {
    source: {
      id: journalId(journal),
      end: positionOf(journal),
      oldest: oldestNumber(journal),
      changedSince: (from) => changesSince(journal, from),
      entry: (number) => {
        const entry = entryNumbered(journal, number);
        return entry && toEntry(entry);
      },
      *after(number, upTo) {
        for (const entries of entriesAfter(journal, { after: number, upTo })) yield entries.map(toEntry);
      },
    },
    file: journal.database.file,
    close: () => journal.close(),
  };
}

function historyEntry(entry: Entry, { api }: Context): HistoryEntry {
  const { number, at, run, command, business, user, resource, verb, sent, answered, outcome, isForgotten } =
    entry;
  const [recordId = null, otherId = null] = isForgotten ? [] : idsOf(entry);
  return {
    number,
    at,
    run,
    line: command?.line ?? null,
    profile: command?.profile ?? null,
    business,
    user,
    resource,
    verb,
    recordId,
    otherId,
    outcome,
    error: answered?.error?.message ?? null,
    beforeMissing: sent?.missing ?? null,
    undoOf: command?.takesBack ?? null,
    isForgotten,
    changes: fieldChanges(entry, resource === null ? undefined : api.resource(resource)),
  };
}
