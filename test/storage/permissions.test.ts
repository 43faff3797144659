/** Permissions: only the user can read files of boh, and boh doesn't change the permissions of other files. */
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openLedger, steps } from './ledger.ts';

const folder = mkdtempSync(join(tmpdir(), 'boh-permissions-'));
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));

describe.skipIf(process.platform === 'win32')(
  'permissions (skipped on Windows, which has none of this kind)',
  () => {
    const isPrivate = true;
    const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

    it('of a file of boh: other users lose access', () => {
      const file = join(folder, 'ledger.sqlite');
      openLedger(file).close();
      chmodSync(file, 0o644);
      openLedger(file, { isPrivate }).close();
      expect(modeOf(file)).toBe('600');
    });

    it('of other files: stay unchanged', () => {
      const foreign: Record<string, (path: string) => void> = {
        'another kind': (path) => openLedger(path, { applicationId: 1 }).close(),
        'a newer one': (path) => openLedger(path, { steps: [...steps, () => undefined] }).close(),
        'no database': (path) =>
          writeFileSync(path, 'a letter to a friend, which is long enough to be checked'.repeat(9)),
        'an empty one': (path) => writeFileSync(path, ''),
      };
      for (const [name, make] of Object.entries(foreign)) {
        const path = join(folder, name);
        make(path);
        chmodSync(path, 0o644);
        expect(() => openLedger(path, { isPrivate }), name).toThrow();
        expect([name, modeOf(path)]).toEqual([name, '644']);
      }
    });
  },
);
