/**
 * Remembers where pages of lists begin, so that reading the next page doesn't have to skip rows. The bookmarks are
 * valid until anyone writes.
 */
import type { Database } from '../../storage/database.ts';
import type { StoredRow } from '../store/cells.ts';

/** When there are more, all are forgotten; they are collected again soon. */
const limits = { marks: 20_000, numbers: 1_000_000 };

/** The record before a position, counted from 0: the values by which the list is ordered. */
export interface Bookmark {
  position: number;
  row: StoredRow;
}

class List {
  /** In the order of their positions. */
  readonly marks: Bookmark[] = [];
  readonly numbers = new Map<number, readonly number[]>();

  /** Returns how many bookmarks are at a position or before it. */
  upTo(position: number): number {
    let [low, high] = [0, this.marks.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.marks[middle]?.position ?? 0) <= position) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

class Bookmarks {
  #version = '';
  #marks = 0;
  #numbers = 0;
  readonly #lists = new Map<string, List>();

  /** Returns the last bookmark at a position or before it. */
  before(list: string, position: number): Bookmark | undefined {
    const known = this.#lists.get(list);
    return known?.marks[known.upTo(position) - 1];
  }

  /** Adds a bookmark. */
  keep(list: string, position: number, row: StoredRow): void {
    if (this.#marks >= limits.marks) this.#forget();
    const known = this.#list(list);
    const at = known.upTo(position);
    if (known.marks[at - 1]?.position === position) return;
    known.marks.splice(at, 0, { position, row });
    this.#marks += 1;
  }

  /** Returns the numbers of consecutive records, in batches. */
  numbers(list: string, index: number): readonly number[] | undefined {
    return this.#lists.get(list)?.numbers.get(index);
  }

  /** Stores a batch of numbers. */
  keepNumbers(list: string, index: number, numbers: readonly number[]): void {
    if (this.#numbers >= limits.numbers) this.#forget();
    this.#list(list).numbers.set(index, numbers);
    this.#numbers += numbers.length;
  }

  /** Clears the bookmarks if the file has changed. Call it inside a transaction. */
  useVersion(version: string): void {
    if (version !== this.#version) this.#forget();
    this.#version = version;
  }

  #list(name: string): List {
    const list = this.#lists.get(name) ?? new List();
    this.#lists.set(name, list);
    return list;
  }

  #forget(): void {
    this.#lists.clear();
    this.#marks = 0;
    this.#numbers = 0;
  }
}

const bookmarksByDatabase = new WeakMap<Database, Bookmarks>();

/** Returns the bookmarks of one connection, for the current version of the file. */
export function bookmarksOf(database: Database): Bookmarks {
  const known = bookmarksByDatabase.get(database) ?? new Bookmarks();
  bookmarksByDatabase.set(database, known);
  known.useVersion(database.version);
  return known;
}
