/** Manifests that name other files, and symbolic links in a backup: no file outside the backup is read. */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import {
  type BackupManifest,
  manifestName,
  manifestText,
} from '../../src/engine/transfer/backup/manifest.ts';
import { copyDemoBusiness } from '../harness/demo-business.ts';
import { failureOf, runBoh } from '../harness/run-boh.ts';

const records = '{"id":"7","name":"SECRET-4711"}\n';
const sha256 = createHash('sha256').update(records).digest('hex');
const validName = `tags-${sha256.slice(0, 16)}.ndjson`;

/** Creates a backup whose manifest names a file, next to a file that must not be read. */
function createBackup(file: string, format = 1) {
  const root = mkdtempSync(join(tmpdir(), 'boh-outside-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true, maxRetries: 10 }));
  const folder = join(root, 'backup');
  mkdirSync(folder);
  writeFileSync(join(root, validName), records);
  const manifest: BackupManifest = {
    format: format as 1,
    boh: '0',
    place: 'the sandbox',
    business: { id: null, name: null },
    account_key: null,
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
        read: 'complete',
        until: null,
        unseen: [],
      },
    ],
    left_out: [],
  };
  writeFileSync(join(folder, manifestName), manifestText(manifest));
  const config = join(root, 'config');
  copyDemoBusiness(config);
  const boh = (...line: string[]) =>
    runBoh(['--sandbox', ...line], {
      env: { BOH_CONFIG_DIR: config, XDG_DATA_HOME: root, XDG_CACHE_HOME: root },
    });
  return { root, folder, boh };
}

const linesThatRead = (folder: string) => [
  ['backup', 'verify', folder],
  ['backup', 'restore', folder, '--dry-run'],
  ['backup', 'restore', folder, '--yes'],
  ['backup', folder, '--since-last'],
];

it.each([
  ['a folder above', `../${validName}`],
  ['a folder above, after a subfolder', `x/../../${validName}`],
  ['an absolute path', `/etc/${validName}`],
  ['Windows: a folder above', `..\\${validName}`],
  ['Windows: a drive', `C:\\${validName}`],
  ['Windows: a path of a drive', `C:${validName}`],
  ['Windows: a share', `\\\\host\\share\\${validName}`],
  ['a stream of a file', `${validName}:x`],
  ['another file of the folder', 'tags.ndjson'],
  ['the manifest', manifestName],
  ['an empty path', ''],
  ['NUL', `${validName}\0`],
  ['a line break', `${validName}\n`],
])('a manifest that names %s: is refused by every reader', async (_, file) => {
  const { folder, boh } = createBackup(file);
  for (const line of linesThatRead(folder)) {
    const result = await boh(...line);
    expect({ line, exitCode: result.exitCode }).toEqual({ line, exitCode: 8 });
    expect(result.stdout + result.stderr).not.toContain('SECRET');
    expect(failureOf(result).message).toContain("isn't the name of a backup file");
  }
});

it('a backup of another version: is refused by every reader', async () => {
  const { folder, boh } = createBackup(validName, 2);
  for (const line of linesThatRead(folder)) {
    const result = await boh(...line);
    expect({ line, exitCode: result.exitCode }).toEqual({ line, exitCode: 8 });
    expect(failureOf(result).message).toContain('another version of boh');
  }
});

it('a symbolic link in place of a backup file: is refused by every reader', async () => {
  const { root, folder, boh } = createBackup(validName);
  symlinkSync(join(root, validName), join(folder, validName));
  for (const line of linesThatRead(folder).slice(0, 3)) {
    const result = await boh(...line);
    expect([result.exitCode, result.stderr]).toEqual([8, expect.stringContaining("it isn't a regular file")]);
  }
});

it('a regular file of the backup: is read', async () => {
  const { folder, boh } = createBackup(validName);
  writeFileSync(join(folder, validName), records);
  expect((await boh('backup', 'verify', folder)).exitCode).toBe(0);
});
