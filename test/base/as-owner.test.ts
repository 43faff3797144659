/** Tests that root uses the files of another user with that user's privileges. */
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runAsOwner } from '../../src/base/as-owner.ts';
import { openWhoamiCache } from '../../src/settings/caches.ts';
import { addProfile } from '../../src/settings/config.ts';
import { openStore } from '../../src/settings/store.ts';
import { runBoh } from '../harness/run-boh.ts';

const isRoot = process.geteuid?.() === 0;
const otherUser = 12_345;

describe.skipIf(!isRoot)('root with the folder of another user (skipped unless run by root)', () => {
  let home: string;
  let otherUsersFolder: string;
  let fileOfRoot: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'boh-owner-'));
    // The other user can access the files in the folder.
    chmodSync(home, 0o755);
    otherUsersFolder = join(home, 'theirs');
    fileOfRoot = join(home, 'root.json');
    mkdirSync(otherUsersFolder, { mode: 0o700 });
    chownSync(otherUsersFolder, otherUser, otherUser);
    writeFileSync(fileOfRoot, '{"version":1,"profiles":{},"defaults":{}}', { mode: 0o644 });
  });
  afterEach(() => rmSync(home, { recursive: true, force: true, maxRetries: 10 }));
  const store = () => openStore({ BOH_CONFIG_DIR: otherUsersFolder });
  const addDiner = () => store().update((config) => addProfile(config, 'diner'));

  test('writes files that the other user owns', async () => {
    await addDiner();
    await addDiner().catch(() => undefined);
    const files = readdirSync(otherUsersFolder).map((name) => join(otherUsersFolder, name));
    expect(files).toEqual([join(otherUsersFolder, 'config.json')]);
    expect(statSync(files[0] ?? '').uid).toBe(otherUser);
    expect(process.geteuid?.()).toBe(0);
  });

  test('creates a missing folder that the other user owns', async () => {
    const inside = join(otherUsersFolder, 'deep', 'config');
    await openStore({ BOH_CONFIG_DIR: inside }).update((config) => addProfile(config, 'diner'));
    expect(statSync(join(otherUsersFolder, 'deep')).uid).toBe(otherUser);
    expect(statSync(join(inside, 'config.json')).uid).toBe(otherUser);
  });

  test('neither reads nor changes a file of root through a link', async () => {
    symlinkSync(fileOfRoot, join(otherUsersFolder, 'config.json'));
    const before = statSync(fileOfRoot);
    await expect(store().read()).rejects.toMatchObject({ category: 'usage' });
    await expect(addDiner()).rejects.toMatchObject({ category: 'usage' });
    expect(statSync(fileOfRoot)).toMatchObject({ mode: before.mode, uid: 0, mtimeMs: before.mtimeMs });
  });

  test('reads no file that the other user may not read', async () => {
    chmodSync(fileOfRoot, 0o600);
    symlinkSync(fileOfRoot, join(otherUsersFolder, 'config.json'));
    await expect(store().read()).rejects.toMatchObject({
      message: expect.stringContaining('permission denied'),
    });
  });

  test('changes no folder of root through a link', async () => {
    const folder = join(home, 'etc');
    mkdirSync(folder, { mode: 0o755 });
    writeFileSync(join(folder, 'config.json'), '{"version":1,"profiles":{},"defaults":{}}');
    const link = join(otherUsersFolder, 'boh');
    symlinkSync(folder, link);
    await openStore({ BOH_CONFIG_DIR: link })
      .read()
      .catch(() => undefined);
    expect((statSync(folder).mode & 0o777).toString(8)).toBe('755');
  });

  test('creates caches that the other user owns', () => {
    openWhoamiCache({ BOH_CONFIG_DIR: otherUsersFolder }).put('key', ['users.read']);
    expect(statSync(join(otherUsersFolder, 'cache', 'whoami.json')).uid).toBe(otherUser);
  });

  test('creates histories, runs, sandboxes, snapshots and locks that the other user owns', async () => {
    const env = { BOH_CONFIG_DIR: otherUsersFolder };
    const file = join(otherUsersFolder, 'customers.csv');
    writeFileSync(file, 'name,phone\nAda,5550100\n');
    chownSync(file, otherUser, otherUser);
    for (const args of [
      ['--sandbox', 'suppliers', 'create', '--name', 'Fresh Farms'],
      ['--sandbox', 'customers', 'import', file, '--mode', 'create', '--yes'],
      ['--sandbox', 'undo', '--last', '--yes'],
      ['sandbox', 'snapshot', 'save', 'one'],
      ['sandbox', 'snapshot', 'restore', 'one', '--yes'],
      ['sandbox', 'reset', '--yes'],
    ]) {
      const result = await runBoh(args, { env });
      expect(result.exitCode, `${args.join(' ')}: ${result.stderr}`).toBe(0);
    }
    const createdFiles = readdirSync(otherUsersFolder, { recursive: true, encoding: 'utf8' });
    for (const kind of ['history', 'runs', 'sandboxes', join('sandboxes', 'snapshots')])
      expect(createdFiles.filter((name) => name.startsWith(kind)).length, kind).toBeGreaterThan(1);
    expect(createdFiles.filter((name) => statSync(join(otherUsersFolder, name)).uid !== otherUser)).toEqual(
      [],
    );
  });

  test('records writes from a current folder that the other user may not read', async () => {
    const before = process.cwd();
    const folder = join(home, 'private');
    mkdirSync(folder, { mode: 0o700 });
    process.chdir(folder);
    try {
      const env = { BOH_CONFIG_DIR: otherUsersFolder };
      const result = await runBoh(['--sandbox', 'suppliers', 'create', '--name', 'Fresh Farms'], { env });
      expect(result.stderr).not.toContain('not recorded');
      expect(await runBoh(['--sandbox', 'undo', '--last', '--yes'], { env })).toMatchObject({ exitCode: 0 });
    } finally {
      process.chdir(before);
    }
  });

  test('writes no history to a folder of root through a link', async () => {
    const folder = join(home, 'etc');
    mkdirSync(folder, { mode: 0o755 });
    symlinkSync(folder, join(otherUsersFolder, 'history'));
    const result = await runBoh(['--sandbox', 'suppliers', 'create', '--name', 'Fresh Farms'], {
      env: { BOH_CONFIG_DIR: otherUsersFolder },
    });
    expect(result).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('but not recorded in it') });
    expect(readdirSync(folder)).toEqual([]);
  });

  test('has the privileges of root again after the task throws', () => {
    expect(() =>
      runAsOwner(otherUsersFolder, () => {
        throw new Error('the task failed');
      }),
    ).toThrow('the task failed');
    expect([process.geteuid?.(), process.getegid?.()]).toEqual([0, 0]);
  });

  test("keeps the owner of a file that a link in root's folder leads to", async () => {
    const folderOfRoot = join(home, 'own');
    mkdirSync(folderOfRoot, { mode: 0o700 });
    const linkTarget = join(otherUsersFolder, 'dotfile.json');
    writeFileSync(linkTarget, readFileSync(fileOfRoot));
    chownSync(linkTarget, otherUser, otherUser);
    symlinkSync(linkTarget, join(folderOfRoot, 'config.json'));
    await openStore({ BOH_CONFIG_DIR: folderOfRoot }).update((config) => addProfile(config, 'diner'));
    expect(statSync(linkTarget).uid).toBe(otherUser);
    expect(readFileSync(linkTarget, 'utf8')).toContain('diner');
  });
});

test('runAsOwner: runs the task unchanged for users other than root', () => {
  const folder = tmpdir();
  expect(runAsOwner(join(folder, 'not', 'there'), () => existsSync(folder))).toBe(true);
});
