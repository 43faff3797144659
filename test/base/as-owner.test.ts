/** Root uses the files of another user with that user's rights, whatever their folder contains. */
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

describe.skipIf(!isRoot)('root (skipped unless run by root)', () => {
  let home: string;
  let theirs: string;
  let victim: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'boh-owner-'));
    // Lets the other user reach the files in it.
    chmodSync(home, 0o755);
    theirs = join(home, 'theirs');
    victim = join(home, 'victim.json');
    mkdirSync(theirs, { mode: 0o700 });
    chownSync(theirs, otherUser, otherUser);
    writeFileSync(victim, '{"version":1,"profiles":{},"defaults":{}}', { mode: 0o644 });
  });
  afterEach(() => rmSync(home, { recursive: true, force: true, maxRetries: 10 }));
  const store = () => openStore({ BOH_CONFIG_DIR: theirs });
  const add = () => store().update((config) => addProfile(config, 'diner'));

  test('writes as the owner of the folder, who keeps owning all files', async () => {
    await add();
    await add().catch(() => undefined);
    const files = readdirSync(theirs).map((name) => join(theirs, name));
    expect(files).toEqual([join(theirs, 'config.json')]);
    expect(statSync(files[0] ?? '').uid).toBe(otherUser);
    expect(process.geteuid?.()).toBe(0);
  });

  test('creates a missing folder as its future owner', async () => {
    const inside = join(theirs, 'deep', 'config');
    await openStore({ BOH_CONFIG_DIR: inside }).update((config) => addProfile(config, 'diner'));
    expect(statSync(join(theirs, 'deep')).uid).toBe(otherUser);
    expect(statSync(join(inside, 'config.json')).uid).toBe(otherUser);
  });

  test('neither reads nor repairs the target of their link', async () => {
    symlinkSync(victim, join(theirs, 'config.json'));
    const before = statSync(victim);
    await expect(store().read()).rejects.toMatchObject({ category: 'usage' });
    await expect(add()).rejects.toMatchObject({ category: 'usage' });
    expect(statSync(victim)).toMatchObject({ mode: before.mode, uid: 0, mtimeMs: before.mtimeMs });
  });

  test('reads no file that they may not read', async () => {
    chmodSync(victim, 0o600);
    symlinkSync(victim, join(theirs, 'config.json'));
    await expect(store().read()).rejects.toMatchObject({
      message: expect.stringContaining('permission denied'),
    });
  });

  test('changes no folder that their link leads to', async () => {
    const folder = join(home, 'etc');
    mkdirSync(folder, { mode: 0o755 });
    writeFileSync(join(folder, 'config.json'), '{"version":1,"profiles":{},"defaults":{}}');
    const link = join(theirs, 'boh');
    symlinkSync(folder, link);
    await openStore({ BOH_CONFIG_DIR: link })
      .read()
      .catch(() => undefined);
    expect((statSync(folder).mode & 0o777).toString(8)).toBe('755');
  });

  test('leaves no cache that root owns in their folder', () => {
    openWhoamiCache({ BOH_CONFIG_DIR: theirs }).put('key', ['users.read']);
    expect(statSync(join(theirs, 'cache', 'whoami.json')).uid).toBe(otherUser);
  });

  test('leaves no history, run, sandbox, snapshot or lock that root owns in their folder', async () => {
    const env = { BOH_CONFIG_DIR: theirs };
    const file = join(theirs, 'customers.csv');
    writeFileSync(file, 'name,phone\nAda,5550100\n');
    chownSync(file, otherUser, otherUser);
    for (const line of [
      ['--sandbox', 'suppliers', 'create', '--name', 'Fresh Farms'],
      ['--sandbox', 'customers', 'import', file, '--mode', 'create', '--yes'],
      ['--sandbox', 'undo', '--last', '--yes'],
      ['sandbox', 'snapshot', 'save', 'one'],
      ['sandbox', 'snapshot', 'restore', 'one', '--yes'],
      ['sandbox', 'reset', '--yes'],
    ]) {
      const result = await runBoh(line, { env });
      expect(result.exitCode, `${line.join(' ')}: ${result.stderr}`).toBe(0);
    }
    const made = readdirSync(theirs, { recursive: true, encoding: 'utf8' });
    for (const kind of ['history', 'runs', 'sandboxes', join('sandboxes', 'snapshots')])
      expect(made.filter((name) => name.startsWith(kind)).length, kind).toBeGreaterThan(1);
    expect(made.filter((name) => statSync(join(theirs, name)).uid !== otherUser)).toEqual([]);
  });

  test('records writes from a current folder that they may not read', async () => {
    const before = process.cwd();
    const folder = join(home, 'private');
    mkdirSync(folder, { mode: 0o700 });
    process.chdir(folder);
    try {
      const env = { BOH_CONFIG_DIR: theirs };
      const result = await runBoh(['--sandbox', 'suppliers', 'create', '--name', 'Fresh Farms'], { env });
      expect(result.stderr).not.toContain('not recorded');
      expect(await runBoh(['--sandbox', 'undo', '--last', '--yes'], { env })).toMatchObject({ exitCode: 0 });
    } finally {
      process.chdir(before);
    }
  });

  test('writes no history to the target of their link', async () => {
    const folder = join(home, 'etc');
    mkdirSync(folder, { mode: 0o755 });
    symlinkSync(folder, join(theirs, 'history'));
    const result = await runBoh(['--sandbox', 'suppliers', 'create', '--name', 'Fresh Farms'], {
      env: { BOH_CONFIG_DIR: theirs },
    });
    expect(result).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('but not recorded in it') });
    expect(readdirSync(folder)).toEqual([]);
  });

  test('is root again if the task throws', () => {
    expect(() =>
      runAsOwner(theirs, () => {
        throw new Error('on purpose');
      }),
    ).toThrow('on purpose');
    expect([process.geteuid?.(), process.getegid?.()]).toEqual([0, 0]);
  });

  test('keeps the owner of another file that a link of root leads to', async () => {
    const own = join(home, 'own');
    mkdirSync(own, { mode: 0o700 });
    const linked = join(theirs, 'dotfile.json');
    writeFileSync(linked, readFileSync(victim));
    chownSync(linked, otherUser, otherUser);
    symlinkSync(linked, join(own, 'config.json'));
    await openStore({ BOH_CONFIG_DIR: own }).update((config) => addProfile(config, 'diner'));
    expect(statSync(linked).uid).toBe(otherUser);
    expect(readFileSync(linked, 'utf8')).toContain('diner');
  });
});

test('asOwnerOf: runs the task as it is for users other than root', () => {
  const folder = tmpdir();
  expect(runAsOwner(join(folder, 'not', 'there'), () => existsSync(folder))).toBe(true);
});
