/**
 * Groups entries into kinds with the same account, profile, resource and fields. There are few kinds, and an index lists
 * the entries of each in order, so the newest entries of some kinds are found quickly among any number of others.
 */
import type { Database } from '../../storage/database.ts';

/** The common properties of a group of entries. */
export interface Kind {
  /** The account's id in the journal. */
  account: number;
  profile: string | null;
  /** The API's name of the resource; null for a request that isn't in the contract. */
  resource: string | null;
  /** Field names as in responses, as JSON. */
  fields: string;
}

/** Caches the numbers of kinds within one transaction: a kind that another process adds may be rolled back. */
export class KnownKinds {
  readonly #database: Database;
  /** By command, then by resource and fields. */
  readonly #writers = new Map<number, Pick<Kind, 'account' | 'profile'> & { kinds: Map<string, number> }>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** Returns the kind of a command's entry and creates it if it is new; `fields` is JSON. */
  numberOf(command: number, resource: string | null, fields: string): number {
    const writer = this.#writers.get(command) ?? this.#writerOf(command);
    const key = `${resource} ${fields}`;
    const known = writer.kinds.get(key) ?? numberOfKind(this.#database, { ...writer, resource, fields });
    writer.kinds.set(key, known);
    return known;
  }

  #writerOf(command: number) {
    const row = this.#database.get(
      "SELECT account, json_extract(content, '$.profile') AS profile FROM commands WHERE id = ?",
      command,
    );
    const profile = row?.profile == null ? null : String(row.profile);
    const writer = { account: Number(row?.account), profile, kinds: new Map<string, number>() };
    this.#writers.set(command, writer);
    return writer;
  }
}

/** Returns the number of a kind and creates it if it is new. */
function numberOfKind(database: Database, { account, profile, resource, fields }: Kind): number {
  const cells = [account, profile, resource, fields];
  const known = database.get(
    'SELECT id FROM kinds WHERE account = ? AND profile IS ? AND resource IS ? AND fields = ?',
    ...cells,
  );
  if (known) return Number(known.id);
  return database.insert(
    'INSERT INTO kinds (account, profile, resource, fields) VALUES (?, ?, ?, ?)',
    ...cells,
  );
}

/** Conditions on a kind; all given ones must match. */
export interface KindFilter {
  resource?: string | undefined;
  field?: string | undefined;
  /** A user's name or id, or a profile. */
  by?: string | undefined;
  accounts?: readonly number[] | undefined;
}

/** Returns the numbers of the matching kinds; undefined if every kind matches. */
export function kindsFitting(
  database: Database,
  { resource, field, by, accounts }: KindFilter,
): number[] | undefined {
  if ([resource, field, by, accounts].every((one) => one === undefined)) return undefined;
  const found = database.all(
    `SELECT kinds.id FROM kinds JOIN accounts ON accounts.id = kinds.account
     WHERE (?1 IS NULL OR resource = ?1) AND (?2 IS NULL OR instr(fields, ?2) > 0)
       AND (?3 IS NULL OR user = ?3 OR user_name = ?3 OR profile = ?3)
       AND (?4 IS NULL OR account IN (SELECT value FROM json_each(?4)))`,
    resource ?? null,
    field === undefined ? null : JSON.stringify(field),
    by ?? null,
    accounts === undefined ? null : JSON.stringify(accounts),
  );
  return found.map(({ id }) => Number(id));
}

/** The entries of one kind that were read, newest first. */
interface Queue {
  kind: number;
  numbers: number[];
}

/** The number of entries that are read at a time for each kind. */
const batchNumbers = 50;

/** Yields the numbers of entries of these kinds, newest first: below `before` and not below `from`. */
export function* newestOf(
  database: Database,
  kinds: readonly number[],
  { before, from }: { before: number; from: number },
): Generator<number> {
  const some = (kind: number, below: number) =>
    database
      .all(
        `SELECT number FROM entries WHERE kind = ? AND number < ? AND number >= ? ORDER BY number DESC LIMIT ${batchNumbers}`,
        ...[kind, below, from],
      )
      .map(({ number }) => Number(number))
      .reverse();
  const newest = ({ numbers }: Queue) => numbers.at(-1) ?? 0;
  // Reads the newest entry of each kind in one statement: each token is an account, and years of tokens have thousands of kinds.
  const heads = database.all(
    `SELECT value AS kind, (
       SELECT number FROM entries WHERE kind = value AND number < ? AND number >= ? ORDER BY number DESC LIMIT 1
     ) AS number FROM json_each(?) WHERE number IS NOT NULL ORDER BY number`,
    ...[before, from, JSON.stringify(kinds)],
  );
  // The queue with the newest entry is last.
  const queues = heads.map(({ kind, number }): Queue => ({ kind: Number(kind), numbers: [Number(number)] }));
  for (let queue = queues.pop(); queue; queue = queues.pop()) {
    const number = queue.numbers.pop() as number;
    yield number;
    if (queue.numbers.length === 0) queue.numbers = some(queue.kind, number);
    if (queue.numbers.length === 0) continue;
    let place = queues.length;
    while (place > 0 && newest(queues[place - 1] as Queue) > newest(queue)) place--;
    queues.splice(place, 0, queue);
  }
}
