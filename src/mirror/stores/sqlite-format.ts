/** Describes a mirror's SQLite file: how it is recognized, how messages name it, and whether it is damaged. */
import { existsSync } from 'node:fs';
import { isSqliteFile } from '../../storage/existing-file.ts';
import { type FileDescription, StorageFailure } from '../../storage/failures.ts';
import { lockFileSuffix } from '../../storage/file-lock.ts';
import { type FileFormat, fileFormats } from '../../storage/formats.ts';
import { ReadOnlyDatabase, type ReadOnlyFormat } from '../../storage/read-only.ts';
import type { Cell } from '../schema/table.ts';

/** Returns the file's names in messages and its format. */
export function namingOfMirror(file: string): FileDescription & Omit<FileFormat, 'version'> {
  const remedy = `Rename ${file}: the next sync creates a new one.`;
  return { file, ...fileFormats.mirror, remedy, isShared: true };
}

/** SQLite's own `lower` knows only ASCII letters. */
export const foldFunction = 'boh_lower';

/** Returns how to open the file for reading; `version` is the latest one that can be read. */
export function readerFormat(file: string, version: number): ReadOnlyFormat {
  return {
    ...namingOfMirror(file),
    version,
    // In milliseconds.
    busyTimeoutMs: 10_000,
    functions: { [foldFunction]: (text: Cell) => (text === null ? null : String(text).toLowerCase()) },
  };
}

/**
 * Returns whether the file is a readable mirror of any version. Throws a StorageFailure if it isn't a mirror or can't
 * be opened.
 */
export function stateOfFile(file: string): 'sound' | 'damaged' {
  const naming = namingOfMirror(file);
  try {
    new ReadOnlyDatabase({ ...naming, version: Number.MAX_SAFE_INTEGER, busyTimeoutMs: 0 }).close();
    return 'sound';
  } catch (error) {
    if (!(error instanceof StorageFailure && error.problem === 'damaged')) throw error;
    // A file that isn't even a SQLite database counts as a mirror only if a mirror was locked under this name before.
    if (!isSqliteFile(file) && !existsSync(file + lockFileSuffix))
      throw new StorageFailure('foreign', naming);
    return 'damaged';
  }
}
