import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { failureOf } from '../harness/run-boh.ts';
import { openAccounts } from './backups.ts';

test.skipIf(process.platform === 'win32')(
  'import of a folder with a pipe among the tables: is refused without waiting for a writer',
  async () => {
    const { boh, folder } = openAccounts();
    const pipe = join(folder, 'all', 'tags.csv');
    await boh('demo', `export --to ${join(folder, 'all')}`);
    rmSync(pipe);
    execFileSync('mkfifo', [pipe]);
    const { message } = failureOf(await boh('demo', `import ${join(folder, 'all')} --yes`));
    expect(message).toBe(`Can't read ${pipe}: it is not a regular file.`);
  },
);
