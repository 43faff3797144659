/** Opens SQLite files read-only: no SQL can change this or another file. */
import { constants as constantsOfBuffers } from 'node:buffer';
import { existsSync } from 'node:fs';
import { constants, DatabaseSync } from 'node:sqlite';
import type { Cell, StoredRow } from './database.ts';
import { isOfSqlite, type Naming, StorageFailure, storageError } from './failures.ts';
import { type FileFormat, headerProblem } from './formats.ts';

export interface ReadOnlyForm extends Naming, FileFormat {
  /** How long to wait for another process, in milliseconds. */
  wait: number;
  /** Deterministic functions without side effects that SQL can call by these names. */
  functions?: Readonly<Record<string, (cell: Cell) => Cell>> | undefined;
}

export type Parameters = readonly Cell[] | Readonly<Record<string, Cell>>;

/** SQL that can't run, with SQLite's message for people. */
export class UnusableSql extends Error {}

export class ReadOnly {
  readonly #form: ReadOnlyForm;
  readonly #connection: DatabaseSync;
  /** The version of the content. */
  version = 0;

  /** Opens the file. Throws a StorageFailure if it doesn't exist or has another format. */
  constructor(form: ReadOnlyForm) {
    this.#form = form;
    if (!existsSync(form.file)) throw new StorageFailure('unreachable', form);
    this.#connection = this.#withStorageErrors(
      () => new DatabaseSync(form.file, { readOnly: true, timeout: form.wait }),
    );
    try {
      this.#check();
      for (const [name, work] of Object.entries(form.functions ?? {})) {
        this.#connection.function(name, { deterministic: true }, (cell) => work(cell as Cell));
      }
      this.#withStorageErrors(() => this.#connection.exec('PRAGMA query_only = ON'));
      this.#guard();
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Starts a read transaction: from the next statement on, reads are consistent. */
  standStill(): void {
    this.#withStorageErrors(() => {
      this.#connection.setAuthorizer?.(null);
      this.#connection.exec('BEGIN');
      this.#guard();
    });
  }

  /** Runs SQL of boh. */
  all(sql: string, parameters: readonly Cell[]): StoredRow[] {
    return this.#withStorageErrors(() => this.#connection.prepare(sql).all(...parameters) as StoredRow[]);
  }

  /**
   * Runs one statement of the user and returns its rows one by one, with the names of its columns.
   * Throws UnusableSql for invalid SQL, for several statements, and for statements that aren't queries.
   */
  rows(sql: string, parameters: Parameters): { columns: string[]; rows: Iterable<Cell[]> } {
    return this.#withStorageErrors(() => this.#prepared(sql, parameters), true);
  }

  close(): void {
    if (this.#connection.isOpen) this.#connection.close();
  }

  /** Checks the statement, because one that only reads this file could create another. */
  #guard(): void {
    this.#connection.setAuthorizer?.((action) =>
      isHarmless(action) ? constants.SQLITE_OK : constants.SQLITE_DENY,
    );
  }

  #prepared(sql: string, parameters: Parameters): { columns: string[]; rows: Iterable<Cell[]> } {
    const statement = this.#connection.prepare(sql);
    // SQLite runs the first statement and ignores the rest.
    if (!isBlank(sql.slice(sql.indexOf(statement.sourceSQL) + statement.sourceSQL.length))) {
      throw new UnusableSql('Only one statement can run at a time.');
    }
    const described = statement.columns();
    const columns = described.map(({ name }) => name);
    if (columns.length === 0) throw notAQuery();
    const areComputed = described.map(({ column }) => column === null);
    statement.setReturnArrays(true);
    statement.setReadBigInts(true);
    const found = Array.isArray(parameters)
      ? statement.iterate(...(parameters as Cell[]).map(bound))
      : statement.iterate(
          Object.fromEntries(Object.entries(parameters).map(([name, cell]) => [name, bound(cell as Cell)])),
        );
    const withStorageErrors = <T>(work: () => T) => this.#withStorageErrors(work, true);
    function* rows(): Generator<Cell[]> {
      const iterator = (found as unknown as Iterable<(Cell | bigint | Uint8Array)[]>)[Symbol.iterator]();
      for (;;) {
        // Node returns undefined for a row with a text that is too long.
        const next: IteratorResult<(Cell | bigint | Uint8Array)[]> | undefined = withStorageErrors(() =>
          iterator.next(),
        );
        if (!next) throw tooLong();
        if (next.done) return;
        yield next.value.map((cell, at) => plain(cell, areComputed[at]));
      }
    }
    return { columns, rows: rows() };
  }

  #check(): void {
    const problem = headerProblem(this.#form, (name) => this.#pragma(name));
    if (problem !== undefined) throw new StorageFailure(problem, this.#form);
    this.version = Number(this.#pragma('user_version'));
  }

  #pragma(name: string): unknown {
    return this.#withStorageErrors(() => this.#connection.prepare(`PRAGMA ${name}`).get()?.[name]);
  }

  #withStorageErrors<T>(work: () => T, isOfOthers = false): T {
    try {
      return work();
    } catch (error) {
      if (isOfOthers && isForbidden(error)) throw notAQuery();
      const translated = storageError(error, this.#form);
      if (translated === error && isOfOthers && isSqlError(error)) throw new UnusableSql(error.message);
      throw translated;
    }
  }
}

const harmless = new Set([
  constants.SQLITE_SELECT,
  constants.SQLITE_READ,
  constants.SQLITE_FUNCTION,
  constants.SQLITE_RECURSIVE,
]);

function isHarmless(action: number): boolean {
  return harmless.has(action);
}

/** Whether SQLite refused the statement because it would write. */
function isForbidden(error: unknown): boolean {
  return isOfSqlite(error) && [8, 23].includes(Number(error.errcode) & 0xff);
}

function notAQuery(): UnusableSql {
  return new UnusableSql('Only queries that change nothing can run.');
}

/** Whether the error is about the SQL or its parameters. */
function isSqlError(error: unknown): error is Error {
  if (isOfSqlite(error)) return true;
  return error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_');
}

/** Converts integers to BigInt: SQLite would read 123 as 123.0, which doesn't match texts. */
function bound(cell: Cell): Cell | bigint {
  return Number.isSafeInteger(cell) ? BigInt(cell as number) : cell;
}

/** Rounds a computed double to its certain digits, as SQLite's shell does: 0.1 + 0.2 is 0.3. */
export function roundedDouble(number: number): Cell {
  return shownDouble(Number(number.toPrecision(15)));
}

/** Returns a number for display: JSON has no infinite numbers. */
function shownDouble(number: number): Cell {
  return Number.isFinite(number) ? number : String(number);
}

function tooLong(): UnusableSql {
  return new UnusableSql('The result has a value that is too long.');
}

/** Returns integers that JavaScript can't represent exactly as text. */
function plain(cell: Cell | bigint | Uint8Array, isComputed = false): Cell {
  if (typeof cell === 'number') return isComputed ? roundedDouble(cell) : shownDouble(cell);
  if (typeof cell === 'bigint') {
    const number = Number(cell);
    return Number.isSafeInteger(number) ? number : String(cell);
  }
  if (!(cell instanceof Uint8Array)) return cell;
  if (cell.length * 2 > constantsOfBuffers.MAX_STRING_LENGTH) throw tooLong();
  return Buffer.from(cell).toString('hex');
}

/** Matches comments, spaces and semicolons. */
function isBlank(text: string): boolean {
  return /^(?:\s|;|--[^\n]*(?:\n|$)|\/\*[\s\S]*?(?:\*\/|$))*$/.test(text);
}
