/** Who may read a file of boh's own: only its user, and what isn't boh's is nobody's to change. */
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openLedger, steps } from './ledger.ts';

const folder = mkdtempSync(join(tmpdir(), 'boh-permissions-'));
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));

describe.skipIf(process.platform === 'win32')('permissions (Windows keeps none of this kind)', () => {
  const isPrivate = true;
  const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

  it('are taken from others where the file is ours', () => {
    const file = join(folder, 'ledger.sqlite');
    openLedger(file).close();
    chmodSync(file, 0o644);
    openLedger(file, { isPrivate }).close();
    expect(modeOf(file)).toBe('600');
  });

  it('stay as they are where it is somebody else’s', () => {
    const foreign: Record<string, (path: string) => void> = {
      'another kind': (path) => openLedger(path, { applicationId: 1 }).close(),
      'a newer one': (path) => openLedger(path, { steps: [...steps, () => undefined] }).close(),
      'no database': (path) =>
        writeFileSync(path, 'a letter to somebody, which is long enough to be looked at'.repeat(9)),
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
});
