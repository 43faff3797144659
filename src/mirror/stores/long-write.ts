/** Changes that follow each other within a second, written in one transaction: pages of a tree that many of them touch are written once. */
import type { Database } from '../../storage/database.ts';

/**
 * In milliseconds. Others may want to write to the file, and a process that is killed has worked so long in vain; a new
 * file, which nobody else knows yet, is filled for longer.
 */
const longest = { usually: 1000, alone: 3000 } as const;

/**
 * A file that is kept to this process stays so until the first of them ends: all that a new file gets by then. One that
 * fails takes back more than whoever wrote last knows of, so that nothing is written after it.
 */
export class LongWrite {
  readonly #database: Database;
  #isUnderWay = false;
  #end: NodeJS.Timeout | undefined;
  #isLost = false;
  #failure: { error: unknown } | undefined;

  constructor(database: Database) {
    this.#database = database;
    // From the opening on: others wait, though there may be nothing to write for long.
    if (database.isAlone) this.#endIn(longest.alone);
  }

  /** All of the work or none of it; with `isGoingOn`, and before anybody else can see it, what comes next may be part of the same. */
  write(work: () => void, isGoingOn: boolean): void {
    this.#tell();
    this.#demandStanding();
    const mayGoOn = isGoingOn || this.#database.isAlone;
    if (!this.#isUnderWay && !mayGoOn) {
      this.#database.write(work);
      return;
    }
    if (!this.#isUnderWay) this.#begin();
    try {
      work();
    } catch (error) {
      this.#takeBack();
      throw error;
    }
    if (!mayGoOn) this.end();
  }

  /** What was written so far is for good. */
  end(): void {
    this.#tell();
    this.#demandStanding();
    if (this.#isUnderWay) {
      this.#stop();
      try {
        this.#database.commit();
      } catch (error) {
        this.#lose();
        throw error;
      }
    }
    this.#share();
  }

  #begin(): void {
    this.#database.begin();
    this.#isUnderWay = true;
    if (!this.#database.isAlone) this.#endIn(longest.usually);
  }

  /** Nobody waits for it: whoever writes next is told what it failed of. */
  #endIn(milliseconds: number): void {
    this.#end = setTimeout(() => {
      try {
        this.end();
      } catch (error) {
        this.#failure = { error };
      }
    }, milliseconds);
  }

  /** After some failures SQLite ends the transaction by itself: what came next would stand without what it follows. */
  #demandStanding(): void {
    if (!this.#isUnderWay || this.#database.isInTransaction) return;
    this.#takeBack();
    throw this.#database.failure('taken_back');
  }

  #takeBack(): void {
    this.#stop();
    this.#database.rollBack();
    this.#lose();
  }

  #lose(): void {
    if (!this.#database.isAlone) return;
    this.#isLost = true;
    this.#share();
  }

  #share(): void {
    if (!this.#database.isAlone) return;
    clearTimeout(this.#end);
    this.#database.share();
  }

  #stop(): void {
    this.#isUnderWay = false;
    if (!this.#database.isAlone) clearTimeout(this.#end);
  }

  #tell(): void {
    if (this.#isLost) throw this.#database.failure('taken_back');
    if (!this.#failure) return;
    const { error } = this.#failure;
    this.#failure = undefined;
    throw error;
  }
}
