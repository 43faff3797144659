/** A backup's manifest and links in its folder: nothing outside the folder is read. */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { type BackupManifest, manifestName, manifestText } from '../../src/transfer/backup/manifest.ts';
import { putDemoBusiness } from '../harness/demo-business.ts';
import { failureOf, runBoh } from '../harness/run-boh.ts';

const records = '{"id":"7","name":"SECRET-4711"}\n';
const sha256 = createHash('sha256').update(records).digest('hex');
const ownName = `tags-${sha256.slice(0, 16)}.ndjson`;

/** Returns a folder whose manifest names that file, next to a file that must not be read. */
function backupNaming(file: string) {
  const root = mkdtempSync(join(tmpdir(), 'boh-outside-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true, maxRetries: 10 }));
  const folder = join(root, 'backup');
  mkdirSync(folder);
  writeFileSync(join(root, ownName), records);
  const manifest: BackupManifest = {
    format: 1,
    boh: '0',
    place: 'the sandbox',
    business: { id: null, name: null },
    began_at: '2026-11-22 00:00:00',
    ended_at: '2026-11-22 00:00:00',
    resources: [
      {
        resource: 'tags',
        file,
        records: 1,
        deleted: 0,
        bytes: records.length,
        sha256,
        read: 'whole',
        until: null,
        unseen: [],
      },
    ],
    left_out: [],
  };
  writeFileSync(join(folder, manifestName), manifestText(manifest));
  const config = join(root, 'config');
  putDemoBusiness(config);
  const boh = (...line: string[]) =>
    runBoh(['--sandbox', ...line], {
      env: { BOH_CONFIG_DIR: config, XDG_DATA_HOME: root, XDG_CACHE_HOME: root },
    });
  return { root, folder, boh };
}

const readers = (folder: string) => [
  ['backup', 'verify', folder],
  ['restore-from', folder, '--dry-run'],
  ['restore-from', folder, '--yes'],
  ['backup', folder, '--since-last'],
];

it.each([
  ['a folder above', `../unit/${ownName}`],
  ['a folder above that is in it', `x/../../${ownName}`],
  ['an absolute path', `/etc/${ownName}`],
  ['Windows: a folder above', `..\\${ownName}`],
  ['Windows: a drive', `C:\\${ownName}`],
  ['Windows: a path of a drive', `C:${ownName}`],
  ['Windows: a share', `\\\\host\\share\\${ownName}`],
  ['a stream of a file', `${ownName}:x`],
  ['another file of the folder', 'tags.ndjson'],
  ['the manifest', manifestName],
  ['nothing', ''],
  ['NUL', `${ownName}\0`],
  ['a line break', `${ownName}\n`],
])('a manifest that names %s: refused by every reader', async (_, file) => {
  const { folder, boh } = backupNaming(file);
  for (const line of readers(folder)) {
    const ran = await boh(...line);
    expect({ line, exitCode: ran.exitCode }).toEqual({ line, exitCode: 8 });
    expect(ran.stdout + ran.stderr).not.toContain('SECRET');
    expect(failureOf(ran).message).toContain("isn't the name of a backup file");
  }
});

it('a link instead of a file: refused by every reader, whatever its target', async () => {
  const { root, folder, boh } = backupNaming(ownName);
  symlinkSync(join(root, ownName), join(folder, ownName));
  for (const line of readers(folder).slice(0, 3)) {
    const ran = await boh(...line);
    expect([ran.exitCode, ran.stderr]).toEqual([8, expect.stringContaining("it isn't a regular file")]);
  }
});

it('a file of the backup: read', async () => {
  const { folder, boh } = backupNaming(ownName);
  writeFileSync(join(folder, ownName), records);
  expect((await boh('backup', 'verify', folder)).exitCode).toBe(0);
});
