/**
 * Groups consecutive changes within a second into one transaction, so that pages changed by several of them are
 * written once.
 */
import type { Database } from '../../storage/database.ts';

/**
 * How long a transaction may stay open, in milliseconds. Other processes may have to wait this long to write, and a
 * killed process loses at most this much work.
 */
const maxTransactionMs = 1000;

/** Writes to one database; some writes share a transaction with the next ones. */
export class LongWrite {
  readonly #database: Database;
  #isOpen = false;
  #end: NodeJS.Timeout | undefined;
  #failure: { error: unknown } | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Runs all of the work or none of it. With `hasMore` the transaction stays open for the next write. */
  write(work: () => void, hasMore: boolean): void {
    this.#throwEarlierFailure();
    this.#requireOpenTransaction();
    if (!this.#isOpen && !hasMore) {
      this.#database.write(work);
      return;
    }
    if (!this.#isOpen) this.#begin();
    try {
      work();
    } catch (error) {
      this.#rollBack();
      throw error;
    }
    if (!hasMore) this.end();
  }

  /** Commits everything written so far. */
  end(): void {
    this.#throwEarlierFailure();
    this.#requireOpenTransaction();
    if (!this.#isOpen) return;
    this.#stop();
    this.#database.commit();
  }

  #begin(): void {
    this.#database.begin();
    this.#isOpen = true;
    // No caller waits for this commit: the next write throws its error.
    this.#end = setTimeout(() => {
      try {
        this.end();
      } catch (error) {
        this.#failure = { error };
      }
    }, maxTransactionMs);
  }

  /**
   * SQLite rolls a transaction back after some failures. The next write would then be committed without the earlier
   * ones, so it throws instead.
   */
  #requireOpenTransaction(): void {
    if (!this.#isOpen || this.#database.isInTransaction) return;
    this.#rollBack();
    throw this.#database.failure('rolled_back');
  }

  #rollBack(): void {
    this.#stop();
    this.#database.rollBack();
  }

  #stop(): void {
    this.#isOpen = false;
    clearTimeout(this.#end);
  }

  #throwEarlierFailure(): void {
    if (!this.#failure) return;
    const { error } = this.#failure;
    this.#failure = undefined;
    throw error;
  }
}
