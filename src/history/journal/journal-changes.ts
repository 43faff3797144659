/** Finds what was added to a journal since an earlier position, so that copies can be updated. */
import { hash } from 'node:crypto';
import { parseJsonCell } from '../../storage/json-cell.ts';
import type { Journal } from './journal.ts';
import { isLinkList } from './stored-entry.ts';

/** A position in the journal: its newest link and its newest entry. */
export interface JournalPosition {
  seq: number;
  number: number;
}

/** Returns the journal's current end. */
export function positionOf({ database }: Journal): JournalPosition {
  const { seq, number } = database.get('SELECT seq, number FROM chain_end') ?? {};
  return { seq: Number(seq ?? 0), number: Number(number ?? 0) };
}

/** Returns the number of the oldest entry that wasn't deleted; undefined if there is none. */
export function oldestNumber({ database }: Journal): number | undefined {
  const number = database.get('SELECT min(number) AS number FROM entries')?.number;
  return number == null ? undefined : Number(number);
}

/** Returns how many losses were recorded in the journal. */
export function countLosses({ database }: Journal): number {
  return Number(database.get("SELECT count(*) AS count FROM marks WHERE kind = 'lost'")?.count);
}

/** Returns a key of the known owners; it changes when an owner becomes known. */
export function ownersKey({ database }: Journal): string {
  const rows = database.all('SELECT id, business, business_name, user, user_name FROM accounts ORDER BY id');
  return hash('sha256', JSON.stringify(rows.map((row) => Object.values(row))), 'base64url');
}

/** Returns the hash that identifies an entry across journals; undefined if the entry doesn't exist. */
export function hashOf({ database }: Journal, number: number): string | undefined {
  const hash = database.get('SELECT hash FROM entries WHERE number = ?', number)?.hash;
  return hash == null ? undefined : String(hash);
}

/** Earlier entries whose content has changed since a link. */
export interface ChangedEntries {
  /** The numbers of the entries, in ascending order. */
  numbers: number[];
  /** Whether some entries or command lines were forgotten; otherwise only outcomes were added. */
  hasForgotten: boolean;
}

/** Returns the entries up to the given position that have changed since that position. */
export function changesSince({ database }: Journal, { seq, number }: JournalPosition): ChangedEntries {
  const newOutcomes = database.all('SELECT number FROM outcomes WHERE seq > ? AND number <= ?', seq, number);
  const changedNumbers = new Set(newOutcomes.map((row) => Number(row.number)));
  const marks = database.all("SELECT content FROM marks WHERE seq > ? AND kind = 'forgotten'", seq);
  for (const { content } of marks) {
    for (const link of parseJsonCell(content, database, isLinkList).links) {
      const [table, key = ''] = link.split(' ');
      const entryNumbers =
        table === 'commands'
          ? database.all('SELECT number FROM entries WHERE command = ?', Number(key)).map((row) => row.number)
          : [key];
      for (const entryNumber of entryNumbers)
        if (Number(entryNumber) <= number) changedNumbers.add(Number(entryNumber));
    }
  }
  return { numbers: [...changedNumbers].sort((a, b) => a - b), hasForgotten: marks.length > 0 };
}
