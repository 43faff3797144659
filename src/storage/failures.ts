/** What can be wrong with a file of boh’s own, told apart: each kind asks for something else from people and programs. */
import { accessSync, constants, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { Failure, type Outcome } from '../base/errors.ts';
import type { Hint } from '../base/hint.ts';
import { whyRefused } from '../base/unreadable.ts';

/**
 * damaged: its content is broken
 * foreign: it is some other program’s
 * newer: a newer boh made it
 * busy: another process keeps it to itself; nothing was done, and the same may be tried again
 * full: the disk has no room; nothing was done
 * unreachable: it or its folder can’t be read or written
 * moved: it was moved or deleted while it was in use
 * taken_back: SQLite took back by itself what was being written, after a failure in between; nothing was done
 */
export type StorageProblem =
  | 'damaged'
  | 'foreign'
  | 'newer'
  | 'busy'
  | 'full'
  | 'unreachable'
  | 'moved'
  | 'taken_back';

const withoutEffect: ReadonlySet<StorageProblem> = new Set(['busy', 'full', 'taken_back']);

/** How messages speak of a file. */
export interface Naming {
  file: string;
  /** Begins sentences, such as “The sandbox” or “The ledger”; the file’s path follows it. */
  called: string;
  /** What to do where the file can’t be used: a whole sentence. */
  remedy: Hint;
  /** People keep tables and rules of their own in it: what these come to is no damage. */
  isShared?: boolean | undefined;
}

interface Circumstances {
  cause?: unknown;
  outcome?: Outcome | undefined;
}

export class StorageFailure extends Failure {
  readonly problem: StorageProblem;
  readonly #naming: Naming;

  /** `outcome` of a write that it kept from being done, where that is known. */
  constructor(problem: StorageProblem, naming: Naming, { cause, outcome }: Circumstances = {}) {
    const { message, hint } = words[problem](naming, whyRefused(cause));
    const known = outcome ?? (withoutEffect.has(problem) ? 'not_sent' : undefined);
    super('unavailable', message, { hint, cause, ...(known !== undefined && { outcome: known }) });
    this.problem = problem;
    this.#naming = naming;
  }

  /** The same, told of another file or with another outcome. */
  with({
    naming = this.#naming,
    outcome = this.details.outcome,
  }: {
    naming?: Naming;
    outcome?: Outcome | undefined;
  }) {
    return new StorageFailure(this.problem, naming, { cause: this.details.cause ?? this, outcome });
  }

  /** Its path. */
  get file(): string {
    return this.#naming.file;
  }

  /** The file itself can’t be used, and no waiting or making room would change that. */
  get isOfTheFile(): boolean {
    return this.problem === 'damaged' || this.problem === 'foreign' || this.problem === 'newer';
  }
}

/** What fails before the end of a transaction has left nothing behind. */
export function notDone(error: unknown): unknown {
  if (!(error instanceof StorageFailure) || error.details.outcome !== undefined) return error;
  return error.with({ outcome: 'not_sent' });
}

/** Whether another process is in the way, so that the same may succeed a moment later. */
export function isBusy(error: unknown): error is StorageFailure {
  return error instanceof StorageFailure && error.problem === 'busy';
}

const words: Record<StorageProblem, (naming: Naming, why?: string) => { message: string; hint: Hint }> = {
  damaged: ({ called, file, remedy }) => ({
    message: `${called} ${file} is damaged and was left as it is.`,
    hint: remedy,
  }),
  foreign: ({ called, file, remedy }) => ({
    message: `${called} ${file} is a file of some other kind and was left as it is.`,
    hint: remedy,
  }),
  newer: ({ called, file, remedy }) => ({
    message: `${called} ${file} was made by a newer version of boh and was left as it is.`,
    hint: ['Update boh to go on using it. ', remedy],
  }),
  busy: ({ called, file }) => ({
    message: `${called} ${file} is kept by another process that is writing to it.`,
    hint: 'Try again.',
  }),
  full: ({ called, file }) => ({
    message: `${called} ${file} can’t grow: the disk has no room.`,
    hint: 'Make room, then try again.',
  }),
  unreachable: ({ called, file }, why) => ({
    message: `${called} ${file} can’t be read or written${why === undefined ? '' : `: ${why}`}.`,
    hint: 'Check that the file and its folder belong to you, and that the disk is well.',
  }),
  moved: ({ called, file }) => ({
    message: `${called} ${file} was moved or deleted while it was in use.`,
    hint: 'Put it back, or begin again with what is in its place now.',
  }),
  taken_back: ({ called, file }) => ({
    message: `${called} ${file} took back what was being written, as it does where the disk is full or fails.`,
    hint: 'Look that there is room on the disk, then try again.',
  }),
};

/** SQLite’s own result codes. */
const problemsByCode = new Map<number, StorageProblem>([
  [5, 'busy'],
  [6, 'busy'],
  [8, 'unreachable'],
  [10, 'unreachable'],
  [11, 'damaged'],
  [13, 'full'],
  [14, 'unreachable'],
  [23, 'unreachable'],
  [26, 'damaged'],
]);

const problemsBySystemCode = new Map<string, StorageProblem>([
  ['ENOSPC', 'full'],
  ['EDQUOT', 'full'],
  ['EBUSY', 'busy'],
]);

/** What SQLite or the operating system said, as a failure; anything else is a bug, and answered as it is. */
export function storageError(error: unknown, naming: Naming): unknown {
  if (error instanceof StorageFailure || !(error instanceof Error)) return error;
  const problem = problemOf(error);
  if (problem === undefined) return error;
  return new StorageFailure(problem === 'unreachable' && isFull(naming.file) ? 'full' : problem, naming, {
    cause: error,
  });
}

/** What SQLite needs beside the database itself; where there is no room for that, it tells of a broken disk. */
const leastRoom = 65_536;

function isFull(file: string): boolean {
  const folder = dirname(file);
  try {
    // One that is read-only has no room either, and none that could be made.
    accessSync(folder, constants.W_OK);
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize < leastRoom;
  } catch {
    return false;
  }
}

function problemOf(error: Error): StorageProblem | undefined {
  // Extended codes keep the plain one in their lowest byte.
  if (isOfSqlite(error)) return problemsByCode.get(Number(error.errcode) & 0xff);
  const code = systemErrorCode(error);
  return code === undefined ? undefined : (problemsBySystemCode.get(code) ?? 'unreachable');
}

export function isOfSqlite(error: unknown): error is Error & { errcode: unknown } {
  return error instanceof Error && 'errcode' in error;
}

/** SQLite’s words for tables and columns that aren’t there, and for what should be JSON: it has one code for all of them. */
const ofContent = /^(no such (table|column|index)\b|table \S+ has no column\b|malformed JSON)/;

/** A constraint that doesn’t hold, and a text where a table’s number should be: SQLite’s codes. */
const unfitting: readonly number[] = [19, 20];

/** Whether SQL finds something else in a file than was put there. */
export function isOfContent(error: Error & { errcode: unknown }, { isShared }: Naming): boolean {
  return !isShared && (ofContent.test(error.message) || unfitting.includes(Number(error.errcode) & 0xff));
}

/** `ENOSPC` and its like: the operating system's, not SQLite's. */
export function systemErrorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return undefined;
  return String(error.code);
}
