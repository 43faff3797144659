/** Kills backups in progress, and checks that the folder contains either the old or the new backup, never a mixture. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { copyDemoBusiness } from '../harness/demo-business.ts';
import { killAfter } from '../harness/kill-after.ts';
import { randomNumbers } from '../harness/random-numbers.ts';
import { repetitions, repetitionsTimeoutMs, reportTried } from '../harness/repetitions.ts';
import { runLine } from '../harness/run-line.ts';
import { serveSandbox } from '../harness/served-sandbox.ts';
import { spawnBoh } from '../harness/spawn-boh.ts';

const folder = mkdtempSync(join(tmpdir(), 'boh-backup-kills-'));
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));

const env = { BOH_CONFIG_DIR: join(folder, 'config') };
const boh = (...line: string[]) => runLine(['--sandbox', ...line], { env });

test(
  'backup killed at any moment: leaves the old or the new backup, and the next one is complete',
  async () => {
    const target = join(folder, 'backup');
    copyDemoBusiness(env.BOH_CONFIG_DIR);
    expect((await boh('backup', target)).exitCode).toBe(0);
    const startedAt = performance.now();
    await spawnBoh(['--sandbox', 'backup', target], { env });
    const usualMs = performance.now() - startedAt;
    const kills = repetitions(3);
    const draw = randomNumbers(11);
    let [killCount, oldCount] = [0, 0];
    for (let round = 0; killCount < kills; round++) {
      const name = `Round ${round}`;
      await boh('tags', 'create', '--name', name, '--type', 'order');
      const before = readFileSync(join(target, 'manifest.json'), 'utf8');
      const line = ['backup', target, ...(round % 2 === 0 ? ['--since-last'] : [])];
      if (await killAfter(usualMs * (0.2 + draw() * 0.9), ['--sandbox', ...line], env)) killCount++;
      const checkResult = await boh('backup', 'verify', target, '--json');
      expect([round, checkResult.exitCode]).toEqual([round, 0]);
      const text = readFileSync(join(target, 'manifest.json'), 'utf8');
      const { resources } = JSON.parse(text) as { resources: { resource: string; file: string }[] };
      const tags = resources.find(({ resource }) => resource === 'tags')?.file ?? '';
      const hasNewTag = readFileSync(join(target, tags), 'utf8').includes(`"${name}"`);
      expect([round, hasNewTag]).toEqual([round, text !== before]);
      if (!hasNewTag) oldCount++;
    }
    expect((await boh('backup', target, '--since-last')).exitCode).toBe(0);
    expect((await boh('backup', 'verify', target, '--json')).stdout).not.toContain('.ndjson');
    reportTried({ tried: `${kills} kills of a backup, ${oldCount} times the old one was left`, seed: 11 });
  },
  repetitionsTimeoutMs,
);

test('backup without some resources: names them and exits with 9; backup verify of a damaged folder exits with 8', async () => {
  const target = join(folder, 'partial');
  const { boh, env: ownerEnv } = await serveSandbox();
  const { stdout: token } = await boh('sandbox', 'token', '--scopes', 'general.read', '--name', 'served');
  const accountEnv = { ...ownerEnv, BOH_TOKEN: token.trim() };
  const result = await runLine(['backup', target, '--json'], { env: accountEnv });
  expect(result.exitCode).toBe(9);
  expect(result.stderr).toMatch(/Not in the backup: suppliers\. .*inventory\.settings\.read/);
  expect(JSON.parse(result.stdout).map(({ resource }: { resource: string }) => resource)).toContain('tags');
  const { resources } = JSON.parse(readFileSync(join(target, 'manifest.json'), 'utf8'));
  rmSync(join(target, resources[0].file));
  const checkResult = await boh('backup', 'verify', target, '--json');
  expect(checkResult.exitCode).toBe(8);
  expect(checkResult.stderr).toContain(
    `  ${resources[0].resource}: Can't read ${join(target, resources[0].file)}: no such file.`,
  );
});
