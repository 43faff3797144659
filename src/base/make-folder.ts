/** Makes a folder, with those above it: what Node has for it never ends where a file system says of a new folder that it isn’t there. */
import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Nothing is done to one that is there. `mode` is for every folder that is made. Throws what the system says. */
export function makeFolder(path: string, { mode = 0o777 }: { mode?: number } = {}): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  const parent = dirname(path);
  if (parent !== path) makeFolder(parent, { mode });
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Another process was quicker.
    const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    if (!isThere || !statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}
