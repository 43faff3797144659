/** The budget of each token on this machine: when requests left, what the service allows, until when it wants a pause. */
import { rmSync } from 'node:fs';
import type { Database } from '../storage/database.ts';
import { StorageFailure, systemErrorCode } from '../storage/failures.ts';
import { fileFormats } from '../storage/formats.ts';
import { openFile } from '../storage/open.ts';
import { type Limit, maxBlockMs } from './limit.ts';

/** Given by the service, or only concluded from what it refused: that may be wrong, and is soon forgotten. */
type LimitSource = 'told' | 'concluded';

/** In milliseconds since 1970. */
export interface Known {
  limit: Limit | undefined;
  blockedUntil: number;
}

/** How long a limit is believed, in milliseconds. */
const believed = { told: 30 * 86_400_000, concluded: 3_600_000 };

/** Requests are counted for no longer than this. */
const maxWindowMs = 3_600_000;

function begin(database: Database): void {
  database.script(`
    CREATE TABLE limits (
      key TEXT PRIMARY KEY, count INTEGER, window INTEGER, source TEXT, learnt_at INTEGER, blocked_until INTEGER,
      suspected INTEGER
    ) WITHOUT ROWID;
    CREATE TABLE requests (id INTEGER PRIMARY KEY, key TEXT NOT NULL, at REAL NOT NULL);
    CREATE INDEX requests_by_time ON requests (key, at);
  `);
}

/**
 * Adds the time at which a process last counted a request: later times in the file are from a clock that was set
 * back.
 */
function addSeenAt(database: Database): void {
  database.script('ALTER TABLE limits ADD COLUMN seen_at INTEGER');
}

/** Two processes that count at the same moment may be so far apart, in milliseconds: one waits for the other's transaction. */
const tolerance = 5_000;

/** Opens the file. Nothing in it is needed tomorrow: where it can't be used, it is made again, or kept in memory. */
export function openBudgetFile(file: string): BudgetFile {
  for (const attempt of ['as it is', 'again'] as const) {
    try {
      if (attempt === 'again') for (const part of ['', '-wal', '-shm']) rmSync(file + part, { force: true });
      return new BudgetFile(openDatabase(file));
    } catch (error) {
      if (!(error instanceof StorageFailure) && systemErrorCode(error) === undefined) throw error;
    }
  }
  return new BudgetFile(openDatabase(':memory:'));
}

function openDatabase(file: string): Database {
  return openFile(file, {
    ...fileFormats.requestCount,
    steps: [begin, addSeenAt],
    remedy: 'It can be deleted.',
    durability: 'process',
    wait: 2000,
    functions: {},
  });
}

/** The requests and limits of all tokens, by key. */
export class BudgetFile {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  known(key: string, now: number): Known {
    const row = this.#database.get('SELECT * FROM limits WHERE key = ?', key);
    const age = now - Number(row?.learnt_at ?? 0);
    const isBelieved = row?.count != null && age >= 0 && age < believed[row.source as LimitSource];
    return {
      limit: isBelieved ? { count: Number(row.count), window: Number(row.window) } : undefined,
      blockedUntil: Number(row?.blocked_until ?? 0),
    };
  }

  learn(key: string, limit: Limit, source: LimitSource, now: number): void {
    this.#database.run(
      `INSERT INTO limits (key, count, window, source, learnt_at, blocked_until) VALUES (?, ?, ?, ?, ?, 0)
       ON CONFLICT (key) DO UPDATE SET count = excluded.count, window = excluded.window,
         source = excluded.source, learnt_at = excluded.learnt_at`,
      key,
      limit.count,
      limit.window,
      source,
      now,
    );
  }

  /**
   * Records a refusal: nothing is sent before `until`, and the service will have forgotten earlier requests by then.
   */
  block(key: string, until: number, now: number): void {
    this.#database.write(() => {
      this.#keepTime(key, now);
      this.#database.run(
        `INSERT INTO limits (key, blocked_until) VALUES (?, ?)
         ON CONFLICT (key) DO UPDATE SET blocked_until = max(coalesce(blocked_until, 0), excluded.blocked_until)`,
        key,
        until,
      );
      this.#database.run('DELETE FROM requests WHERE key = ? AND at <= ?', key, now);
    });
  }

  /** Returns how many requests were counted at the previous refusal, if that may be the limit. */
  suspected(key: string): number {
    return Number(this.#database.get('SELECT suspected FROM limits WHERE key = ?', key)?.suspected ?? 0);
  }

  suspect(key: string, count: number): void {
    this.#database.run(
      `INSERT INTO limits (key, suspected) VALUES (?, ?)
       ON CONFLICT (key) DO UPDATE SET suspected = excluded.suspected`,
      key,
      count,
    );
  }

  /** Takes the next free place within the limit. Returns its id and time. */
  take(
    key: string,
    now: number,
    own: Limit | undefined,
    slower: (a?: Limit, b?: Limit) => Limit | undefined,
  ) {
    return this.#database.write(() => {
      this.#keepTime(key, now);
      const { limit: reported, blockedUntil } = this.known(key, now);
      const limit = slower(reported, own);
      this.#database.run(
        'DELETE FROM requests WHERE key = ? AND (at < ? OR at > ?)',
        key,
        now - maxWindowMs,
        now + 2 * maxWindowMs,
      );
      const free = limit ? this.#freeAt(key, limit) : now;
      const at = Math.max(now, free, blockedUntil);
      const id = this.#database.insert('INSERT INTO requests (key, at) VALUES (?, ?)', key, at);
      return { id, at, limit, isBlocked: blockedUntil >= at && blockedUntil > now };
    });
  }

  /** Moves all times back after the clock was set back, so that they are as far ahead as before. */
  #keepTime(key: string, now: number): void {
    const { seen_at: seenAt } = this.#database.get('SELECT seen_at FROM limits WHERE key = ?', key) ?? {};
    if (seenAt == null) this.#forgetBeyond(key, now);
    else if (Number(seenAt) - now > tolerance) this.#moveBack(key, Number(seenAt) - now);
    else if (Number(seenAt) >= now) return;
    this.#database.run(
      `INSERT INTO limits (key, seen_at) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET seen_at = excluded.seen_at`,
      key,
      now,
    );
  }

  #moveBack(key: string, ms: number): void {
    this.#database.run('UPDATE requests SET at = at - ? WHERE key = ?', ms, key);
    this.#database.run(
      'UPDATE limits SET blocked_until = blocked_until - ?, learnt_at = learnt_at - ? WHERE key = ?',
      ms,
      ms,
      key,
    );
  }

  /** Deletes pauses that no service can have asked for, in a file without times. */
  #forgetBeyond(key: string, now: number): void {
    this.#database.run('DELETE FROM requests WHERE key = ? AND at > ?', key, now + tolerance);
    this.#database.run(
      'UPDATE limits SET blocked_until = 0 WHERE key = ? AND blocked_until > ?',
      key,
      now + maxBlockMs,
    );
  }

  #freeAt(key: string, { count, window }: Limit): number {
    const row = this.#database.get(
      'SELECT at FROM requests WHERE key = ? ORDER BY at DESC LIMIT 1 OFFSET ?',
      key,
      count - 1,
    );
    // The clocks of two machines run apart a little.
    return row === undefined ? 0 : Number(row.at) + window * 1.002;
  }

  /** Records the latest time at which the request may have arrived. */
  arrived(id: number, at: number): void {
    this.#database.run('UPDATE requests SET at = ? WHERE id = ?', at, id);
  }

  giveBack(id: number): void {
    this.#database.run('DELETE FROM requests WHERE id = ?', id);
  }

  /** Requests that are counted in the time up to now. */
  count(key: string, now: number, window: number): number {
    const row = this.#database.get(
      'SELECT count(*) AS count FROM requests WHERE key = ? AND at > ? AND at <= ?',
      key,
      now - window,
      now,
    );
    return Number(row?.count ?? 0);
  }

  /** Requests of others, of which this machine knows only that they are counted. */
  add(key: string, at: number, count: number): void {
    this.#database.write(() => {
      for (let one = 0; one < count; one++)
        this.#database.run('INSERT INTO requests (key, at) VALUES (?, ?)', key, at);
    });
  }

  close(): void {
    this.#database.close();
  }
}
