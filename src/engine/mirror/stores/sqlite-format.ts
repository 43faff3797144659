/** Describes a mirror's SQLite file: its format, its name in messages, and whether it is damaged. */

import { type FileDescription, StorageFailure } from '../../../base/storage/failures.ts';
import { type FileFormat, fileFormats, isSqliteFile } from '../../../base/storage/formats.ts';
import { ReadOnlyDatabase, type ReadOnlyFormat } from '../../../base/storage/read-only.ts';
import type { Cell } from '../schema/table.ts';

/** Returns the format of a mirror's file, its name in messages, and how to replace an unusable file. */
export function describeMirrorFile(file: string): FileDescription & FileFormat {
  const remedy = `Rename ${file}: the next sync creates a new one.`;
  return { file, ...fileFormats.mirror, remedy, isShared: true };
}

/** The name of the SQL function for lower case: SQLite's `lower` supports only ASCII letters. */
export const foldFunction = 'boh_lower';

export function readerFormat(file: string): ReadOnlyFormat {
  return {
    ...describeMirrorFile(file),
    // The time to wait for another process, in milliseconds.
    busyTimeoutMs: 10_000,
    functions: { [foldFunction]: (text: Cell) => (text === null ? null : String(text).toLowerCase()) },
  };
}

/**
 * Returns whether the file, a mirror of any version, is intact. Throws a StorageFailure if it isn't a mirror or can't
 * be opened.
 */
export function checkMirrorFile(file: string): 'intact' | 'damaged' {
  const fileDescription = describeMirrorFile(file);
  try {
    new ReadOnlyDatabase({ ...fileDescription, version: undefined, busyTimeoutMs: 0 }).close();
    return 'intact';
  } catch (error) {
    if (!(error instanceof StorageFailure && error.problem === 'damaged')) throw error;
    if (!isSqliteFile(file)) throw new StorageFailure('foreign', fileDescription);
    return 'damaged';
  }
}
