import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { lockMirror } from '../../src/engine/mirror/lock.ts';
import { openSqlite } from '../../src/engine/mirror/stores/open.ts';
import { parseMirrorTarget } from '../../src/engine/mirror/target.ts';

const lockOptions = { shouldWait: false, signal: new AbortController().signal, env: {} };

test('lockMirror: refuses a second lock of the same file, also by another path', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'boh-lock-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'a'));
  symlinkSync(join(folder, 'a'), join(folder, 'b'));
  const file = join(folder, 'a', 'mirror.sqlite');
  const otherPaths = [relative(process.cwd(), file), join(folder, 'b', 'mirror.sqlite')];
  for (const exists of [false, true]) {
    if (exists) {
      await (await openSqlite(file, [])).close();
      symlinkSync(file, join(folder, 'link'));
      otherPaths.push(join(folder, 'link'));
    }
    const lock = await lockMirror(parseMirrorTarget(`sqlite:${file}`, '--to'), lockOptions);
    for (const path of otherPaths) {
      await expect(
        lockMirror(parseMirrorTarget(`sqlite:${path}`, '--to'), lockOptions),
      ).rejects.toMatchObject({
        category: 'unavailable',
      });
    }
    await lock.release();
  }
});
