/** Makes folders. Node's recursive `mkdir` never ends on a file system that reports a new folder as missing. */
import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Makes a folder and the missing folders above it, all with `mode`. An existing one is unchanged. Throws the system's error. */
export function makeFolder(path: string, { mode = 0o777 }: { mode?: number } = {}): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  const parent = dirname(path);
  if (parent !== path) makeFolder(parent, { mode });
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Another process made it first.
    const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    if (!isThere || !statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}
