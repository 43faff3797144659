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

/** The disk is full, or the file or its folder is somebody else's. */
export function unreachable(file: string, cause: unknown): Failure {
  return new Failure('unavailable', `The sandbox ${file} can’t be read or written.`, {
    hint: 'Check that the disk has room and that the file and its folder belong to you.',
    cause,
  });
}
