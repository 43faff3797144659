/** A file of SQLite opened to be read and nothing else: whatever SQL it is given, nothing changes, there or elsewhere. */
import { constants as constantsOfBuffers } from 'node:buffer';
import { existsSync } from 'node:fs';
import { constants, DatabaseSync } from 'node:sqlite';
import type { Cell, StoredRow } from './database.ts';
import { isOfSqlite, type Naming, StorageFailure, storageError } from './failures.ts';
import { type FileFormat, headerProblem } from './formats.ts';

export interface ReadOnlyForm extends Naming, FileFormat {
  /** How long to wait for another process, in milliseconds. */
  wait: number;
  /** Callable in SQL by these names. They answer the same for the same, always, and do nothing else. */
  functions?: Readonly<Record<string, (cell: Cell) => Cell>> | undefined;
}

export type Parameters = readonly Cell[] | Readonly<Record<string, Cell>>;

/** What SQLite itself says of SQL that can’t run; its message is for people. */
export class UnusableSql extends Error {}

export class ReadOnly {
  readonly #form: ReadOnlyForm;
  readonly #connection: DatabaseSync;
  /** Of its content, as whoever made it counts. */
  version = 0;

  /** Throws a StorageFailure where there is no such file, or it is none of the form’s. */
  constructor(form: ReadOnlyForm) {
    this.#form = form;
    if (!existsSync(form.file)) throw new StorageFailure('unreachable', form);
    this.#connection = this.#telling(
      () => new DatabaseSync(form.file, { readOnly: true, timeout: form.wait }),
    );
    try {
      this.#check();
      for (const [name, work] of Object.entries(form.functions ?? {})) {
        this.#connection.function(name, { deterministic: true }, (cell) => work(cell as Cell));
      }
      this.#telling(() => this.#connection.exec('PRAGMA query_only = ON'));
      this.#guard();
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** From the next statement on everything is read as it is then, whoever writes meanwhile. */
  standStill(): void {
    this.#telling(() => {
      this.#connection.setAuthorizer?.(null);
      this.#connection.exec('BEGIN');
      this.#guard();
    });
  }

  /** Our own SQL. */
  all(sql: string, parameters: readonly Cell[]): StoredRow[] {
    return this.#telling(() => this.#connection.prepare(sql).all(...parameters) as StoredRow[]);
  }

  /**
   * The rows of one statement, whoever wrote it, one after the other, and the names of its columns.
   * Throws UnusableSql for what SQLite can’t make sense of, for several statements, and for what isn’t a query.
   */
  rows(sql: string, parameters: Parameters): { columns: string[]; rows: Iterable<Cell[]> } {
    return this.#telling(() => this.#prepared(sql, parameters), true);
  }

  close(): void {
    if (this.#connection.isOpen) this.#connection.close();
  }

  /** Another file could be made by a statement that only reads this one. */
  #guard(): void {
    this.#connection.setAuthorizer?.((action) =>
      isHarmless(action) ? constants.SQLITE_OK : constants.SQLITE_DENY,
    );
  }

  #prepared(sql: string, parameters: Parameters): { columns: string[]; rows: Iterable<Cell[]> } {
    const statement = this.#connection.prepare(sql);
    // SQLite takes the first statement, and leaves what follows aside.
    if (!isBlank(sql.slice(sql.indexOf(statement.sourceSQL) + statement.sourceSQL.length))) {
      throw new UnusableSql('There are several statements: one at a time is run.');
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
    const telling = <T>(work: () => T) => this.#telling(work, true);
    function* rows(): Generator<Cell[]> {
      const walk = (found as unknown as Iterable<(Cell | bigint | Uint8Array)[]>)[Symbol.iterator]();
      for (;;) {
        // Nothing is what Node answers of a row that holds a longer text than it can.
        const next: IteratorResult<(Cell | bigint | Uint8Array)[]> | undefined = telling(() => walk.next());
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
    return this.#telling(() => this.#connection.prepare(`PRAGMA ${name}`).get()?.[name]);
  }

  #telling<T>(work: () => T, isOfOthers = false): T {
    try {
      return work();
    } catch (error) {
      if (isOfOthers && isForbidden(error)) throw notAQuery();
      const told = storageError(error, this.#form);
      if (told === error && isOfOthers && isSqlError(error)) throw new UnusableSql(error.message);
      throw told;
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

/** What would write, here or elsewhere: refused by the connection itself, or by its authorizer. */
function isForbidden(error: unknown): boolean {
  return isOfSqlite(error) && [8, 23].includes(Number(error.errcode) & 0xff);
}

function notAQuery(): UnusableSql {
  return new UnusableSql('Only queries are run, and they change nothing.');
}

/** SQLite’s own complaints, and those of Node about parameters. */
function isSqlError(error: unknown): error is Error {
  if (isOfSqlite(error)) return true;
  return error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_');
}

/** Else 123 would be the number 123.0 to SQLite, which is not what stands in a column of texts. */
function bound(cell: Cell): Cell | bigint {
  return Number.isSafeInteger(cell) ? BigInt(cell as number) : cell;
}

/** A double that was computed, to the digits that are certain: 0.1 + 0.2 is 0.3, as SQLite’s own shell shows it. */
export function roundedDouble(number: number): Cell {
  return shownDouble(Number(number.toPrecision(15)));
}

/** JSON has no numbers beyond all others. */
function shownDouble(number: number): Cell {
  return Number.isFinite(number) ? number : String(number);
}

function tooLong(): UnusableSql {
  return new UnusableSql('It answers a value that is longer than a text can be.');
}

/** A number that JavaScript doesn’t hold exactly stays the text of its digits. */
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

/** Comments, blanks and semicolons. */
function isBlank(text: string): boolean {
  return /^(?:\s|;|--[^\n]*(?:\n|$)|\/\*[\s\S]*?(?:\*\/|$))*$/.test(text);
}
