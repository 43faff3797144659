/** Changes that follow each other within a second, written in one transaction: pages of a tree that many of them touch are written once. */
import type { Database } from '../../storage/database.ts';

/** Others may want to write to the file, and a process that is killed has worked so long in vain: in milliseconds. */
const longest = 1000;

export class LongWrite {
  readonly #database: Database;
  #end: NodeJS.Timeout | undefined;
  #failure: { error: unknown } | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  /** All of the work or none of it; with `isGoingOn`, what comes next may be part of the same. */
  write(work: () => void, isGoingOn: boolean): void {
    this.#tell();
    this.#demandStanding();
    if (this.#end === undefined && !isGoingOn) {
      this.#database.write(work);
      return;
    }
    if (this.#end === undefined) {
      this.#database.begin();
      this.#end = setTimeout(() => this.#endLater(), longest);
    }
    try {
      work();
    } catch (error) {
      this.#stopWaiting();
      this.#database.rollBack();
      throw error;
    }
    if (!isGoingOn) this.end();
  }

  /** What was written so far is for good. */
  end(): void {
    this.#tell();
    this.#demandStanding();
    if (this.#end === undefined) return;
    this.#stopWaiting();
    this.#database.commit();
  }

  /** After some failures SQLite ends the transaction by itself: what came next would stand without what it follows. */
  #demandStanding(): void {
    if (this.#end === undefined || this.#database.isInTransaction) return;
    this.#stopWaiting();
    this.#database.rollBack();
    throw this.#database.failure('taken_back');
  }

  /** Nobody waits for it: whoever writes next is told what it failed of. */
  #endLater(): void {
    try {
      this.end();
    } catch (error) {
      this.#failure = { error };
    }
  }

  #tell(): void {
    if (!this.#failure) return;
    const { error } = this.#failure;
    this.#failure = undefined;
    throw error;
  }

  #stopWaiting(): void {
    clearTimeout(this.#end);
    this.#end = undefined;
  }
}
