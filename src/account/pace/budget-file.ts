/** Stores the request budget of each token on this machine: sent requests, the service's limit, and the end of its pause. */
import { rmSync } from 'node:fs';
import type { Database } from '../../base/storage/database.ts';
import { StorageFailure, systemErrorCode } from '../../base/storage/failures.ts';
import { fileFormats } from '../../base/storage/formats.ts';
import { openFile } from '../../base/storage/open.ts';
import type { RequestLimit } from './limit.ts';

/** The source of a limit: the service reported it, or boh inferred it from refused requests. Inferred limits expire soon. */
type LimitSource = 'reported' | 'inferred';

/** The limit of a token. Times are in milliseconds since 1970. */
export interface TokenLimit {
  limit: RequestLimit | undefined;
  blockedUntil: number;
}

/** Milliseconds until a stored limit expires, by its source. */
const maxLimitAgeMs = { reported: 30 * 86_400_000, inferred: 3_600_000 };

/** Milliseconds for which requests are counted. */
const maxWindowMs = 3_600_000;

/**
 * Creates the tables. `seen_at` is the time at which a process last counted a request. If the file contains later times,
 * the clock was set back.
 */
function createTables(database: Database): void {
  database.script(`
    CREATE TABLE limits (
      key TEXT PRIMARY KEY, count INTEGER, window INTEGER, source TEXT, learnt_at INTEGER, blocked_until INTEGER,
      suspected INTEGER, seen_at INTEGER
    ) WITHOUT ROWID;
    CREATE TABLE requests (id INTEGER PRIMARY KEY, key TEXT NOT NULL, at REAL NOT NULL);
    CREATE INDEX requests_by_time ON requests (key, at);
  `);
}

/** The allowed difference in milliseconds between the clocks of two processes: one may wait for the other's transaction. */
const clockToleranceMs = 5_000;

/** Opens the file. Its content is short-lived: a file that can't be used is created again, or replaced by one in memory. */
export function openBudgetFile(file: string): BudgetFile {
  for (const attempt of ['existing', 'new'] as const) {
    try {
      if (attempt === 'new')
        for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
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
    createTables,
    remedy: 'It can be deleted.',
    durability: 'process',
    busyTimeoutMs: 2000,
    functions: {},
  });
}

/** The requests and limits of all tokens, by the key of the token. */
export class BudgetFile {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Returns the limit of a token, unless it has expired, and the end of the service's pause. */
  limitOf(key: string, now: number): TokenLimit {
    const row = this.#database.get('SELECT * FROM limits WHERE key = ?', key);
    const age = now - Number(row?.learnt_at ?? 0);
    const isValid = row?.count != null && age >= 0 && age < maxLimitAgeMs[row.source as LimitSource];
    return {
      limit: isValid ? { maxRequests: Number(row.count), windowMs: Number(row.window) } : undefined,
      blockedUntil: Number(row?.blocked_until ?? 0),
    };
  }

  saveLimit(key: string, limit: RequestLimit, source: LimitSource, now: number): void {
    this.#database.run(
      `INSERT INTO limits (key, count, window, source, learnt_at, blocked_until) VALUES (?, ?, ?, ?, ?, 0)
       ON CONFLICT (key) DO UPDATE SET count = excluded.count, window = excluded.window,
         source = excluded.source, learnt_at = excluded.learnt_at`,
      key,
      limit.maxRequests,
      limit.windowMs,
      source,
      now,
    );
  }

  /**
   * Records a pause: no request is sent before `until`. Earlier requests are deleted, because they no longer count then.
   */
  block(key: string, until: number, now: number): void {
    this.#database.write(() => {
      this.#adjustToClock(key, now);
      this.#database.run(
        `INSERT INTO limits (key, blocked_until) VALUES (?, ?)
         ON CONFLICT (key) DO UPDATE SET blocked_until = max(coalesce(blocked_until, 0), excluded.blocked_until)`,
        key,
        until,
      );
      this.#database.run('DELETE FROM requests WHERE key = ? AND at <= ?', key, now);
    });
  }

  /** Returns the number of requests at the previous refusal, which may be the limit; 0 if there was none. */
  suspectedCount(key: string): number {
    return Number(this.#database.get('SELECT suspected FROM limits WHERE key = ?', key)?.suspected ?? 0);
  }

  saveSuspectedCount(key: string, count: number): void {
    this.#database.run(
      `INSERT INTO limits (key, suspected) VALUES (?, ?)
       ON CONFLICT (key) DO UPDATE SET suspected = excluded.suspected`,
      key,
      count,
    );
  }

  /** Reserves the next free slot within the limit. Returns its ID and time. */
  takeSlot(
    key: string,
    now: number,
    configuredLimit: RequestLimit | undefined,
    lowerLimit: (a?: RequestLimit, b?: RequestLimit) => RequestLimit | undefined,
  ) {
    return this.#database.write(() => {
      this.#adjustToClock(key, now);
      const { limit: serviceLimit, blockedUntil } = this.limitOf(key, now);
      const limit = lowerLimit(serviceLimit, configuredLimit);
      this.#database.run(
        'DELETE FROM requests WHERE key = ? AND (at < ? OR at > ?)',
        key,
        now - maxWindowMs,
        now + 2 * maxWindowMs,
      );
      const freeAt = limit ? this.#nextFreeTime(key, limit) : now;
      const time = Math.max(now, freeAt, blockedUntil);
      const id = this.#database.insert('INSERT INTO requests (key, at) VALUES (?, ?)', key, time);
      return { id, time, limit, isBlocked: blockedUntil >= time && blockedUntil > now };
    });
  }

  /** If the clock was set back, moves all times back by the same difference. */
  #adjustToClock(key: string, now: number): void {
    const row = this.#database.get('SELECT seen_at FROM limits WHERE key = ?', key);
    const seenAt = Number(row?.seen_at ?? 0);
    if (seenAt - now > clockToleranceMs) this.#moveTimesBack(key, seenAt - now);
    else if (seenAt >= now) return;
    this.#database.run(
      `INSERT INTO limits (key, seen_at) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET seen_at = excluded.seen_at`,
      key,
      now,
    );
  }

  #moveTimesBack(key: string, ms: number): void {
    this.#database.run('UPDATE requests SET at = at - ? WHERE key = ?', ms, key);
    this.#database.run(
      'UPDATE limits SET blocked_until = blocked_until - ?, learnt_at = learnt_at - ? WHERE key = ?',
      ms,
      ms,
      key,
    );
  }

  #nextFreeTime(key: string, { maxRequests, windowMs }: RequestLimit): number {
    const row = this.#database.get(
      'SELECT at FROM requests WHERE key = ? ORDER BY at DESC LIMIT 1 OFFSET ?',
      key,
      maxRequests - 1,
    );
    // The clocks of two machines run at slightly different speeds.
    return row === undefined ? 0 : Number(row.at) + windowMs * 1.002;
  }

  /** Records the latest time at which the request may have arrived. */
  recordArrival(id: number, time: number): void {
    this.#database.run('UPDATE requests SET at = ? WHERE id = ?', time, id);
  }

  /** Deletes a slot that wasn't used. */
  releaseSlot(id: number): void {
    this.#database.run('DELETE FROM requests WHERE id = ?', id);
  }

  /** Returns the number of requests in the `windowMs` milliseconds before `now`. */
  countRequests(key: string, now: number, windowMs: number): number {
    const row = this.#database.get(
      'SELECT count(*) AS count FROM requests WHERE key = ? AND at > ? AND at <= ?',
      key,
      now - windowMs,
      now,
    );
    return Number(row?.count ?? 0);
  }

  /** Adds requests of other machines, which the service has counted. */
  addRequests(key: string, time: number, count: number): void {
    this.#database.write(() => {
      for (let index = 0; index < count; index++)
        this.#database.run('INSERT INTO requests (key, at) VALUES (?, ?)', key, time);
    });
  }

  close(): void {
    this.#database.close();
  }
}
