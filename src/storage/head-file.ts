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
import { runAsOwner } from '../base/as-owner.ts';
import { makeFolder } from '../base/make-folder.ts';

/** The end of a database when it was recorded. */
export interface RecordedEnd {
  /** The latest position in the queue of writes; it only increases. */
  position: number;
  /** The highest assigned entry number. */
  number: number;
  /** The hash of all content up to this end. */
  hash: string;
  /** The file of the database. */
  file: FileIdentity;
  /** Whether the head file has been restored from a backup or moved since then. */
  isCopied: boolean;
}

/** The identity of a file; a copy has a different identity. */
export interface FileIdentity {
  inode: string;
  /** The time of creation in nanoseconds since 1970; 0 if the file system doesn't record it. */
  createdNs: string;
}

/** The number of bytes to read from the end of the file: processes may append out of order. */
const maxReadBytes = 4096;

/** The size above which the file is rewritten with only its newest line, in bytes. */
const maxBytes = 65_536;

/** The file that records the end of one database. */
export class HeadFile {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** Returns the newest recorded end; undefined if there is none or the file can't be read. */
  read(): RecordedEnd | undefined {
    try {
      const { text, size, identity } = runAsOwner(dirname(this.#path), () => readTail(this.#path));
      const ends = text.split('\n').flatMap((line) => parseLine(line, identity) ?? []);
      const newest = ends.reduce<RecordedEnd | undefined>(
        (last, end) => (last && last.position > end.position ? last : end),
        undefined,
      );
      if (newest && size > maxBytes) this.#shorten(newest);
      return newest;
    } catch {
      return undefined;
    }
  }

  /**
   * Appends an end. Returns false if the file can't be written: the database is intact, but a later loss may stay
   * undetected.
   */
  append(end: NewEnd): boolean {
    const folder = dirname(this.#path);
    const append = () => writeLine(this.#path, 'a', end);
    try {
      runAsOwner(folder, () => {
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

  /** Rewrites the file. A line that another process appends in the meantime is lost until its next commit. */
  #shorten(end: NewEnd): void {
    runAsOwner(dirname(this.#path), () => {
      const draft = `${this.#path}.${process.pid}`;
      writeLine(draft, 'w', end);
      renameSync(draft, this.#path);
    });
  }
}

/** An end to record. */
export type NewEnd = Omit<RecordedEnd, 'isCopied'>;

/** Writes a line. It starts with a line break, so that an incomplete line before it doesn't damage it. */
function writeLine(path: string, flags: 'a' | 'w', end: NewEnd): void {
  const file = openSync(path, flags, 0o600);
  try {
    writeSync(file, `\n${formatLine(end, identityIn(fstatSync(file, { bigint: true })))}\n`);
  } finally {
    closeSync(file);
  }
}

function readTail(path: string): { text: string; size: number; identity: FileIdentity } {
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

/** Returns the identity of an existing file. Throws a system error if it can't be read. */
export function identityOf(path: string): FileIdentity {
  return identityIn(statSync(path, { bigint: true }));
}

/**
 * Returns the identity in file statistics. If the system doesn't record the creation time, Node returns the time of the
 * last change.
 */
function identityIn({ ino, birthtimeNs, ctimeNs }: BigIntStats): FileIdentity {
  return { inode: String(ino), createdNs: birthtimeNs === ctimeNs ? '0' : String(birthtimeNs) };
}

/** Compares identities. Inodes are reused, so the time of creation is also compared if both have it. */
export function isSameFile(a: FileIdentity, b: FileIdentity): boolean {
  if (a.createdNs !== '0' && b.createdNs !== '0') return a.createdNs === b.createdNs;
  return a.inode === b.inode;
}

function formatLine({ position, number, hash, file }: NewEnd, headFile: FileIdentity): string {
  return JSON.stringify([
    position,
    number,
    hash,
    file.inode,
    file.createdNs,
    headFile.inode,
    headFile.createdNs,
  ]);
}

function parseLine(line: string, identity: FileIdentity): RecordedEnd | undefined {
  if (line === '') return undefined;
  try {
    const cells: unknown = JSON.parse(line);
    if (!Array.isArray(cells)) return undefined;
    const [position, number, ...strings] = cells as unknown[];
    const areNumbers = [position, number].every((cell) => Number.isSafeInteger(cell));
    if (!areNumbers || strings.length !== 5 || !strings.every((text) => typeof text === 'string'))
      return undefined;
    const [hash = '', inode = '', createdNs = '', headInode = '', headCreatedNs = ''] = strings;
    const isCopied = !isSameFile(identity, { inode: headInode, createdNs: headCreatedNs });
    return {
      position: Number(position),
      number: Number(number),
      hash,
      file: { inode, createdNs },
      isCopied,
    };
  } catch {
    return undefined;
  }
}
