/** Checks that an open file is still at its path: writes to a moved or deleted file are lost. */
import { statSync } from 'node:fs';

/** SQLite opens a database and its log by path, and keeps writing to the open files if the path changes. */
export class FileIdentity {
  readonly #path: string;
  readonly #database: string | undefined;
  #log: string | undefined;

  /** Created as soon as the database is open. */
  constructor(path: string) {
    this.#path = path;
    this.#database = identity(path);
  }

  /** Checks the files. Call it inside a transaction, because the log exists only after the first statement. */
  isSameFile(): boolean {
    const database = identity(this.#path);
    const log = identity(`${this.#path}-wal`);
    this.#log ??= log;
    return database !== undefined && database === this.#database && log === this.#log;
  }
}

/** Returns the identity of the file at a path; undefined if there is none. */
function identity(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}
