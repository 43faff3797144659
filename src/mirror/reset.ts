/** Takes a mirror away. What isn’t one is left alone. */
import { existsSync } from 'node:fs';
import { Failure } from '../errors.ts';
import { removeFile, setAside } from '../storage/create.ts';
import { StorageFailure } from '../storage/failures.ts';
import { ReadOnly } from '../storage/read-only.ts';
import { applicationId, namingOfMirror } from './stores/sqlite-form.ts';
import type { Target } from './target.ts';

/** Answers where a file is now that can’t be read as what it is. Throws `not_found` where there is none. */
export function resetMirror({ file }: Target): string | undefined {
  if (!existsSync(file)) throw new Failure('not_found', `There is no mirror ${file}.`);
  try {
    new ReadOnly({
      ...namingOfMirror(file),
      applicationId,
      version: Number.MAX_SAFE_INTEGER,
      wait: 0,
    }).close();
  } catch (error) {
    if (!(error instanceof StorageFailure && error.problem === 'damaged')) throw error;
    return setAside(file);
  }
  removeFile(file);
  return undefined;
}
