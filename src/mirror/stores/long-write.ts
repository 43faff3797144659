/** Groups changes that follow each other within a second into one transaction: pages that many of them touch are written once. */
import type { Database } from '../../storage/database.ts';

/** Other processes may wait to write to the file for this long, and a process that is killed loses at most this much work. */
const longestMs = 1000;

/** Writes to one database, of which some may share a transaction with the writes that follow. */
export class LongWrite {
  readonly #database: Database;
  #isUnderWay = false;
  #end: NodeJS.Timeout | undefined;
  #failure: { error: unknown } | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Carries out all of the work or none of it; with `isGoingOn` the transaction stays open for what comes next. */
  write(work: () => void, isGoingOn: boolean): void {
    this.#throwEarlierFailure();
    this.#demandStanding();
    if (!this.#isUnderWay && !isGoingOn) {
      this.#database.write(work);
      return;
    }
    if (!this.#isUnderWay) this.#begin();
    try {
      work();
    } catch (error) {
      this.#rollBack();
      throw error;
    }
    if (!isGoingOn) this.end();
  }

  /** Commits what was written so far. */
  end(): void {
    this.#throwEarlierFailure();
    this.#demandStanding();
    if (!this.#isUnderWay) return;
    this.#stop();
    this.#database.commit();
  }

  #begin(): void {
    this.#database.begin();
    this.#isUnderWay = true;
    // No caller waits for this commit: the next write throws what it failed of.
    this.#end = setTimeout(() => {
      try {
        this.end();
      } catch (error) {
        this.#failure = { error };
      }
    }, longestMs);
  }

  /** SQLite ends a transaction by itself after some failures: what came next would stand without what it follows. */
  #demandStanding(): void {
    if (!this.#isUnderWay || this.#database.isInTransaction) return;
    this.#rollBack();
    throw this.#database.failure('taken_back');
  }

  #rollBack(): void {
    this.#stop();
    this.#database.rollBack();
  }

  #stop(): void {
    this.#isUnderWay = false;
    clearTimeout(this.#end);
  }

  #throwEarlierFailure(): void {
    if (!this.#failure) return;
    const { error } = this.#failure;
    this.#failure = undefined;
    throw error;
  }
}
