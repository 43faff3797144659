/** What can be wrong with a sandbox's file. */
import { Failure } from '../../errors.ts';

/** It is no sandbox of this version: it stays as it is until someone asks for a new one. */
export class UnusableFile extends Failure {
  constructor(file: string, why: string, cause?: unknown) {
    super('unavailable', `The sandbox ${file} ${why} and was left as it is.`, {
      hint: 'Run boh sandbox reset: it sets the file aside and makes a new one.',
      cause,
    });
  }
}

/** Another process kept the file to itself for too long. */
export class Busy extends Failure {
  constructor(file: string, cause?: unknown) {
    super('unavailable', `Another process keeps writing to the sandbox ${file}.`, {
      hint: 'Nothing was changed. Try again.',
      cause,
    });
  }
}

export function noRoom(file: string, cause: unknown): Failure {
  return new Failure(
    'unavailable',
    `The disk has no room for what is to be written to the sandbox ${file}.`,
    {
      hint: 'Nothing was changed. Make room, then try again.',
      cause,
    },
  );
}

/** The file or its folder is somebody else's, or the disk is broken. */
export function unreachable(file: string, cause: unknown): Failure {
  return new Failure('unavailable', `The sandbox ${file} can’t be read or written.`, {
    hint: 'Check that the file and its folder belong to you, and that the disk has room.',
    cause,
  });
}

/** `ENOSPC` and its like: the operating system's, not SQLite's. */
export function systemErrorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return undefined;
  return String(error.code);
}
