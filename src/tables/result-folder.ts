/** Makes the folder for a result of several files. */
import { usage } from '../base/errors.ts';
import { makeFolder } from '../base/make-folder.ts';
import { asFailure } from './whole-file.ts';

/** Makes a folder if it doesn't exist. Throws `usage` if a file has its name, `unavailable` if the system refuses. */
export function makeResultFolder(folder: string, options: { mode?: number } = {}): void {
  try {
    makeFolder(folder, options);
  } catch (error) {
    const isFile = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    throw isFile ? usage(`${folder} is a file, not a folder.`, { cause: error }) : asFailure(folder, error);
  }
}
