/** A connection to a SQLite file, with cached statements, transactions and classified failures. */
import { resolve, sep } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { WriteStatus } from '../errors.ts';
import {
  type FileDescription,
  isContentError,
  isSqliteError,
  markNotSent,
  StorageFailure,
  toStorageError,
} from './failures.ts';
import { OpenFileIdentity } from './file-identity.ts';

/** A value in SQL. */
export type Cell = string | number | null;

/** A row of a table: cells by column name. */
export type StoredRow = Readonly<Record<string, Cell>>;

export interface ConnectionSettings extends FileDescription {
  /**
   * What a committed write survives. `process`: the crash of a process, but a power failure may lose the last writes.
   * `power`: also a power failure, at the cost of a disk sync for each write.
   */
  durability: 'process' | 'power';
  /**
   * How long a statement waits for another process, in milliseconds. The wait blocks the whole
   * process; with other work to do, use 0 and `retryWhileBusy`.
   */
  busyTimeoutMs: number;
  /** The number of pages in the log before a checkpoint, which needs a disk sync; the default is SQLite's 1000. */
  checkpointPages?: number | undefined;
  /** Deterministic functions that SQL can call by these names. */
  functions: Readonly<Record<string, (...cells: Cell[]) => Cell>>;
}

/** The maximum number of problems that `checkIntegrity` returns. */
const maxProblems = 20;

/** The maximum number of prepared statements to cache. */
const maxStatements = 400;

/** A connection to one file. Failures of SQLite and the system are thrown as a StorageFailure. */
export class Database {
  /** The path, or `:memory:`. */
  readonly file: string;
  readonly #description: FileDescription;
  #connection: DatabaseSync;
  readonly #identity: OpenFileIdentity | undefined;
  readonly #statements = new Map<string, StatementSync>();
  #isInTransaction = false;
  /** Whether the current transaction writes. */
  #isWriting = false;
  #writeCount = 0;
  readonly #synchronous: string;
  readonly #busyTimeoutMs: number;
  readonly #functions: ConnectionSettings['functions'];

  constructor({
    file,
    durability,
    checkpointPages = 1000,
    busyTimeoutMs,
    functions,
    label,
    remedy,
    isShared,
  }: ConnectionSettings) {
    this.file = file;
    this.#busyTimeoutMs = busyTimeoutMs;
    this.#synchronous = durability === 'power' ? 'FULL' : 'NORMAL';
    this.#description = { file, label, remedy, isShared };
    this.#identity = file === ':memory:' ? undefined : new OpenFileIdentity(file);
    this.#functions = functions;
    this.#connection = this.#withStorageErrors(() => this.#connect());
    const settings = `PRAGMA synchronous = ${this.#synchronous}; PRAGMA wal_autocheckpoint = ${checkpointPages}`;
    this.#withStorageErrors(() => this.#connection.exec(settings));
  }

  /** Returns whether a transaction is open, in which a failure must end the transaction. */
  get isInTransaction(): boolean {
    return this.#isInTransaction;
  }

  #connect(): DatabaseSync {
    const connection = new DatabaseSync(fileUrl(this.file, 'mode=rw'), {
      timeout: this.#busyTimeoutMs,
      enableForeignKeyConstraints: false,
    });
    for (const [name, work] of Object.entries(this.#functions)) defineFunction(connection, name, work);
    return connection;
  }

  get(sql: string, ...cells: Cell[]): StoredRow | undefined {
    return this.#withStorageErrors(() => this.#statement(sql).get(...cells) as StoredRow | undefined);
  }

  all(sql: string, ...cells: Cell[]): StoredRow[] {
    return this.#withStorageErrors(() => this.#statement(sql).all(...cells) as StoredRow[]);
  }

  run(sql: string, ...cells: Cell[]): number {
    return this.write(() =>
      this.#withStorageErrors(() => Number(this.#statement(sql).run(...cells).changes)),
    );
  }

  /** Runs the statement once for each row of cells. */
  runEach(sql: string, rows: Iterable<readonly Cell[]>): void {
    this.write(() =>
      this.#withStorageErrors(() => {
        const statement = this.#statement(sql);
        for (const cells of rows) statement.run(...cells);
      }),
    );
  }

  /** Returns the `INTEGER PRIMARY KEY` of the new row. */
  insert(sql: string, ...cells: Cell[]): number {
    return this.write(() =>
      this.#withStorageErrors(() => Number(this.#statement(sql).run(...cells).lastInsertRowid)),
    );
  }

  /** Runs several statements without values, outside the transactions of `write`. */
  script(sql: string): void {
    this.#withStorageErrors(() => this.#connection.exec(sql));
  }

  /** Runs the work in a read transaction, so that it sees a consistent state. */
  read<T>(work: () => T): T {
    if (this.#isInTransaction) return work();
    this.#command('BEGIN');
    this.#isInTransaction = true;
    try {
      const result = work();
      this.#command('COMMIT');
      this.#endTransaction();
      return result;
    } catch (error) {
      this.#rollBack();
      throw error;
    }
  }

  /** Runs the work in a write transaction, exclusively among all processes. */
  write<T>(work: () => T): T {
    if (this.#isInTransaction) {
      this.#isWriting = true;
      return work();
    }
    this.#begin();
    let result: T;
    try {
      result = work();
    } catch (error) {
      this.#rollBack();
      throw markNotSent(error);
    }
    this.#commit();
    return result;
  }

  #begin(): void {
    try {
      this.#command('BEGIN IMMEDIATE');
    } catch (error) {
      throw markNotSent(error);
    }
    this.#isInTransaction = true;
    this.#isWriting = true;
  }

  #commit(): void {
    let isCommitting = false;
    try {
      this.#checkNotMoved('not_sent');
      isCommitting = true;
      this.#command('COMMIT');
    } catch (error) {
      this.#rollBack();
      throw isCommitting ? error : markNotSent(error);
    }
    this.#endTransaction();
    // The file may have been moved between the last check and the end of the transaction.
    this.#checkNotMoved('unknown');
  }

  /** Rolls back; after some failures, such as a full disk, SQLite has already done so. */
  #rollBack(): void {
    this.#endTransaction();
    if (this.#connection.isTransaction) this.#connection.exec('ROLLBACK');
  }

  /** Runs the work as `write` does, with a disk sync: this and all earlier writes survive a power failure. */
  writeDurably<T>(work: () => T): T {
    if (this.#isInTransaction) return this.write(work);
    this.script('PRAGMA synchronous = FULL');
    try {
      return this.write(work);
    } finally {
      this.script(`PRAGMA synchronous = ${this.#synchronous}`);
    }
  }

  /** Runs work that fails as busy at once if another process has locked the file. */
  withoutWaiting<T>(work: () => T): T {
    this.script('PRAGMA busy_timeout = 0');
    try {
      return work();
    } finally {
      this.script(`PRAGMA busy_timeout = ${this.#busyTimeoutMs}`);
    }
  }

  /**
   * Returns a number that changes when any process changes the content. Read it in the same transaction as the data.
   */
  get version(): string {
    const externalVersion = this.#identity ? this.get('PRAGMA data_version')?.data_version : 0;
    return `${externalVersion}.${this.#writeCount}`;
  }

  /** Returns SQLite's descriptions of damage; none if the file is intact. Reads the whole file, which may take seconds. */
  checkIntegrity(): string[] {
    try {
      const rows = this.all(`PRAGMA integrity_check(${maxProblems})`);
      return rows.map(({ integrity_check }) => String(integrity_check)).filter((text) => text !== 'ok');
    } catch (error) {
      if (!(error instanceof StorageFailure && error.problem === 'damaged')) throw error;
      return [error.cause instanceof Error ? error.cause.message : error.message];
    }
  }

  /** Writes a compacted copy to a path that doesn't exist yet. */
  copyTo(path: string): void {
    this.#withStorageErrors(() => this.#connection.prepare('VACUUM INTO ?').run(path));
  }

  /** Returns the content as the bytes of a file; undefined if Node can't (before 24.16). */
  serialize(): Uint8Array | undefined {
    return this.#withStorageErrors(() => this.#connection.serialize?.());
  }

  /** Replaces the content of a database in memory. Returns false if Node can't (before 24.16). Not inside a transaction. */
  deserialize(bytes: Uint8Array): boolean {
    if (!this.#connection.deserialize) return false;
    this.#withStorageErrors(() => {
      // SQLite keeps pointers from functions such as json_each to the replaced schema, so a new connection is needed.
      const connection = this.#connect();
      connection.deserialize(bytes);
      this.close();
      this.#connection = connection;
    });
    this.#writeCount += 1;
    return true;
  }

  /** Attaches another database as `name` during the work. Not inside a transaction. */
  withAttached<T>(file: string, name: string, work: () => T): T {
    this.#withStorageErrors(() => this.#connection.prepare(`ATTACH ? AS ${name}`).run(file));
    try {
      return work();
    } finally {
      this.#statements.clear();
      this.script(`DETACH ${name}`);
    }
  }

  /** Runs work that writes values which it read from this file: if they violate a constraint, the file is damaged. */
  checkStored<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw isSqliteError(error) ? this.damagedFailure(error) : error;
    }
  }

  damagedFailure(cause?: unknown): StorageFailure {
    return new StorageFailure('damaged', this.#description, { cause });
  }

  failure(problem: StorageFailure['problem']): StorageFailure {
    return new StorageFailure(problem, this.#description);
  }

  /** Closes the connection. The last one of all processes writes the log to the file and deletes it. */
  close(): void {
    this.#statements.clear();
    if (this.#connection.isOpen) this.#connection.close();
  }

  #endTransaction(): void {
    this.#isInTransaction = false;
    if (this.#isWriting) this.#writeCount += 1;
    this.#isWriting = false;
  }

  /** Runs a transaction statement. It is also cached, because runs have a transaction for each row. */
  #command(sql: string): void {
    this.#withStorageErrors(() => this.#statement(sql).run());
  }

  /** Returns whether the file was moved or deleted since it was opened. */
  get isMoved(): boolean {
    return this.#identity?.isSameFile() === false;
  }

  #checkNotMoved(outcome: WriteStatus): void {
    if (this.isMoved) throw new StorageFailure('moved', this.#description, { outcome });
  }

  #statement(sql: string): StatementSync {
    const cached = this.#statements.get(sql);
    if (cached) return cached;
    if (this.#statements.size >= maxStatements) this.#statements.clear();
    const statement = this.#connection.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  #withStorageErrors<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw this.#translateError(error);
    }
  }

  /** Classifies an error. boh's SQL fits boh's files: if SQLite can't run it, the file may be damaged. */
  #translateError(error: unknown): unknown {
    const translated = toStorageError(error, this.#description);
    if (translated !== error || !isSqliteError(error)) return translated;
    return isContentError(error, this.#description) || !this.#isIntact()
      ? this.damagedFailure(error)
      : translated;
  }

  #isIntact(): boolean {
    try {
      return this.#connection.prepare('PRAGMA integrity_check(1)').get()?.integrity_check === 'ok';
    } catch {
      return false;
    }
  }
}

/** Defines a function for SQL. It is outside the class, so that its closure doesn't keep the connection alive. */
function defineFunction(connection: DatabaseSync, name: string, work: (...cells: Cell[]) => Cell): void {
  connection.function(name, { deterministic: true, varargs: true }, (...cells) => work(...(cells as Cell[])));
}

/**
 * Returns a URL that opens an existing file with a parameter of SQLite. It is built here because loading Node's URL
 * functions takes as long as opening the file.
 */
export function fileUrl(file: string, parameter: 'mode=rw' | 'immutable=1'): string {
  if (file === ':memory:') return file;
  const path = resolve(file);
  const urlPath = sep === '/' ? path : `/${path.replaceAll(sep, '/')}`;
  return `file://${urlPath.replaceAll(/[%?#]/g, encodeURIComponent)}?${parameter}`;
}
