/** One connection to a sandbox's file: prepared statements kept, writes one at a time, and damage told apart from bugs. */
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { Cell, Row } from './cells.ts';
import { Busy, noRoom, UnusableFile, unreachable } from './failures.ts';
import { fold } from './fold.ts';

/** How long a process waits for another's write, in milliseconds. */
const patience = 5000;

/** Queries differ with their filters; more than this many kinds are not remembered. */
const mostStatements = 400;

/** SQLite's own result codes. */
const codes = {
  busy: 5,
  locked: 6,
  readOnly: 8,
  io: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  notADatabase: 26,
};

export class Database {
  readonly file: string;
  readonly #connection: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  #isInTransaction = false;

  constructor(file: string) {
    this.file = file;
    this.#connection = this.#telling(
      () => new DatabaseSync(file, { timeout: patience, enableForeignKeyConstraints: false }),
    );
    this.#connection.function('fold', { deterministic: true }, (text) => fold(text as Cell));
  }

  get(sql: string, ...cells: Cell[]): Row | undefined {
    return this.#telling(() => this.#statement(sql).get(...cells) as Row | undefined);
  }

  all(sql: string, ...cells: Cell[]): Row[] {
    return this.#telling(() => this.#statement(sql).all(...cells) as Row[]);
  }

  run(sql: string, ...cells: Cell[]): number {
    return this.#telling(() => Number(this.#statement(sql).run(...cells).changes));
  }

  /** Answers the new row's `seq`. */
  insert(sql: string, ...cells: Cell[]): number {
    return this.#telling(() => Number(this.#statement(sql).run(...cells).lastInsertRowid));
  }

  /** Several statements, without values. */
  script(sql: string): void {
    this.#telling(() => this.#connection.exec(sql));
  }

  /** Everything that the work reads is of one moment. */
  read<T>(work: () => T): T {
    return this.#transaction('BEGIN', work);
  }

  /** All of the work or none of it, alone among the processes that use the file. */
  write<T>(work: () => T): T {
    return this.#transaction('BEGIN IMMEDIATE', work);
  }

  close(): void {
    this.#statements.clear();
    if (this.#connection.isOpen) this.#connection.close();
  }

  #transaction<T>(begin: string, work: () => T): T {
    if (this.#isInTransaction) return work();
    this.script(begin);
    this.#isInTransaction = true;
    try {
      const result = work();
      this.script('COMMIT');
      return result;
    } catch (error) {
      this.#rollBack();
      throw error;
    } finally {
      this.#isInTransaction = false;
    }
  }

  /** SQLite has already done it after some failures, such as a full disk. */
  #rollBack(): void {
    if (this.#connection.isTransaction) this.#connection.exec('ROLLBACK');
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known) return known;
    if (this.#statements.size >= mostStatements) this.#statements.clear();
    const statement = this.#connection.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  #telling<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw this.#told(error);
    }
  }

  #told(error: unknown): unknown {
    // Extended codes keep the plain one in their lowest byte.
    const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : 0;
    switch (code) {
      case codes.busy:
      case codes.locked:
        return new Busy(this.file, error);
      case codes.corrupt:
      case codes.notADatabase:
        return new UnusableFile(this.file, 'is damaged', error);
      case codes.full:
        return noRoom(this.file, error);
      case codes.io:
      case codes.readOnly:
      case codes.cannotOpen:
        return unreachable(this.file, error);
      default:
        return error;
    }
  }
}
