/** Finds what was added to a journal since an earlier position, so that copies can be updated. */
import type { Journal } from './journal.ts';

/** A position in the journal: the newest place, and the newest entry. */
export interface JournalPosition {
  place: number;
  number: number;
}

export function positionOf({ database }: Journal): JournalPosition {
  const position = database.get(
    `SELECT max(seq) FILTER (WHERE name = 'outcomes') AS place, max(seq) FILTER (WHERE name = 'entries') AS number
     FROM sqlite_sequence`,
  );
  return { place: Number(position?.place), number: Number(position?.number) };
}

/** Returns the random ID that distinguishes the journal from those of other machines. */
export function journalId({ database }: Journal): string {
  return String(database.get('SELECT id FROM journal')?.id);
}

/** Returns the number of the oldest entry that wasn't deleted; undefined if there is none. */
export function oldestNumber({ database }: Journal): number | undefined {
  const number = database.get('SELECT min(number) AS number FROM entries')?.number;
  return number == null ? undefined : Number(number);
}

/** Earlier entries whose content has changed since a position. */
export interface ChangedEntries {
  /** The numbers of the entries, in ascending order. */
  numbers: number[];
  /** Whether some entries or command lines were forgotten; otherwise only outcomes were added. */
  hasForgotten: boolean;
}

export function changesSince({ database }: Journal, { place, number }: JournalPosition): ChangedEntries {
  const rows = database.all(
    `SELECT number, false AS is_forgotten FROM outcomes WHERE place > ?1 AND number <= ?2
     UNION ALL SELECT number, true FROM entries WHERE forgotten_place > ?1 AND number <= ?2`,
    ...[place, number],
  );
  const numbers = new Set(rows.map((row) => Number(row.number)));
  return {
    numbers: [...numbers].sort((a, b) => a - b),
    hasForgotten: rows.some(({ is_forgotten }) => is_forgotten === 1),
  };
}
