/**
 * Kinds of entries: what has the same account, profile, resource and fields. There are few of them, and an index holds
 * each one’s entries in their order, so that the newest of some are found however many others there are.
 */
import type { Database } from '../../storage/database.ts';

export interface Kind {
  /** As the journal numbers accounts. */
  account: number;
  profile: string | null;
  /** By the API's own name; null for a request that the contract doesn't know. */
  resource: string | null;
  /** By the names of answers, as JSON. */
  fields: string;
}

/** The numbers of kinds, each looked up once. Inside a transaction: what another one makes may never be there. */
export class KnownKinds {
  readonly #database: Database;
  /** By command, and then by resource and fields. */
  readonly #writers = new Map<number, Pick<Kind, 'account' | 'profile'> & { kinds: Map<string, number> }>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** Of the entry of a command, made where it is new; `fields` is JSON. */
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

/** Made where it is new. */
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

/** What a kind has to fit: all that is given. */
export interface KindFilter {
  resource?: string | undefined;
  field?: string | undefined;
  /** A user by name or id, or a profile. */
  by?: string | undefined;
  accounts?: readonly number[] | undefined;
}

/** Their numbers; undefined where any kind fits. */
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

/** Of one kind, newest first, as far as they were read. */
interface Queue {
  kind: number;
  numbers: number[];
}

/** Of each kind so many are read at a time. */
const stretch = 50;

/** The numbers of entries of these kinds, newest first: those below `before`, from `from` on. */
export function* newestOf(
  database: Database,
  kinds: readonly number[],
  { before, from }: { before: number; from: number },
): Generator<number> {
  const some = (kind: number, below: number) =>
    database
      .all(
        `SELECT number FROM entries WHERE kind = ? AND number < ? AND number >= ? ORDER BY number DESC LIMIT ${stretch}`,
        ...[kind, below, from],
      )
      .map(({ number }) => Number(number))
      .reverse();
  const newest = ({ numbers }: Queue) => numbers.at(-1) ?? 0;
  // Of each its newest in one statement: a token is an account, and years of them have thousands of kinds.
  const heads = database.all(
    `SELECT value AS kind, (
       SELECT number FROM entries WHERE kind = value AND number < ? AND number >= ? ORDER BY number DESC LIMIT 1
     ) AS number FROM json_each(?) WHERE number IS NOT NULL ORDER BY number`,
    ...[before, from, JSON.stringify(kinds)],
  );
  // The one with the newest entry is last.
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
