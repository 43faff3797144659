import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { failureOf } from '../harness/run-boh.ts';
import { openAccounts } from './backups.ts';

describe.skipIf(process.platform === 'win32')('a pipe in a folder (Windows has none)', () => {
  test('import: is refused without waiting for a writer', async () => {
    const { boh, folder } = openAccounts();
    const pipe = join(folder, 'all', 'tags.csv');
    await boh('demo', `export --to ${join(folder, 'all')}`);
    rmSync(pipe);
    execFileSync('mkfifo', [pipe]);
    const { message } = failureOf(await boh('demo', `import ${join(folder, 'all')} --yes`));
    expect(message).toBe(`Can't read ${pipe}: it is not a regular file.`);
  });

  test('plan: is refused without waiting for a writer', async () => {
    const { boh, folder } = openAccounts();
    const pipe = join(folder, 'declared', 'tags.csv');
    mkdirSync(join(folder, 'declared'));
    execFileSync('mkfifo', [pipe]);
    const { message } = failureOf(await boh('demo', `plan ${join(folder, 'declared')}`));
    expect(message).toBe(`Can't read ${pipe}: it is not a regular file.`);
  });
});
