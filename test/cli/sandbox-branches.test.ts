/** Creates sandboxes whose number of branches differs from that of the demo business. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runBoh } from '../harness/run-boh.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'boh-branches-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));

const boh = (...argv: string[]) => runBoh(argv, { env: { BOH_CONFIG_DIR: folder } });
const sandbox = (...argv: string[]) => boh('sandbox', ...argv);
const json = async (...argv: string[]) => JSON.parse((await boh(...argv)).stdout);

describe('--branches', () => {
  const countBranches = async (...argv: string[]) => (await json(...argv, 'branches', '--json')).length;

  it('reset: creates this number of branches, which can be found by name', async () => {
    expect((await sandbox('reset', '--branches', '12', '--yes')).exitCode).toBe(0);
    expect(await countBranches('--sandbox')).toBe(12);
    const [owner] = await json('--sandbox', 'users', 'list', '--branches-id', '@Branch 12', '--json');
    expect(owner).toMatchObject({ is_owner: true });
    expect((await sandbox('check')).exitCode).toBe(0);
    // Another sandbox, because the names of branches are cached.
    const reset = ['reset', '--name', 'other', '--empty', '--branches', '1', '--yes'];
    expect((await sandbox(...reset)).exitCode).toBe(0);
    const otherResult = await runBoh(['--sandbox', 'branches', '--json'], {
      env: { BOH_CONFIG_DIR: folder, BOH_SANDBOX: 'other' },
    });
    expect(JSON.parse(otherResult.stdout)).toHaveLength(1);
  });

  it('reset: refuses fewer branches than the demo business has, before any data is deleted', async () => {
    await boh('--sandbox', 'tags', 'create', '--name', 'Mine', '--type', 'customer');
    const refusedResult = await sandbox('reset', '--branches', '2', '--yes');
    expect([refusedResult.exitCode, refusedResult.stderr]).toEqual([
      2,
      expect.stringContaining('The sandbox has 3 branches already'),
    ]);
    expect(await json('--sandbox', 'tags', 'list', '--filter', 'name=Mine', '--json')).toHaveLength(1);
    expect((await sandbox('reset', '--branches', 'many', '--yes')).exitCode).toBe(2);
  });
});
