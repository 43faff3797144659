/**
 * Records the end of a database in a file of another folder, to detect loss: a damaged or deleted log, or a restored older
 * copy. A line is appended after each commit. After a crash, the file may be behind the database, but never ahead of it.
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

/** The end of a database when it was recorded. */
export interface NotedEnd {
  /** The number of writes; it only grows. */
  place: number;
  /** The highest assigned number. */
  number: number;
  /** The hash of everything up to this end. */
  hash: string;
  /** The file of the database. */
  file: FileIdentity;
  /** Whether the head file was replaced since then: restored from a backup, or moved. */
  isCopied: boolean;
}

/** The identity of a file, which a copy doesn't have. */
export interface FileIdentity {
  inode: string;
  /** The time of creation in nanoseconds; 0 if the file system doesn't have it. */
  born: string;
}

/** Processes may append out of order: the newest end is in the last lines, within this number of bytes. */
const maxReadBytes = 4096;

/** The size in bytes from which the file is rewritten with only its newest line. */
const maxBytes = 65_536;

export class HeadFile {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** Returns the newest recorded end; undefined if there is none or the file can't be read. */
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

  /** Returns whether it could be written. If not, the database is intact, but a later loss may not be detected. */
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

  /** Rewrites the file. A line that another process appends meanwhile is lost until its next commit. */
  #shorten(end: NewEnd): void {
    asOwnerOf(dirname(this.#path), () => {
      const draft = `${this.#path}.${process.pid}`;
      write(draft, 'w', end);
      renameSync(draft, this.#path);
    });
  }
}

/** An end to record. */
export type NewEnd = Omit<NotedEnd, 'isCopied'>;

/** Starts with a line break, so that an incomplete line before it doesn't damage this one. */
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

/** Returns the identity of an existing file. */
export function identityOf(path: string): FileIdentity {
  return identityIn(statSync(path, { bigint: true }));
}

/** Returns the time of creation. If the system doesn't have it, Node returns the time of the last change. */
function identityIn({ ino, birthtimeNs, ctimeNs }: BigIntStats): FileIdentity {
  return { inode: String(ino), born: birthtimeNs === ctimeNs ? '0' : String(birthtimeNs) };
}

/** Compares identities. Inodes are reused, so the time of creation is also compared if both have it. */
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
