/** Queries a journal: entries page by page, newest first, and single entries by number. */
import type { Cell, Database } from '../../storage/database.ts';
import type { Entry } from './entry.ts';
import type { Journal } from './journal.ts';
import { kindsFitting, newestOf } from './kinds.ts';
import { entryIn, type Outline, outlineIn } from './stored-entry.ts';

/** Conditions on entries; all given ones must match. */
export interface EntryFilter {
  /** The API's name of the resource. */
  resource?: string | undefined;
  id?: string | undefined;
  /** Milliseconds since 1970. */
  since?: number | undefined;
  run?: string | undefined;
  /** A field name as in responses. */
  field?: string | undefined;
  /** A user's name or id, or a profile. */
  by?: string | undefined;
  /** Only entries of these accounts, by their ids in the journal. */
  accounts?: readonly number[] | undefined;
}

/** The number of entries that are read at a time and kept in memory. */
const batchEntries = 500;

const joined = `
  FROM entries
  JOIN commands ON commands.id = entries.command
  JOIN accounts ON accounts.id = commands.account
  LEFT JOIN outcomes ON outcomes.number = entries.number`;

const select = `
  SELECT entries.number, entries.at, resource, verb, entries.id, fields, entries.content AS sent,
    commands.run, commands.content AS command, business, business_name, user, user_name,
    outcome, outcomes.content AS answered
  ${joined}`;

const outline = `SELECT entries.number, verb, fields, outcome ${joined}`;

/** Returns one entry; undefined if it doesn't exist or belongs to none of these accounts. */
export function entryNumbered(
  { database }: Journal,
  number: number,
  accounts?: readonly number[],
): Entry | undefined {
  const [condition = 'true', ...cells] = ofAccounts(accounts) ?? [];
  const row = database.get(`${select} WHERE entries.number = ? AND ${condition}`, number, ...cells);
  return row && entryIn(row, database);
}

/** Returns one page of entries, newest first; with `before` only entries with lower numbers. */
export function someEntries(
  journal: Journal,
  filter: EntryFilter,
  { limit = batchEntries, before }: { limit?: number; before?: number | undefined } = {},
): Entry[] {
  const found = byKind(journal, filter, before);
  if (found) return found.take(limit).toArray();
  const { where, cells } = conditionsOf(journal.database, filter, before);
  const order = `ORDER BY entries.number DESC LIMIT ${limit}`;
  return journal.database
    .all(`${select} ${where} ${order}`, ...cells)
    .map((row) => entryIn(row, journal.database));
}

/** Returns undefined if kinds don't help: a record or a run has few entries, which are read one by one. */
function byKind(journal: Journal, filter: EntryFilter, before?: number): Generator<Entry> | undefined {
  if (filter.id !== undefined || filter.run !== undefined) return undefined;
  const kinds = kindsFitting(journal.database, filter);
  return kinds && ofKinds(journal, kinds, filter.since, before);
}

function* ofKinds(
  { database }: Journal,
  kinds: readonly number[],
  since: number | undefined,
  before = Number.MAX_SAFE_INTEGER,
): Generator<Entry> {
  const from = since === undefined ? 0 : firstSince(database, since);
  for (const number of newestOf(database, kinds, { before, from })) {
    const row = database.get(`${select} WHERE entries.number = ?`, number);
    if (row && (since === undefined || Number(row.at) >= since)) yield entryIn(row, database);
  }
}

/** Returns the lowest number since a moment: the clock may have been set back in between. */
function firstSince(database: Database, since: number): number {
  const first = database.get('SELECT min(+number) AS number FROM entries WHERE at >= ?', since)?.number;
  return first == null ? Number.MAX_SAFE_INTEGER : Number(first);
}

/** Yields entries newest first; entries that are added meanwhile don't matter. */
export function entries(journal: Journal, filter: EntryFilter): Generator<Entry> {
  return byKind(journal, filter) ?? walk((before) => someEntries(journal, filter, { before }));
}

/** Yields outlines of the same entries. */
export function outlines({ database }: Journal, filter: EntryFilter): Generator<Outline> {
  return walk((before) => {
    const { where, cells } = conditionsOf(database, filter, before);
    const found = database.all(
      `${outline} ${where} ORDER BY entries.number DESC LIMIT ${batchEntries}`,
      ...cells,
    );
    return found.map((row) => outlineIn(row, database));
  });
}

function* walk<One extends { number: number }>(some: (before: number | undefined) => One[]): Generator<One> {
  for (let before: number | undefined; ; ) {
    const found = some(before);
    yield* found;
    before = found.at(-1)?.number;
    if (found.length < batchEntries) return;
  }
}

/** Yields entries oldest first, one page at a time: above `after`, up to `upTo`. */
export function* entriesAfter(
  { database }: Journal,
  { after, upTo, accounts }: { after: number; upTo: number; accounts?: readonly number[] | undefined },
): Generator<Entry[]> {
  const [condition = 'true', ...cells] = ofAccounts(accounts) ?? [];
  for (let last = after; ; ) {
    const found = database
      .all(
        `${select} WHERE entries.number > ? AND entries.number <= ? AND ${condition} ORDER BY entries.number LIMIT ${batchEntries}`,
        ...[last, upTo, ...cells],
      )
      .map((row) => entryIn(row, database));
    if (found.length > 0) yield found;
    if (found.length < batchEntries) return;
    last = found.at(-1)?.number ?? upTo;
  }
}

/**
 * Returns a write that shows that a create may not have made the record with the id in its response: another create got
 * the same id, or the record was written to before. Undefined if there is none.
 */
export function otherWriteTo(
  { database }: Journal,
  { number, resource, id, accounts }: { number: number; resource: string; id: string } & Accounts,
): { number: number; verb: string } | undefined {
  const [condition = 'true', ...cells] = ofAccounts(accounts) ?? [];
  const found = database.get(
    `SELECT entries.number, verb ${joined}
     WHERE resource = ? AND entries.id = ? AND entries.number != ? AND (verb = 'create' OR entries.number < ?)
       AND ifnull(outcome, 'unknown') != 'refused' AND ${condition}
     ORDER BY verb = 'create' DESC LIMIT 1`,
    ...[resource, id, number, number],
    ...cells,
  );
  return found && { number: Number(found.number), verb: String(found.verb) };
}

type Accounts = Pick<EntryFilter, 'accounts'>;

/** Returns the number of matching entries. */
export function countOf({ database }: Journal, filter: EntryFilter): number {
  const count = (rest: string, ...cells: Cell[]) =>
    Number(database.get(`SELECT count(*) AS count ${rest}`, ...cells)?.count);
  const { id, run, since } = filter;
  if (id !== undefined || run !== undefined) {
    const { where, cells } = conditionsOf(database, filter, undefined);
    return count(`${joined} ${where}`, ...cells);
  }
  const kinds = kindsFitting(database, filter);
  if (!kinds) return since === undefined ? count('FROM entries') : count('FROM entries WHERE at >= ?', since);
  const from = since === undefined ? 0 : firstSince(database, since);
  const own = 'number >= ? AND kind IN (SELECT value FROM json_each(?))';
  const all = count(`FROM entries WHERE ${own}`, from, JSON.stringify(kinds));
  if (since === undefined) return all;
  // A higher number with an earlier moment: the clock was set back.
  const early = `FROM entries INDEXED BY entries_of_time WHERE at < ? AND ${own}`;
  return all - count(early, since, from, JSON.stringify(kinds));
}

type Condition = [condition: string, ...cells: Cell[]];

function ofAccounts(accounts: EntryFilter['accounts']): Condition | undefined {
  return accounts && [`commands.account IN (${accounts.map(() => '?').join(', ')})`, ...accounts];
}

/** Returns the SQL conditions on an entry, its kind and its command. */
function conditionsOf(
  database: Database,
  { resource, id, since, run, ...ofKind }: EntryFilter,
  before: number | undefined,
): { where: string; cells: Cell[] } {
  const all: Condition[] = [];
  if (before !== undefined) all.push(['entries.number < ?', before]);
  // Not through the kind: an index of resource and record finds a record.
  if (resource !== undefined) all.push(['resource = ?', resource]);
  if (id !== undefined) all.push(['entries.id = ?', id]);
  if (since !== undefined) {
    // Starts at the first possible number: a page in number order needs only the newest.
    all.push(['entries.number >= (SELECT min(+number) FROM entries AS later WHERE later.at >= ?)', since]);
    all.push(['+entries.at >= ?', since]);
  }
  if (run !== undefined) all.push(['commands.run = ?', run]);
  const kinds = kindsFitting(database, ofKind);
  if (kinds) all.push(['+kind IN (SELECT value FROM json_each(?))', JSON.stringify(kinds)]);
  return whereOf(all);
}

function whereOf(all: readonly Condition[]): { where: string; cells: Cell[] } {
  if (all.length === 0) return { where: '', cells: [] };
  return {
    where: `WHERE ${all.map(([condition]) => condition).join(' AND ')}`,
    cells: all.flatMap(([, ...cells]) => cells),
  };
}
