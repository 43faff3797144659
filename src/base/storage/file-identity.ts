/** Checks that an open file is still at its path: writes to a moved or deleted file are lost. */
import { statSync } from 'node:fs';

/** The identity of an open database and its log. SQLite keeps writing to the open files if their path changes. */
export class OpenFileIdentity {
  readonly #path: string;
  readonly #database: string | undefined;
  #log: string | undefined;

  /** Create it as soon as the database is open. */
  constructor(path: string) {
    this.#path = path;
    this.#database = identityAt(path);
  }

  /**
   * Returns whether the files are still at their paths. Call it inside a transaction: the log exists only after the
   * first statement.
   */
  isSameFile(): boolean {
    const database = identityAt(this.#path);
    const log = identityAt(`${this.#path}-wal`);
    this.#log ??= log;
    return database !== undefined && database === this.#database && log === this.#log;
  }
}

/** Returns the device and inode of the file at a path; undefined if there is none. */
function identityAt(path: string): string | undefined {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats && `${stats.dev}:${stats.ino}`;
}
