/** Deletes old entries, from the oldest up to a number. */
import { usedBytes } from '../../../base/storage/scrub.ts';
import type { Journal } from '../journal/journal.ts';
import { forgetLine } from './forget.ts';

/** The default limits of a journal: two years, and a gigabyte. */
export const defaultLimits = { age: 730 * 86_400_000, bytes: 1_000_000_000 };

/**
 * The time that commands are kept, in milliseconds. A long run adds entries to its command even if its earlier entries
 * were deleted.
 */
const keptCommandMs = 30 * 86_400_000;

export interface Limits {
  /** The maximum age of entries in milliseconds. */
  age?: number | undefined;
  /** The maximum size in the file. */
  bytes?: number | undefined;
}

/**
 * Returns the number of the newest entry that exceeds the limits, and before which no entry belongs to a run that must be
 * kept; 0 if there is none.
 */
export function newestToDrop(
  journal: Journal,
  { age, bytes }: Limits,
  now: number,
  keptRuns: () => readonly string[] = () => [],
): number {
  const byAge = age === undefined ? 0 : newestBefore(journal, now - age);
  const bySize = bytes === undefined ? 0 : newestBeyond(journal, bytes);
  const newest = Math.max(byAge, bySize);
  return newest === 0 ? 0 : Math.min(newest, ...keptRuns().map((run) => firstEntryOf(journal, run) - 1));
}

/** Deletes entries that exceed the limits. Returns how many were deleted. */
export function dropOld(
  journal: Journal,
  limits: Limits,
  now: number,
  keptRuns: () => readonly string[] = () => [],
): number {
  return dropUpTo(journal, newestToDrop(journal, limits, now, keptRuns), now);
}

function firstEntryOf({ database }: Journal, run: string): number {
  const sql =
    'SELECT min(number) AS number FROM entries WHERE command IN (SELECT id FROM commands WHERE run = ?)';
  return Number(database.get(sql, run)?.number ?? Number.POSITIVE_INFINITY);
}

/** Returns how many entries have at most this number. */
export function countUpTo({ database }: Journal, upTo: number): number {
  return Number(database.get('SELECT count(*) AS count FROM entries WHERE number <= ?', upTo)?.count);
}

/** Deletes entries up to a number. Returns how many were deleted. */
export function dropUpTo(journal: Journal, upTo: number, now: number): number {
  return upTo === 0 ? 0 : drop(journal, upTo, now);
}

function newestBefore({ database }: Journal, time: number): number {
  // Uses the index of times: a search from the newest number would read all entries if none is old.
  return Number(database.get('SELECT max(+number) AS number FROM entries WHERE at < ?', time)?.number ?? 0);
}

/** Returns the number up to which entries are deleted so that the file gets a tenth smaller than the limit. */
function newestBeyond({ database }: Journal, bytes: number): number {
  const fileBytes = usedBytes(database);
  if (fileBytes <= bytes) return 0;
  // The rows of runs are in the same file.
  const lengths = ['intent', 'steps', 'changes', 'raw'].map((column) => `ifnull(length(${column}), 0)`);
  const runBytes = database.get(`SELECT sum(${lengths.join(' + ')}) AS bytes FROM rows`)?.bytes;
  const size = fileBytes - Number(runBytes ?? 0);
  if (size <= bytes) return 0;
  const { oldest, newest } =
    database.get('SELECT min(number) AS oldest, max(number) AS newest FROM entries') ?? {};
  const share = 1 - (bytes * 0.9) / size;
  return Math.min(
    Number(newest ?? 0),
    Number(oldest ?? 0) + Math.ceil((Number(newest ?? 0) - Number(oldest ?? 0) + 1) * share) - 1,
  );
}

function drop({ database }: Journal, upTo: number, now: number): number {
  return database.write(() => {
    const newestCommand = database.get('SELECT max(command) AS id FROM entries WHERE number <= ?', upTo)?.id;
    if (newestCommand == null) return 0;
    const count = database.run('DELETE FROM entries WHERE number <= ?', upTo);
    database.run('DELETE FROM outcomes WHERE number <= ?', upTo);
    const isEmptyCommand = 'id <= ? AND id NOT IN (SELECT command FROM entries)';
    database.run(
      `DELETE FROM commands WHERE at < ? AND ${isEmptyCommand}`,
      now - keptCommandMs,
      newestCommand,
    );
    for (const { id } of database.all(`SELECT id FROM commands WHERE ${isEmptyCommand}`, newestCommand))
      forgetLine(database, Number(id));
    database.run('UPDATE journal SET dropped_number = max(dropped_number, ?)', upTo);
    return count;
  });
}
