/** A file that is no sandbox of this version: it stays as it is until someone asks for a new one. */
import { Failure } from '../../errors.ts';

export class UnusableFile extends Failure {
  constructor(file: string, why: string, cause?: unknown) {
    super('unavailable', `The sandbox ${file} ${why} and was left as it is.`, {
      hint: 'Run boh sandbox reset: it sets the file aside and makes a new one.',
      cause,
    });
  }
}
