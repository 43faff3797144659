/** Checks what kind of file a mirror's file is, without changing anything. */
import { existsSync } from 'node:fs';
import { isDatabase } from '../../storage/existing.ts';
import { StorageFailure } from '../../storage/failures.ts';
import { holdSuffix } from '../../storage/hold.ts';
import { ReadOnly } from '../../storage/read-only.ts';
import { namingOfMirror } from './sqlite-form.ts';

/**
 * Returns whether the file is a readable mirror of any version. Throws a StorageFailure if it isn't a mirror or can't
 * be opened.
 */
export function stateOfFile(file: string): 'sound' | 'damaged' {
  const naming = namingOfMirror(file);
  try {
    new ReadOnly({ ...naming, version: Number.MAX_SAFE_INTEGER, wait: 0 }).close();
    return 'sound';
  } catch (error) {
    if (!(error instanceof StorageFailure && error.problem === 'damaged')) throw error;
    // A file that isn't even a SQLite database counts as a mirror only if a mirror was locked under this name before.
    if (!isDatabase(file) && !existsSync(file + holdSuffix)) throw new StorageFailure('foreign', naming);
    return 'damaged';
  }
}
