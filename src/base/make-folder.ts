/** Creates folders. Node's recursive `mkdir` never ends on a file system that reports a new folder as missing. */
import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Creates a folder and its missing parents, all with `mode`. An existing folder isn't changed. Throws system errors. */
export function makeFolder(path: string, { mode = 0o777 }: { mode?: number } = {}): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  const parent = dirname(path);
  if (parent !== path) makeFolder(parent, { mode });
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Another process may have created it first.
    const alreadyExists = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    if (!alreadyExists || !statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}
