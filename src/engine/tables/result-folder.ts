/** Creates the folder for a result of several files. */
import { usage } from '../../base/errors.ts';
import { makeFolder } from '../../base/make-folder.ts';
import { writeFailure } from '../../base/replace-file.ts';

/** Creates a folder if it doesn't exist. Throws `usage` if a file has this name, `unavailable` for system errors. */
export function createResultFolder(folder: string, options: { mode?: number } = {}): void {
  try {
    makeFolder(folder, options);
  } catch (error) {
    const isFile = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    throw isFile
      ? usage(`${folder} is a file, not a folder.`, { cause: error })
      : writeFailure(folder, error);
  }
}
