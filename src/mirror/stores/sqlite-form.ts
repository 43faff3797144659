/** Describes a mirror's SQLite file: how it is recognized, and how messages name it. */
import type { Naming } from '../../storage/failures.ts';
import { type FileFormat, fileFormats } from '../../storage/formats.ts';
import type { ReadOnlyForm } from '../../storage/read-only.ts';
import type { Cell } from '../schema/table.ts';

/** Returns the file's names in messages and its format. */
export function namingOfMirror(file: string): Naming & Omit<FileFormat, 'version'> {
  const remedy = `Rename ${file}: the next sync creates a new one.`;
  return { file, ...fileFormats.mirror, remedy, isShared: true };
}

/** SQLite's own `lower` knows only ASCII letters. */
export const foldFunction = 'boh_lower';

/** Returns how to open the file for reading; `version` is the latest one that can be read. */
export function readerForm(file: string, version: number): ReadOnlyForm {
  return {
    ...namingOfMirror(file),
    version,
    // In milliseconds.
    wait: 10_000,
    functions: { [foldFunction]: (text: Cell) => (text === null ? null : String(text).toLowerCase()) },
  };
}
