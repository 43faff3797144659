/** What a file is that a mirror is to be in, as far as it can be told without a trace. */
import { existsSync } from 'node:fs';
import { isDatabase } from '../../storage/existing.ts';
import { StorageFailure } from '../../storage/failures.ts';
import { holdSuffix } from '../../storage/hold.ts';
import { ReadOnly } from '../../storage/read-only.ts';
import { namingOfMirror } from './sqlite-form.ts';

/** Throws a StorageFailure where the file is none of ours, or can’t be looked at; of whatever version it is. */
export function stateOfFile(file: string): 'sound' | 'damaged' {
  const naming = namingOfMirror(file);
  try {
    new ReadOnly({ ...naming, version: Number.MAX_SAFE_INTEGER, wait: 0 }).close();
    return 'sound';
  } catch (error) {
    if (!(error instanceof StorageFailure && error.problem === 'damaged')) throw error;
    // What is not even one of SQLite’s can only have been a mirror where one was kept under this name.
    if (!isDatabase(file) && !existsSync(file + holdSuffix)) throw new StorageFailure('foreign', naming);
    return 'damaged';
  }
}
