/** Queries a journal: entries page by page, newest first, and single entries by number. */
import type { Cell } from '../../storage/database.ts';
import type { Entry } from './entry.ts';
import type { Journal } from './journal.ts';
import { entryIn } from './stored-entry.ts';

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

/** The profile of a command whose content another program has not damaged. */
const profile = "CASE WHEN json_valid(commands.content) THEN json_extract(commands.content, '$.profile') END";

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
  const { where, cells } = conditionsOf(filter, before);
  const order = `ORDER BY entries.number DESC LIMIT ${limit}`;
  return journal.database
    .all(`${select} ${where} ${order}`, ...cells)
    .map((row) => entryIn(row, journal.database));
}

/** Yields entries newest first; entries that are added meanwhile don't matter. */
export function* entries(journal: Journal, filter: EntryFilter): Generator<Entry> {
  for (let before: number | undefined; ; ) {
    const found = someEntries(journal, filter, { before });
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
  const { where, cells } = conditionsOf(filter, undefined);
  return Number(database.get(`SELECT count(*) AS count ${joined} ${where}`, ...cells)?.count);
}

type Condition = [condition: string, ...cells: Cell[]];

function ofAccounts(accounts: EntryFilter['accounts']): Condition | undefined {
  return accounts && [`commands.account IN (${accounts.map(() => '?').join(', ')})`, ...accounts];
}

/** Returns the SQL conditions on an entry, its command and its account. */
function conditionsOf(
  { resource, id, since, run, field, by, accounts }: EntryFilter,
  before: number | undefined,
): { where: string; cells: Cell[] } {
  const all: Condition[] = [];
  if (before !== undefined) all.push(['entries.number < ?', before]);
  if (resource !== undefined) all.push(['resource = ?', resource]);
  if (id !== undefined) all.push(['entries.id = ?', id]);
  if (since !== undefined) {
    // Starts at the first possible number: a page in number order needs only the newest.
    all.push(['entries.number >= (SELECT min(+number) FROM entries AS later WHERE later.at >= ?)', since]);
    all.push(['+entries.at >= ?', since]);
  }
  if (run !== undefined) all.push(['commands.run = ?', run]);
  if (field !== undefined) all.push(['instr(fields, ?) > 0', JSON.stringify(field)]);
  if (by !== undefined) all.push([`? IN (user, user_name, ${profile})`, by]);
  const ofAccount = ofAccounts(accounts);
  if (ofAccount) all.push(ofAccount);
  return whereOf(all);
}

function whereOf(all: readonly Condition[]): { where: string; cells: Cell[] } {
  if (all.length === 0) return { where: '', cells: [] };
  return {
    where: `WHERE ${all.map(([condition]) => condition).join(' AND ')}`,
    cells: all.flatMap(([, ...cells]) => cells),
  };
}
