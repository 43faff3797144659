/** By what a mirror’s file is known, and how messages speak of it. */
import type { Naming } from '../../storage/failures.ts';
import { type FileFormat, fileFormats } from '../../storage/formats.ts';
import type { ReadOnlyForm } from '../../storage/read-only.ts';
import type { Cell } from '../schema/table.ts';

export function namingOfMirror(file: string): Naming & Omit<FileFormat, 'version'> {
  const remedy = `Set ${file} aside: the next sync makes it anew.`;
  return { file, ...fileFormats.mirror, remedy, isShared: true };
}

/** SQLite’s own `lower` knows no letters beyond ASCII. */
export const foldFunction = 'boh_lower';

/** For reading alone; `version` is the latest that can be read. */
export function formOfReader(file: string, version: number): ReadOnlyForm {
  return {
    ...namingOfMirror(file),
    version,
    // In milliseconds.
    wait: 10_000,
    functions: { [foldFunction]: (text: Cell) => (text === null ? null : String(text).toLowerCase()) },
  };
}
