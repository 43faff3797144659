/** Opens existing SQLite files. */
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { resolve, sep } from 'node:path';

/**
 * Returns a URL that opens a file without creating it. It is built here because loading Node's URL functions takes as
 * long as opening the file.
 */
export function existingFileUrl(file: string, mode: 'rw' | 'ro' = 'rw'): string {
  if (file === ':memory:') return file;
  const path = resolve(file);
  const urlPath = sep === '/' ? path : `/${path.replaceAll(sep, '/')}`;
  return `file://${urlPath.replaceAll(/[%?#]/g, encodeURIComponent)}?mode=${mode}`;
}

const header = 'SQLite format 3\0';

/** Returns whether a file has the header of SQLite. Doesn't change the file. Throws a system error if it can't be read. */
export function isSqliteFile(file: string): boolean {
  if (!statSync(file).isFile()) return false;
  const descriptor = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(header.length);
    readSync(descriptor, bytes);
    return bytes.toString('latin1') === header;
  } finally {
    closeSync(descriptor);
  }
}
