/** Replaces a private file atomically: another process that reads it gets either the old or the new text. */
import { randomBytes } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';

/** Writes the text to a new file in the same folder, and renames that file. */
export function replaceFile(path: string, text: string): void {
  const temporaryPath = `${path}.${randomBytes(4).toString('hex')}`;
  try {
    writeFileSync(temporaryPath, text, { mode: 0o600, flag: 'wx' });
    renameSync(temporaryPath, path);
  } finally {
    rmSync(temporaryPath, { force: true });
  }
}
