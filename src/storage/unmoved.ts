/** Whether an open file still stands at its path: what is written to one that doesn’t is written into nowhere. */
import { statSync } from 'node:fs';

/** SQLite opens a database and its log by path, and goes on writing to what it has opened, whatever becomes of the path. */
export class Place {
  readonly #path: string;
  readonly #database: string | undefined;
  #log: string | undefined;

  /** To be made as soon as the database is open. */
  constructor(path: string) {
    this.#path = path;
    this.#database = identity(path);
  }

  /** The log comes with the first statement: to be asked inside a transaction. */
  isUnmoved(): boolean {
    const database = identity(this.#path);
    const log = identity(`${this.#path}-wal`);
    this.#log ??= log;
    return database !== undefined && database === this.#database && log === this.#log;
  }
}

/** Undefined where nothing is. */
function identity(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}
