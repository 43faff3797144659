/** Tests that only the user can read files of boh, and that the permissions of other files don't change. */
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openLedger } from './ledger.ts';

const folder = mkdtempSync(join(tmpdir(), 'boh-permissions-'));
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));

describe.skipIf(process.platform === 'win32')('permissions (skipped on Windows)', () => {
  const isPrivate = true;
  const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

  it('of a file of boh: are removed for other users', () => {
    const file = join(folder, 'ledger.sqlite');
    openLedger(file).close();
    chmodSync(file, 0o644);
    openLedger(file, { isPrivate }).close();
    expect(modeOf(file)).toBe('600');
  });

  it('of other files: stay unchanged', () => {
    const otherFiles: Record<string, (path: string) => void> = {
      'another format': (path) => openLedger(path, { applicationId: 1 }).close(),
      'another version': (path) => openLedger(path, { version: 2 }).close(),
      text: (path) => writeFileSync(path, 'text that is long enough to be checked for a header'.repeat(9)),
      'empty file': (path) => writeFileSync(path, ''),
    };
    for (const [name, createFile] of Object.entries(otherFiles)) {
      const path = join(folder, name);
      createFile(path);
      chmodSync(path, 0o644);
      expect(() => openLedger(path, { isPrivate }), name).toThrow();
      expect([name, modeOf(path)]).toEqual([name, '644']);
    }
  });
});
