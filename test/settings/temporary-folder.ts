/** Creates temporary folders for one test file, and removes them at the end. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** Returns a function that creates a new empty folder at each call. */
export function temporaryFolders(): () => string {
  const root = mkdtempSync(join(tmpdir(), 'boh-settings-'));
  afterAll(() => rmSync(root, { recursive: true, force: true, maxRetries: 10 }));
  return () => mkdtempSync(join(root, 'x'));
}
