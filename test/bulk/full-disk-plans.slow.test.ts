/** Tests that a plan that can't be written completely leaves no file behind. */
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { mountSmallDisk, needsRoot } from '../harness/small-disk.ts';
import { openImportSandbox } from './import-sandbox.ts';

test('--out on a full disk: fails and leaves no file, or saves a plan that can be applied', async ({
  skip,
}) => {
  const sandbox = openImportSandbox();
  const disk = mountSmallDisk(400);
  if (!disk) return skip(needsRoot);
  const tags = Array.from({ length: 200 }, (_, index) => `  - { name: Tag ${index}, type: customer }\n`);
  const yaml = join(sandbox.folder, 'tags.yaml');
  writeFileSync(yaml, `tags:\n${tags.join('')}`);
  const csv = join(sandbox.folder, 'tags.csv');
  writeFileSync(csv, `name,type\n${tags.map((_, index) => `Row ${index},customer`).join('\n')}\n`);
  const lines = [
    `plan ${yaml}`,
    `tags import ${csv} --key name`,
    'customers update --where name=a --notes x',
  ];
  let [failedCount, savedCount] = [0, 0];
  for (let freeKilobytes = 0; freeKilobytes <= 400; freeKilobytes += 12)
    for (const line of lines) {
      disk.empty();
      disk.fill(freeKilobytes);
      const file = join(disk.path, `${freeKilobytes}.plan`);
      const result = await sandbox.boh(`${line} --out ${file}`);
      const files = readdirSync(disk.path).filter((name) => name.startsWith(`${freeKilobytes}.plan`));
      if (result.exitCode !== 0) failedCount++;
      else savedCount++;
      expect([line, freeKilobytes, files]).toEqual([
        line,
        freeKilobytes,
        result.exitCode === 0 ? [`${freeKilobytes}.plan`] : [],
      ]);
      disk.empty();
      if (result.exitCode !== 0) continue;
      expect((await sandbox.boh(`apply --plan ${file} --dry-run`)).exitCode).toBe(0);
      rmSync(file);
    }
  expect(failedCount).toBeGreaterThan(5);
  expect(savedCount).toBeGreaterThan(5);
});

test('apply of a plan on a full disk: can be applied later if nothing was sent, otherwise resumed', async ({
  skip,
}) => {
  const sandbox = openImportSandbox();
  const ends = new Set<string>();
  for (let freeKilobytes = 0; freeKilobytes <= 80; freeKilobytes += 8) {
    const disk = mountSmallDisk(400);
    if (!disk) return skip(needsRoot);
    const file = join(disk.path, 'a.plan');
    const csv = `name\nDisk ${freeKilobytes}\n`;
    expect((await sandbox.import('a.csv', csv, `suppliers --mode create --out ${file}`)).exitCode).toBe(0);
    disk.fill(freeKilobytes);
    const failed = await sandbox.boh(`apply --plan ${file} --yes`);
    disk.empty();
    const isUnsent = / planned:/.test((await sandbox.boh(`runs show ${file}`)).stderr);
    const ended = await sandbox.boh(isUnsent ? `apply --plan ${file} --yes` : `runs resume ${file}`);
    expect([freeKilobytes, ended.exitCode, ended.stderr]).toEqual([freeKilobytes, 0, expect.anything()]);
    const created = await sandbox.json<unknown[]>('suppliers list --name Disk');
    expect(created).toHaveLength(freeKilobytes / 8 + 1);
    ends.add(failed.exitCode === 0 ? 'applied' : isUnsent ? 'not sent' : 'sent');
  }
  expect(ends).toContain('not sent');
  expect(ends.size).toBeGreaterThan(1);
});
