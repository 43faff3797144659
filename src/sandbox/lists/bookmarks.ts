/**
 * Stores the positions at which pages of lists begin, so that reading the next page doesn't have to skip rows. The
 * bookmarks are valid until the next write by any process.
 */
import type { Database } from '../../storage/database.ts';
import type { StoredRow } from '../store/cells.ts';

/** The maximum number of bookmarks. Above it, all are deleted and then collected again. */
const maxBookmarks = 20_000;

/** A position in a list, counted from 0, with the record before it: its values of the columns that order the list. */
export interface Bookmark {
  position: number;
  row: StoredRow;
}

class Bookmarks {
  #version = '';
  #count = 0;
  /** The bookmarks of each list, in the order of their positions. */
  readonly #lists = new Map<string, Bookmark[]>();

  /** Returns the last bookmark of a list whose position isn't greater than `position`. */
  findBefore(listKey: string, position: number): Bookmark | undefined {
    return this.#lists.get(listKey)?.findLast((bookmark) => bookmark.position <= position);
  }

  /** Adds a bookmark unless the position has one. */
  add(listKey: string, position: number, row: StoredRow): void {
    if (this.#count >= maxBookmarks) this.#clear();
    const bookmarks = this.#lists.get(listKey) ?? [];
    this.#lists.set(listKey, bookmarks);
    const lastIndex = bookmarks.findLastIndex((bookmark) => bookmark.position <= position);
    if (bookmarks[lastIndex]?.position === position) return;
    bookmarks.splice(lastIndex + 1, 0, { position, row });
    this.#count += 1;
  }

  /** Clears the bookmarks if the file has changed. Call it inside a transaction. */
  clearIfChanged(version: string): void {
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
  bookmarks.clearIfChanged(database.version);
  return bookmarks;
}
