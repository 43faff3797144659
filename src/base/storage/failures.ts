/** Classifies the failures of boh's own files. */
import { accessSync, constants, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { Failure, type WriteStatus } from '../errors.ts';
import { writeErrorReason } from '../file-errors.ts';
import { otherVersion } from '../format-version.ts';
import type { Hint } from '../hint.ts';

/**
 * Why a file can't be used:
 * - damaged: its content is invalid.
 * - foreign: it belongs to another program.
 * - version: its format has another version.
 * - busy: another process has locked it; nothing was changed, and the operation can be retried.
 * - full: the disk is full; nothing was changed.
 * - unreachable: it or its folder can't be read or written.
 * - moved: it was moved or deleted while it was in use.
 */
export type StorageProblem = 'damaged' | 'foreign' | 'version' | 'busy' | 'full' | 'unreachable' | 'moved';

const problemsWithoutEffect: ReadonlySet<StorageProblem> = new Set(['busy', 'full']);

export interface FileDescription {
  file: string;
  /** The name of the file in messages, such as "The sandbox"; the path follows it. */
  label: string;
  /** What to do if the file can't be used, as a sentence. */
  remedy: Hint;
  /** Whether users add their own tables and constraints: their errors don't mean that the file is damaged. */
  isShared?: boolean | undefined;
}

interface FailureOptions {
  cause?: unknown;
  outcome?: WriteStatus | undefined;
}

/** The failure of an operation on one of boh's files. */
export class StorageFailure extends Failure {
  readonly problem: StorageProblem;
  readonly #description: FileDescription;

  /** `outcome` is the outcome of the write that failed, if it is known. */
  constructor(
    problem: StorageProblem,
    description: FileDescription,
    { cause, outcome }: FailureOptions = {},
  ) {
    const { message, hint } = messagesByProblem[problem](description, writeErrorReason(cause));
    const status = outcome ?? (problemsWithoutEffect.has(problem) ? 'not_sent' : undefined);
    super('unavailable', message, { hint, cause, ...(status !== undefined && { outcome: status }) });
    this.problem = problem;
    this.#description = description;
  }

  /** Returns a copy of the failure for another file or with another outcome. */
  copyWith({
    description = this.#description,
    outcome = this.details.outcome,
  }: {
    description?: FileDescription;
    outcome?: WriteStatus | undefined;
  }) {
    return new StorageFailure(this.problem, description, { cause: this.details.cause ?? this, outcome });
  }

  get file(): string {
    return this.#description.file;
  }

  /** Returns whether the file itself can't be used, so that neither waiting nor free space would help. */
  get isUnusableFile(): boolean {
    return this.problem === 'damaged' || this.problem === 'foreign' || this.problem === 'version';
  }
}

/** Returns a failure that occurred before the commit, so that nothing was written; returns other errors unchanged. */
export function markNotSent(error: unknown): unknown {
  if (!(error instanceof StorageFailure) || error.details.outcome !== undefined) return error;
  return error.copyWith({ outcome: 'not_sent' });
}

/** Returns whether another process has locked the file, so that a retry may succeed. */
export function isBusy(error: unknown): error is StorageFailure {
  return error instanceof StorageFailure && error.problem === 'busy';
}

const messagesByProblem: Record<
  StorageProblem,
  (description: FileDescription, reason?: string) => { message: string; hint: Hint }
> = {
  damaged: ({ label, file, remedy }) => ({
    message: `${label} ${file} is damaged and was left unchanged.`,
    hint: remedy,
  }),
  foreign: ({ label, file, remedy }) => ({
    message: `${label} ${file} is not a file of this kind and was left unchanged.`,
    hint: remedy,
  }),
  version: ({ label, file, remedy }) => otherVersion(`${label} ${file}`, remedy),
  busy: ({ label, file }) => ({
    message: `${label} ${file} is locked by another process that is writing to it.`,
    hint: 'Try again.',
  }),
  full: ({ label, file }) => ({
    message: `${label} ${file} can't grow: the disk is full.`,
    hint: 'Free some space, then try again.',
  }),
  unreachable: ({ label, file }, reason) => ({
    message: `${label} ${file} can't be read or written${reason === undefined ? '' : `: ${reason}`}.`,
    hint: 'Check the permissions of the file and its folder, and the disk.',
  }),
  moved: ({ label, file }) => ({
    message: `${label} ${file} was moved or deleted while it was in use.`,
    hint: 'Move it back, or run the command again.',
  }),
};

/** Problems by SQLite's primary result code. */
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

/**
 * Converts an error of SQLite or the operating system to a StorageFailure; returns other errors, which are bugs,
 * unchanged.
 */
export function toStorageError(error: unknown, description: FileDescription): unknown {
  if (error instanceof StorageFailure || !(error instanceof Error)) return error;
  const problem = problemOf(error);
  if (problem === undefined) return error;
  return new StorageFailure(
    problem === 'unreachable' && isDiskFull(description.file) ? 'full' : problem,
    description,
    {
      cause: error,
    },
  );
}

/** The free space that SQLite needs for its other files, in bytes; with less, it reports a disk error. */
const minFreeBytes = 65_536;

function isDiskFull(file: string): boolean {
  const folder = dirname(file);
  try {
    // A read-only folder can't be written either, but free space wouldn't help.
    accessSync(folder, constants.W_OK);
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize < minFreeBytes;
  } catch {
    return false;
  }
}

function problemOf(error: Error): StorageProblem | undefined {
  // The lowest byte of an extended result code is the primary code.
  if (isSqliteError(error)) return problemsByCode.get(Number(error.errcode) & 0xff);
  const code = systemErrorCode(error);
  return code === undefined ? undefined : (problemsBySystemCode.get(code) ?? 'unreachable');
}

export function isSqliteError(error: unknown): error is Error & { errcode: unknown } {
  return error instanceof Error && 'errcode' in error;
}

/** Matches SQLite's messages about missing tables and columns and invalid JSON, which share one result code. */
const contentErrorMessage = /^(no such (table|column|index)\b|table \S+ has no column\b|malformed JSON)/;

/** Returns whether SQL failed because the content isn't what boh wrote. */
export function isContentError(error: Error & { errcode: unknown }, { isShared }: FileDescription): boolean {
  return !isShared && contentErrorMessage.test(error.message);
}

/** Returns the code of a system error, such as `ENOSPC`. */
export function systemErrorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return undefined;
  return String(error.code);
}
