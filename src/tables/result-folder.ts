/** The folder that results of several files go into. */
import { usage } from '../base/errors.ts';
import { makeFolder } from '../base/make-folder.ts';
import { asFailure } from './whole-file.ts';

/** Made where it isn't there. Throws `usage` where a file has its name, `unavailable` where the system refuses. */
export function makeResultFolder(folder: string, options: { mode?: number } = {}): void {
  try {
    makeFolder(folder, options);
  } catch (error) {
    const isFile = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    throw isFile
      ? usage(`${folder} is a file, and no folder can be made of it.`, { cause: error })
      : asFailure(folder, error);
  }
}
