/** What a run wrote down, and nobody has said what came of it: its process was killed, or goes on. */
import { enterQueued } from './enter-queued.ts';
import type { Journal } from './journal.ts';

/** The parts of a run whose newest entry has no outcome, with its number. */
export function openParts({ database }: Journal, run: string): Map<string, number> {
  enterQueued(database);
  const rows = database.all(
    `SELECT part, max(entries.number) AS number, outcome
     FROM entries JOIN commands ON commands.id = entries.command LEFT JOIN outcomes ON outcomes.number = entries.number
     WHERE run = ? AND part IS NOT NULL GROUP BY part`,
    run,
  );
  const open = rows.filter(({ outcome }) => outcome === null);
  return new Map(open.map(({ part, number }) => [String(part), Number(number)]));
}
