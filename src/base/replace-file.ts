/** Replaces a private file at once: another process that reads it gets the old or the new text. */
import { randomBytes } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';

/** Writes the text beside the file, and renames it. */
export function replaceFile(path: string, text: string): void {
  const next = `${path}.${randomBytes(4).toString('hex')}`;
  try {
    writeFileSync(next, text, { mode: 0o600, flag: 'wx' });
    renameSync(next, path);
  } finally {
    rmSync(next, { force: true });
  }
}
