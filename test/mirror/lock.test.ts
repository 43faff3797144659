import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { lockMirror } from '../../src/mirror/lock.ts';
import { parseMirrorTarget } from '../../src/mirror/target.ts';

const how = { isWaiting: false, signal: new AbortController().signal, env: {} };

test('the lock of a mirror file: is held by one process, whichever path is used for the file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'boh-held-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'a'));
  symlinkSync(join(folder, 'a'), join(folder, 'b'));
  const file = join(folder, 'a', 'mirror.sqlite');
  const others = [relative(process.cwd(), file), join(folder, 'b', 'mirror.sqlite')];
  for (const isThere of [false, true]) {
    if (isThere) {
      writeFileSync(file, '');
      symlinkSync(file, join(folder, 'link'));
      others.push(join(folder, 'link'));
    }
    const held = await lockMirror(parseMirrorTarget(`sqlite:${file}`, '--to'), how);
    for (const other of others) {
      await expect(lockMirror(parseMirrorTarget(`sqlite:${other}`, '--to'), how)).rejects.toMatchObject({
        category: 'unavailable',
      });
    }
    held.release();
  }
});
