/** Opens SQLite files read-only: no SQL can change this or another file. */
import { constants as constantsOfBuffers } from 'node:buffer';
import { existsSync } from 'node:fs';
import { constants, DatabaseSync } from 'node:sqlite';
import type { Cell, StoredRow } from './database.ts';
import {
  type FileDescription,
  isContentError,
  isSqliteError,
  StorageFailure,
  toStorageError,
} from './failures.ts';
import { type FileFormat, headerProblem } from './formats.ts';

export interface ReadOnlyFormat extends FileDescription, Omit<FileFormat, 'version'> {
  /** The version that the file must have; undefined for any. */
  version: number | undefined;
  /** How long to wait for another process, in milliseconds. */
  busyTimeoutMs: number;
  /** Deterministic functions without side effects that SQL can call by these names. */
  functions?: Readonly<Record<string, (cell: Cell) => Cell>> | undefined;
}

/** The values of `?` or of named parameters. */
export type Parameters = readonly Cell[] | Readonly<Record<string, Cell>>;

/** The error for invalid SQL of the user; the message is SQLite's. */
export class InvalidSql extends Error {}

/** A read-only connection to one file. */
export class ReadOnlyDatabase {
  readonly #format: ReadOnlyFormat;
  readonly #connection: DatabaseSync;

  /** Opens the file. Throws a StorageFailure if it doesn't exist or has another format. */
  constructor(format: ReadOnlyFormat) {
    this.#format = format;
    if (!existsSync(format.file)) throw new StorageFailure('unreachable', format);
    this.#connection = this.#withStorageErrors(
      () => new DatabaseSync(format.file, { readOnly: true, timeout: format.busyTimeoutMs }),
    );
    try {
      this.#check();
      for (const [name, work] of Object.entries(format.functions ?? {})) {
        this.#connection.function(name, { deterministic: true }, (cell) => work(cell as Cell));
      }
      this.#withStorageErrors(() => this.#connection.exec('PRAGMA query_only = ON'));
      this.#restrictActions();
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Begins a read transaction, so that all following reads see the same state. */
  beginSnapshot(): void {
    this.#withStorageErrors(() => {
      this.#connection.setAuthorizer?.(null);
      this.#connection.exec('BEGIN');
      this.#restrictActions();
    });
  }

  /** Runs boh's own SQL. */
  all(sql: string, parameters: readonly Cell[]): StoredRow[] {
    return this.#withStorageErrors(() => this.#connection.prepare(sql).all(...parameters) as StoredRow[]);
  }

  /**
   * Runs one statement of the user and returns its rows one by one, with the names of its columns.
   * Throws InvalidSql for invalid SQL, for several statements, and for statements that aren't queries.
   */
  rows(sql: string, parameters: Parameters): { columns: string[]; rows: Iterable<Cell[]> } {
    return this.#withStorageErrors(() => this.#prepareRows(sql, parameters), true);
  }

  close(): void {
    if (this.#connection.isOpen) this.#connection.close();
  }

  /** Restricts the allowed actions, because a statement on a read-only file could create another file. */
  #restrictActions(): void {
    this.#connection.setAuthorizer?.((action) =>
      isAllowed(action) ? constants.SQLITE_OK : constants.SQLITE_DENY,
    );
  }

  #prepareRows(sql: string, parameters: Parameters): { columns: string[]; rows: Iterable<Cell[]> } {
    const statement = this.#connection.prepare(sql);
    // SQLite runs the first statement and ignores the rest.
    if (!isBlank(sql.slice(sql.indexOf(statement.sourceSQL) + statement.sourceSQL.length))) {
      throw new InvalidSql('Only one statement can run at a time.');
    }
    const columnDescriptions = statement.columns();
    const columns = columnDescriptions.map(({ name }) => name);
    if (columns.length === 0) throw notAQueryError();
    const areComputed = columnDescriptions.map(({ column }) => column === null);
    statement.setReturnArrays(true);
    statement.setReadBigInts(true);
    const results = Array.isArray(parameters)
      ? statement.iterate(...(parameters as Cell[]).map(toBinding))
      : statement.iterate(
          Object.fromEntries(
            Object.entries(parameters).map(([name, cell]) => [name, toBinding(cell as Cell)]),
          ),
        );
    const withStorageErrors = <T>(work: () => T) => this.#withStorageErrors(work, true);
    function* rows(): Generator<Cell[]> {
      const iterator = (results as unknown as Iterable<(Cell | bigint | Uint8Array)[]>)[Symbol.iterator]();
      for (;;) {
        // Node returns undefined for a row with a string that is too long.
        const next: IteratorResult<(Cell | bigint | Uint8Array)[]> | undefined = withStorageErrors(() =>
          iterator.next(),
        );
        if (!next) throw tooLongError();
        if (next.done) return;
        yield next.value.map((cell, index) => toCell(cell, areComputed[index]));
      }
    }
    return { columns, rows: rows() };
  }

  #check(): void {
    const problem = headerProblem(this.#format, (name) => this.#pragma(name));
    if (problem !== undefined) throw new StorageFailure(problem, this.#format);
  }

  #pragma(name: string): unknown {
    return this.#withStorageErrors(() => this.#connection.prepare(`PRAGMA ${name}`).get()?.[name]);
  }

  #withStorageErrors<T>(work: () => T, isUserSql = false): T {
    try {
      return work();
    } catch (error) {
      if (isUserSql && isForbidden(error)) throw notAQueryError();
      const translated = toStorageError(error, this.#format);
      if (translated === error && isUserSql && isSqlError(error)) throw new InvalidSql(error.message);
      if (
        translated === error &&
        isSqliteError(error) &&
        isContentError(error, { ...this.#format, isShared: false })
      )
        throw new StorageFailure('damaged', this.#format, { cause: error });
      throw translated;
    }
  }
}

const allowedActions = new Set([
  constants.SQLITE_SELECT,
  constants.SQLITE_READ,
  constants.SQLITE_FUNCTION,
  constants.SQLITE_RECURSIVE,
]);

function isAllowed(action: number): boolean {
  return allowedActions.has(action);
}

/** Returns whether SQLite refused the statement because it would write. */
function isForbidden(error: unknown): boolean {
  return isSqliteError(error) && [8, 23].includes(Number(error.errcode) & 0xff);
}

function notAQueryError(): InvalidSql {
  return new InvalidSql('The mirror is read-only: only SELECT is allowed.');
}

function isSqlError(error: unknown): error is Error {
  if (isSqliteError(error)) return true;
  return error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_');
}

/** Converts integers to BigInt: SQLite would read 123 as 123.0, which doesn't match text. */
function toBinding(cell: Cell): Cell | bigint {
  return Number.isSafeInteger(cell) ? BigInt(cell as number) : cell;
}

/** Rounds a computed number to 15 digits, like SQLite's shell: 0.1 + 0.2 is 0.3. */
export function roundDouble(number: number): Cell {
  return finiteNumberOrText(Number(number.toPrecision(15)));
}

/** Returns infinite numbers as text, because JSON can't represent them. */
function finiteNumberOrText(number: number): Cell {
  return Number.isFinite(number) ? number : String(number);
}

function tooLongError(): InvalidSql {
  return new InvalidSql('The result has a value that is too long.');
}

/** Converts a value of SQLite: integers that JavaScript can't represent exactly become text, and bytes become hex. */
function toCell(cell: Cell | bigint | Uint8Array, isComputed = false): Cell {
  if (typeof cell === 'number') return isComputed ? roundDouble(cell) : finiteNumberOrText(cell);
  if (typeof cell === 'bigint') {
    const number = Number(cell);
    return Number.isSafeInteger(number) ? number : String(cell);
  }
  if (!(cell instanceof Uint8Array)) return cell;
  if (cell.length * 2 > constantsOfBuffers.MAX_STRING_LENGTH) throw tooLongError();
  return Buffer.from(cell).toString('hex');
}

/** Returns whether SQL has only comments, spaces and semicolons. */
function isBlank(text: string): boolean {
  return /^(?:\s|;|--[^\n]*(?:\n|$)|\/\*[\s\S]*?(?:\*\/|$))*$/.test(text);
}
