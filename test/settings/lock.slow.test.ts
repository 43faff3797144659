/** Checks a lock of the settings with a time in the future, as if the clock was set back after its process ended. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { spawnBoh } from '../harness/spawn-boh.ts';

test('lock of the settings with a time in the future: is removed if no process renews it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'boh-lock-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const lock = join(folder, 'config.lock');
  mkdirSync(lock, { mode: 0o700 });
  const tomorrow = new Date(Date.now() + 86_400_000);
  utimesSync(lock, tomorrow, tomorrow);
  const result = await spawnBoh(['config', 'set', 'output', 'json'], { env: { BOH_CONFIG_DIR: folder } });
  expect([result.exitCode, result.stderr]).toEqual([0, expect.not.stringContaining('Another boh')]);
  expect(readdirSync(folder)).not.toContain('config.lock');
});
