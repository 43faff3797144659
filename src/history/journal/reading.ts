/** What can be asked of a journal: its entries, newest first, some at a time, and one by its number. */
import type { Cell, StoredRow } from '../../storage/database.ts';
import type { CommandContent, Entry, EntryContent, EntryOutcome, OutcomeContent } from './entry.ts';
import type { Journal } from './journal.ts';

/** All that is given has to fit. */
export interface EntryFilter {
  /** By the API's own name. */
  resource?: string | undefined;
  id?: string | undefined;
  /** Milliseconds since 1970. */
  since?: number | undefined;
  run?: string | undefined;
  /** By the name of answers. */
  field?: string | undefined;
  /** A user by name or id, or a profile. */
  by?: string | undefined;
  /** Only what these accounts wrote, by their ids in the journal. */
  accounts?: readonly number[] | undefined;
}

/** Entries that are read at a time: no more of them are held in memory. */
const stretch = 500;

const select = `
  SELECT entries.number, entries.at, resource, verb, entries.id, fields, entries.content AS sent,
    commands.run, commands.content AS command, business, business_name, user, user_name,
    outcome, outcomes.content AS answered
  FROM entries
  JOIN commands ON commands.id = entries.command
  JOIN accounts ON accounts.id = commands.account
  LEFT JOIN outcomes ON outcomes.number = entries.number`;

/** Undefined where it is none of these accounts, too. */
export function entryNumbered(
  { database }: Journal,
  number: number,
  accounts?: readonly number[],
): Entry | undefined {
  const [condition = 'true', ...cells] = ofAccounts(accounts) ?? [];
  const row = database.get(`${select} WHERE entries.number = ? AND ${condition}`, number, ...cells);
  return row && entryIn(row);
}

/** Newest first. `before` leaves out that number and those above it. */
export function someEntries(
  { database }: Journal,
  filter: EntryFilter,
  { limit = stretch, before }: { limit?: number; before?: number | undefined } = {},
): Entry[] {
  const { where, cells } = conditionsOf(filter, before);
  const found = database.all(`${select} ${where} ORDER BY entries.number DESC LIMIT ${limit}`, ...cells);
  return found.map(entryIn);
}

/** Newest first, whatever is added meanwhile. */
export function* entries(journal: Journal, filter: EntryFilter): Generator<Entry> {
  for (let before: number | undefined; ; ) {
    const found = someEntries(journal, filter, { before });
    yield* found;
    before = found.at(-1)?.number;
    if (found.length < stretch) return;
  }
}

/** Oldest first, some at a time: those above `after`, up to `upTo`. */
export function* entriesAfter(
  { database }: Journal,
  { after, upTo, accounts }: { after: number; upTo: number; accounts?: readonly number[] | undefined },
): Generator<Entry[]> {
  const [condition = 'true', ...cells] = ofAccounts(accounts) ?? [];
  for (let last = after; ; ) {
    const found = database
      .all(
        `${select} WHERE entries.number > ? AND entries.number <= ? AND ${condition} ORDER BY entries.number LIMIT ${stretch}`,
        ...[last, upTo, ...cells],
      )
      .map(entryIn);
    if (found.length > 0) yield found;
    if (found.length < stretch) return;
    last = found.at(-1)?.number ?? upTo;
  }
}

export function countOf({ database }: Journal, filter: EntryFilter): number {
  const { where, cells } = conditionsOf(filter, undefined);
  const joins = `JOIN commands ON commands.id = entries.command JOIN accounts ON accounts.id = commands.account`;
  const isBare = where === '';
  const from = isBare ? 'entries' : `entries ${joins}`;
  return Number(database.get(`SELECT count(*) AS count FROM ${from} ${where}`, ...cells)?.count);
}

function conditionsOf(filter: EntryFilter, before: number | undefined): { where: string; cells: Cell[] } {
  const { resource, id, since, run, field, by, accounts } = filter;
  const all: [condition: string, ...cells: Cell[]][] = [];
  if (before !== undefined) all.push(['entries.number < ?', before]);
  if (resource !== undefined) all.push(['resource = ?', resource]);
  if (id !== undefined) all.push(['entries.id = ?', id]);
  if (since !== undefined) all.push(['entries.at >= ?', since]);
  if (run !== undefined) all.push(['commands.run = ?', run]);
  if (field !== undefined) all.push([`instr(fields, ?) > 0`, JSON.stringify(field)]);
  const own = ofAccounts(accounts);
  if (own) all.push(own);
  if (by !== undefined)
    all.push(["(user = ? OR user_name = ? OR json_extract(commands.content, '$.profile') = ?)", by, by, by]);
  if (all.length === 0) return { where: '', cells: [] };
  return {
    where: `WHERE ${all.map(([condition]) => condition).join(' AND ')}`,
    cells: all.flatMap(([, ...cells]) => cells),
  };
}

function ofAccounts(accounts: EntryFilter['accounts']): [condition: string, ...cells: Cell[]] | undefined {
  return accounts && [`commands.account IN (${accounts.map(() => '?').join(', ')})`, ...accounts];
}

function entryIn(row: StoredRow): Entry {
  const text = (name: string) => (row[name] == null ? null : String(row[name]));
  const json = <Value>(name: string): Value | undefined =>
    row[name] == null ? undefined : (JSON.parse(String(row[name])) as Value);
  const sent = json<EntryContent>('sent');
  return {
    number: Number(row.number),
    at: Number(row.at),
    run: String(row.run),
    command: json<CommandContent>('command'),
    business: text('business_name') ?? text('business'),
    user: text('user_name') ?? text('user'),
    resource: text('resource'),
    verb: text('verb'),
    id: text('id'),
    fields: json<string[]>('fields') ?? [],
    sent,
    outcome: (row.outcome as EntryOutcome | null) ?? 'unknown',
    answered: json<OutcomeContent>('answered'),
    isForgotten: sent === undefined,
  };
}
