/** Verifies a journal: SQLite finds no damage, every entry can be read, and no entry number is missing. */
import type { Journal } from '../journal/journal.ts';
import { positionOf } from '../journal/journal-changes.ts';
import { entriesAfter } from '../journal/reading.ts';

export interface Verification {
  /** Whether no problem was found. */
  intact: boolean;
  /** The number of entries that were checked. */
  entries: number;
  /** The number of entries whose content was forgotten. */
  forgotten: number;
  /** The number of the newest entry that was deleted because of its age or the size of the file; 0 if none was. */
  deleted_up_to: number;
  problems: string[];
}

/**
 * Verifies a snapshot of a journal; other processes may read and write. Throws the storage failure for a damaged file if
 * an entry can't be read.
 */
export function verify(journal: Journal): Verification {
  const { database } = journal;
  return database.read(() => {
    const journalRow = database.get('SELECT dropped_number AS dropped FROM journal');
    if (!journalRow) throw database.damagedFailure();
    const dropped = Number(journalRow.dropped);
    const newest = positionOf(journal).number;
    const problems = database.checkIntegrity();
    let [entries, forgotten, lastNumber] = [0, 0, dropped];
    const expect = (number: number) => {
      if (number !== lastNumber + 1) problems.push(missingEntries(lastNumber + 1, number - 1));
      lastNumber = number;
    };
    for (const page of entriesAfter(journal, { after: dropped, upTo: Number.MAX_SAFE_INTEGER })) {
      for (const { number, isForgotten } of page) {
        expect(number);
        entries++;
        if (isForgotten) forgotten++;
      }
    }
    if (newest > lastNumber) expect(newest + 1);
    return { intact: problems.length === 0, entries, forgotten, deleted_up_to: dropped, problems };
  });
}

function missingEntries(from: number, to: number): string {
  return from === to ? `Entry ${from} is missing.` : `Entries ${from} to ${to} are missing.`;
}
