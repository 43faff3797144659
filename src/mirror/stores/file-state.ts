/** What a file is that a mirror is to be in, as far as it can be told without a trace. */
import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { StorageFailure } from '../../storage/failures.ts';
import { holdSuffix } from '../../storage/hold.ts';
import { ReadOnly } from '../../storage/read-only.ts';
import { applicationId, namingOfMirror } from './sqlite-form.ts';

/** Throws a StorageFailure where the file is none of ours, or can’t be looked at; of whatever version it is. */
export function stateOfFile(file: string): 'sound' | 'damaged' {
  const naming = namingOfMirror(file);
  try {
    new ReadOnly({ ...naming, applicationId, version: Number.MAX_SAFE_INTEGER, wait: 0 }).close();
    return 'sound';
  } catch (error) {
    if (!(error instanceof StorageFailure && error.problem === 'damaged')) throw error;
    // What is not even one of SQLite’s can only have been a mirror where one was kept under this name.
    if (!beginsAsSqlite(file) && !existsSync(file + holdSuffix)) throw new StorageFailure('foreign', naming);
    return 'damaged';
  }
}

const beginning = 'SQLite format 3\0';

function beginsAsSqlite(file: string): boolean {
  const opened = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(beginning.length);
    readSync(opened, bytes);
    return bytes.toString('latin1') === beginning;
  } finally {
    closeSync(opened);
  }
}
