/** Queries a journal: entries page by page, newest first, and single entries by number. */
import type { Cell } from '../../../base/storage/database.ts';
import type { Entry } from './entry.ts';
import type { Journal } from './journal.ts';
import { entryIn } from './stored-entry.ts';

/** Conditions on entries; all must match. */
export interface EntryFilter {
  /** The API's name of the resource. */
  resource?: string | undefined;
  id?: string | undefined;
  /** Milliseconds since 1970. */
  since?: number | undefined;
  run?: string | undefined;
  /** A field name as in responses. */
  field?: string | undefined;
  /** A user's name or ID, or a profile. */
  by?: string | undefined;
}

/** The number of entries that are read at a time and kept in memory. */
const batchEntries = 500;

const joinedTables = `
  FROM entries
  JOIN commands ON commands.id = entries.command
  LEFT JOIN outcomes ON outcomes.number = entries.number`;

const selectEntries = `
  SELECT entries.number, entries.at, resource, verb, entries.id, fields, entries.content AS sent,
    commands.run, commands.content AS command,
    outcome, outcomes.content AS answered
  ${joinedTables}`;

/** The condition on the author of a command: a user's name or ID, or a profile. Content that isn't JSON has none. */
const isBySql = `json_valid(commands.content) AND ? IN (json_extract(commands.content, '$.profile'),
  json_extract(commands.content, '$.user.id'), json_extract(commands.content, '$.user.name'))`;

/** Returns one entry; undefined if it doesn't exist. */
export function entryNumbered({ database }: Journal, number: number): Entry | undefined {
  const row = database.get(`${selectEntries} WHERE entries.number = ?`, number);
  return row && entryIn(row, database);
}

/** Returns one page of entries, newest first; with `before` only entries with lower numbers. */
export function pageOfEntries(
  journal: Journal,
  filter: EntryFilter,
  { limit = batchEntries, before }: { limit?: number; before?: number | undefined } = {},
): Entry[] {
  const { where, cells } = conditionsOf(filter, before);
  const order = `ORDER BY entries.number DESC LIMIT ${limit}`;
  return journal.database
    .all(`${selectEntries} ${where} ${order}`, ...cells)
    .map((row) => entryIn(row, journal.database));
}

/** Yields entries, newest first, without entries that are added during the iteration. */
export function* entries(journal: Journal, filter: EntryFilter): Generator<Entry> {
  for (let before: number | undefined; ; ) {
    const page = pageOfEntries(journal, filter, { before });
    yield* page;
    before = page.at(-1)?.number;
    if (page.length < batchEntries) return;
  }
}

/** Yields entries with numbers above `after` and up to `upTo`, oldest first, one page at a time. */
export function* entriesAfter(
  { database }: Journal,
  { after, upTo }: { after: number; upTo: number },
): Generator<Entry[]> {
  for (let lastNumber = after; ; ) {
    const page = database
      .all(
        `${selectEntries} WHERE entries.number > ? AND entries.number <= ? ORDER BY entries.number LIMIT ${batchEntries}`,
        ...[lastNumber, upTo],
      )
      .map((row) => entryIn(row, database));
    if (page.length > 0) yield page;
    if (page.length < batchEntries) return;
    lastNumber = page.at(-1)?.number ?? upTo;
  }
}

/**
 * Returns a write that casts doubt on a creation: another creation whose response has the same ID, or an earlier write to
 * the record. Returns undefined if there is none.
 */
export function otherWriteTo(
  { database }: Journal,
  { number, resource, id }: { number: number; resource: string; id: string },
): { number: number; verb: string } | undefined {
  const otherWrite = database.get(
    `SELECT entries.number, verb ${joinedTables}
     WHERE resource = ? AND entries.id = ? AND entries.number != ? AND (verb = 'create' OR entries.number < ?)
       AND ifnull(outcome, 'unknown') != 'refused'
     ORDER BY verb = 'create' DESC LIMIT 1`,
    ...[resource, id, number, number],
  );
  return otherWrite && { number: Number(otherWrite.number), verb: String(otherWrite.verb) };
}

/**
 * Returns the entry numbers of a run's parts without an outcome, by part name: their process was killed or is still
 * running.
 */
export function openParts({ database }: Journal, run: string): Map<string, number> {
  const rows = database.all(
    `SELECT part, max(entries.number) AS number, outcome ${joinedTables}
     WHERE run = ? AND part IS NOT NULL GROUP BY part`,
    run,
  );
  const unfinishedParts = rows.filter(({ outcome }) => outcome === null);
  return new Map(unfinishedParts.map(({ part, number }) => [String(part), Number(number)]));
}

export function countOf({ database }: Journal, filter: EntryFilter): number {
  const { where, cells } = conditionsOf(filter, undefined);
  return Number(database.get(`SELECT count(*) AS count ${joinedTables} ${where}`, ...cells)?.count);
}

type Condition = [condition: string, ...cells: Cell[]];

function conditionsOf(
  { resource, id, since, run, field, by }: EntryFilter,
  before: number | undefined,
): { where: string; cells: Cell[] } {
  const conditions: Condition[] = [];
  if (before !== undefined) conditions.push(['entries.number < ?', before]);
  if (resource !== undefined) conditions.push(['resource = ?', resource]);
  if (id !== undefined) conditions.push(['entries.id = ?', id]);
  if (since !== undefined) {
    // Starts at the first possible number: a page in number order needs only the newest.
    conditions.push([
      'entries.number >= (SELECT min(+number) FROM entries AS later WHERE later.at >= ?)',
      since,
    ]);
    conditions.push(['+entries.at >= ?', since]);
  }
  if (run !== undefined) conditions.push(['commands.run = ?', run]);
  if (field !== undefined) conditions.push(['instr(fields, ?) > 0', JSON.stringify(field)]);
  if (by !== undefined) conditions.push([isBySql, by]);
  return whereOf(conditions);
}

function whereOf(conditions: readonly Condition[]): { where: string; cells: Cell[] } {
  if (conditions.length === 0) return { where: '', cells: [] };
  return {
    where: `WHERE ${conditions.map(([condition]) => condition).join(' AND ')}`,
    cells: conditions.flatMap(([, ...cells]) => cells),
  };
}
