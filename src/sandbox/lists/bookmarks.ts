/**
 * Where the pages of lists that were read begin, so that the next one need not be counted up to. They hold for as long as
 * nothing is written, by anybody.
 */
import type { Database } from '../../storage/database.ts';
import type { StoredRow } from '../store/cells.ts';

/** Forgotten all at once when there are more: lists are read from their beginning again soon enough. */
const most = { marks: 20_000, numbers: 1_000_000 };

/** The record after which the one at a position comes, counted from 0: what the list is ordered by. */
export interface Bookmark {
  position: number;
  row: StoredRow;
}

class List {
  /** In the order of their positions. */
  readonly marks: Bookmark[] = [];
  readonly numbers = new Map<number, readonly number[]>();

  /** How many marks stand at a position or before it. */
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

  /** The last one that stands at a position or before it. */
  before(list: string, position: number): Bookmark | undefined {
    const known = this.#lists.get(list);
    return known?.marks[known.upTo(position) - 1];
  }

  keep(list: string, position: number, row: StoredRow): void {
    if (this.#marks >= most.marks) this.#forget();
    const known = this.#list(list);
    const at = known.upTo(position);
    if (known.marks[at - 1]?.position === position) return;
    known.marks.splice(at, 0, { position, row });
    this.#marks += 1;
  }

  /** The numbers of records that follow one another, stretch by stretch. */
  numbers(list: string, index: number): readonly number[] | undefined {
    return this.#lists.get(list)?.numbers.get(index);
  }

  keepNumbers(list: string, index: number, numbers: readonly number[]): void {
    if (this.#numbers >= most.numbers) this.#forget();
    this.#list(list).numbers.set(index, numbers);
    this.#numbers += numbers.length;
  }

  /** Inside a transaction. */
  bringUpTo(version: string): void {
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

const all = new WeakMap<Database, Bookmarks>();

/** Of one connection, as it sees the file now. */
export function bookmarksOf(database: Database): Bookmarks {
  const known = all.get(database) ?? new Bookmarks();
  all.set(database, known);
  known.bringUpTo(database.version);
  return known;
}
