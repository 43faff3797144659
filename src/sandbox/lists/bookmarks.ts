/**
 * Stores the positions at which pages of lists begin, so that reading the next page doesn't have to skip rows. The
 * bookmarks are valid until the next write by any process.
 */
import type { Database } from '../../storage/database.ts';
import type { StoredRow } from '../store/cells.ts';

/** The maximum number of bookmarks. Above it, all are deleted and then collected again. */
const maxBookmarks = 20_000;

/** The record before a position: its values of the columns by which the list is ordered. Positions count from 0. */
export interface Bookmark {
  position: number;
  row: StoredRow;
}

class Bookmarks {
  #version = '';
  #count = 0;
  /** The bookmarks of each list, in the order of their positions. */
  readonly #lists = new Map<string, Bookmark[]>();

  /** Returns the last bookmark at a position or before it. */
  before(list: string, position: number): Bookmark | undefined {
    return this.#lists.get(list)?.findLast((mark) => mark.position <= position);
  }

  /** Adds a bookmark. */
  add(list: string, position: number, row: StoredRow): void {
    if (this.#count >= maxBookmarks) this.#clear();
    const bookmarks = this.#lists.get(list) ?? [];
    this.#lists.set(list, bookmarks);
    const last = bookmarks.findLastIndex((mark) => mark.position <= position);
    if (bookmarks[last]?.position === position) return;
    bookmarks.splice(last + 1, 0, { position, row });
    this.#count += 1;
  }

  /** Clears the bookmarks if the file has changed. Call it inside a transaction. */
  useVersion(version: string): void {
    if (version !== this.#version) this.#clear();
    this.#version = version;
  }

  #clear(): void {
    this.#lists.clear();
    this.#count = 0;
  }
}

const bookmarksByDatabase = new WeakMap<Database, Bookmarks>();

/** Returns the bookmarks of one connection, for the current version of the file. */
export function bookmarksOf(database: Database): Bookmarks {
  const bookmarks = bookmarksByDatabase.get(database) ?? new Bookmarks();
  bookmarksByDatabase.set(database, bookmarks);
  bookmarks.useVersion(database.version);
  return bookmarks;
}
