/** Finds the parts of a run in the journal, and those without an outcome. */
import type { Journal } from './journal.ts';

/** A part of a run: the number of its newest entry, and whether it has an outcome. */
export interface RunPart {
  number: number;
  isEnded: boolean;
}

export function partsOf({ database }: Journal, run: string): Map<string, RunPart> {
  const rows = database.all(
    `SELECT part, max(entries.number) AS number, outcome
     FROM entries JOIN commands ON commands.id = entries.command LEFT JOIN outcomes ON outcomes.number = entries.number
     WHERE run = ? AND part IS NOT NULL GROUP BY part`,
    run,
  );
  return new Map(
    rows.map(({ part, number, outcome }) => [
      String(part),
      { number: Number(number), isEnded: outcome !== null },
    ]),
  );
}

/**
 * Returns the entry numbers of the parts without an outcome, by part name: their process was killed or is still
 * running.
 */
export function openParts(journal: Journal, run: string): Map<string, number> {
  const unfinishedParts = [...partsOf(journal, run)].filter(([, { isEnded }]) => !isEnded);
  return new Map(unfinishedParts.map(([name, { number }]) => [name, number]));
}
