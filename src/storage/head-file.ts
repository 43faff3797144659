/**
 * Keeps the newest end of a database in a file of another folder. What the database loses shows there: its log was damaged
 * or deleted, or an older copy was restored. A line is appended after each commit, so that the file may lag behind the
 * database after a crash, and never leads it.
 */
import {
  type BigIntStats,
  closeSync,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { asOwnerOf } from '../base/as-owner.ts';
import { makeFolder } from '../base/make-folder.ts';

/** The end of a database as it was when it was noted. */
export interface NotedEnd {
  /** How many times it was written to: it only grows. */
  place: number;
  /** The highest number that was given. */
  number: number;
  /** Of all that was written up to the place. */
  hash: string;
  /** The database's file. */
  file: FileIdentity;
  /** Whether the head file is another one than it was then: restored from a backup, or moved. */
  isCopied: boolean;
}

/** Tells a file from a copy of it that has taken its place. */
export interface FileIdentity {
  inode: string;
  /** In nanoseconds; 0 where the file system doesn't tell. */
  born: string;
}

/** Two processes append in either order: the newest end is among the last lines, in so many bytes. */
const maxReadBytes = 4096;

/** From so many bytes on, the file is written anew with its newest line. */
const maxBytes = 65_536;

export class HeadFile {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** The newest end that was noted; undefined where there is none, or the file can't be read. */
  read(): NotedEnd | undefined {
    try {
      const { text, size, identity } = asOwnerOf(dirname(this.#path), () => endOf(this.#path));
      const ends = text.split('\n').flatMap((line) => endIn(line, identity) ?? []);
      const newest = ends.reduce<NotedEnd | undefined>(
        (last, end) => (last && last.place > end.place ? last : end),
        undefined,
      );
      if (newest && size > maxBytes) this.#shorten(newest);
      return newest;
    } catch {
      return undefined;
    }
  }

  /** Answers whether it could be written: the database is whole without it, and a later loss might not show. */
  append(end: NewEnd): boolean {
    const folder = dirname(this.#path);
    const append = () => write(this.#path, 'a', end);
    try {
      asOwnerOf(folder, () => {
        try {
          append();
        } catch (error) {
          if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
          makeFolder(folder, { mode: 0o700 });
          append();
        }
      });
      return true;
    } catch {
      return false;
    }
  }

  /** What another process appends meanwhile is lost to the file: its next commit makes up for it. */
  #shorten(end: NewEnd): void {
    asOwnerOf(dirname(this.#path), () => {
      const draft = `${this.#path}.${process.pid}`;
      write(draft, 'w', end);
      renameSync(draft, this.#path);
    });
  }
}

/** An end that is to be noted. */
export type NewEnd = Omit<NotedEnd, 'isCopied'>;

/** A line that was cut off before this one must not take it along. */
function write(path: string, flags: 'a' | 'w', end: NewEnd): void {
  const file = openSync(path, flags, 0o600);
  try {
    writeSync(file, `\n${textOf(end, identityIn(fstatSync(file, { bigint: true })))}\n`);
  } finally {
    closeSync(file);
  }
}

function endOf(path: string): { text: string; size: number; identity: FileIdentity } {
  const file = openSync(path, 'r');
  try {
    const stats = fstatSync(file, { bigint: true });
    const size = Number(stats.size);
    const bytes = Buffer.alloc(Math.min(size, maxReadBytes));
    readSync(file, bytes, 0, bytes.length, size - bytes.length);
    return { text: bytes.toString('utf8'), size, identity: identityIn(stats) };
  } finally {
    closeSync(file);
  }
}

/** The identity of a file that is there. */
export function identityOf(path: string): FileIdentity {
  return identityIn(statSync(path, { bigint: true }));
}

/** Where the system knows no moment of creation, Node answers that of the last change. */
function identityIn({ ino, birthtimeNs, ctimeNs }: BigIntStats): FileIdentity {
  return { inode: String(ino), born: birthtimeNs === ctimeNs ? '0' : String(birthtimeNs) };
}

/** Inodes are given again: the moment of creation counts where it is known of both. */
export function isSameFile(one: FileIdentity, other: FileIdentity): boolean {
  if (one.born !== '0' && other.born !== '0') return one.born === other.born;
  return one.inode === other.inode;
}

function textOf({ place, number, hash, file }: NewEnd, own: FileIdentity): string {
  return JSON.stringify([place, number, hash, file.inode, file.born, own.inode, own.born]);
}

function endIn(line: string, identity: FileIdentity): NotedEnd | undefined {
  if (line === '') return undefined;
  try {
    const cells: unknown = JSON.parse(line);
    if (!Array.isArray(cells)) return undefined;
    const [place, number, ...texts] = cells as unknown[];
    const areNumbers = [place, number].every((cell) => Number.isSafeInteger(cell));
    if (!areNumbers || texts.length !== 5 || !texts.every((text) => typeof text === 'string'))
      return undefined;
    const [hash = '', inode = '', born = '', ownInode = '', ownBorn = ''] = texts;
    const isCopied = !isSameFile(identity, { inode: ownInode, born: ownBorn });
    return { place: Number(place), number: Number(number), hash, file: { inode, born }, isCopied };
  } catch {
    return undefined;
  }
}
