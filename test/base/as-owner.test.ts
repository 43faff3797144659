/** Root on the files of somebody else: with their rights, whatever lies in their folder. */
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
import { asOwnerOf } from '../../src/base/as-owner.ts';
import { openWhoamiCache } from '../../src/settings/caches.ts';
import { addProfile } from '../../src/settings/config.ts';
import { openStore } from '../../src/settings/store.ts';
import { runBoh } from '../harness/run-boh.ts';

const isRoot = process.geteuid?.() === 0;
const somebody = 12_345;

describe.skipIf(!isRoot)('root (skipped unless run by root)', () => {
  let home: string;
  let theirs: string;
  let victim: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'boh-owner-'));
    // So that somebody else gets as far as to what lies in it.
    chmodSync(home, 0o755);
    theirs = join(home, 'theirs');
    victim = join(home, 'victim.json');
    mkdirSync(theirs, { mode: 0o700 });
    chownSync(theirs, somebody, somebody);
    writeFileSync(victim, '{"version":1,"profiles":{},"defaults":{}}', { mode: 0o644 });
  });
  afterEach(() => rmSync(home, { recursive: true, force: true, maxRetries: 10 }));
  const store = () => openStore({ BOH_CONFIG_DIR: theirs });
  const add = () => store().update((config) => addProfile(config, 'diner'));

  test('writes as the owner of the folder, whose everything stays', async () => {
    await add();
    await add().catch(() => undefined);
    const files = readdirSync(theirs).map((name) => join(theirs, name));
    expect(files).toEqual([join(theirs, 'config.json')]);
    expect(statSync(files[0] ?? '').uid).toBe(somebody);
    expect(process.geteuid?.()).toBe(0);
  });

  test('makes their folder for them', async () => {
    const inside = join(theirs, 'deep', 'config');
    await openStore({ BOH_CONFIG_DIR: inside }).update((config) => addProfile(config, 'diner'));
    expect(statSync(join(theirs, 'deep')).uid).toBe(somebody);
    expect(statSync(join(inside, 'config.json')).uid).toBe(somebody);
  });

  test('neither reads nor puts right what a link of theirs leads to', async () => {
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
      message: expect.stringContaining('you have no permission'),
    });
  });

  test('changes no folder that theirs is a link to', async () => {
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

  test('leaves no cache of its own behind in their folder', () => {
    openWhoamiCache({ BOH_CONFIG_DIR: theirs }).put('key', ['users.read']);
    expect(statSync(join(theirs, 'cache', 'whoami.json')).uid).toBe(somebody);
  });

  test('leaves no history, run, sandbox, snapshot or hold of its own behind in their folder', async () => {
    const env = { BOH_CONFIG_DIR: theirs };
    const file = join(theirs, 'customers.csv');
    writeFileSync(file, 'name,phone\nAda,5550100\n');
    chownSync(file, somebody, somebody);
    for (const line of [
      ['--sandbox', 'suppliers', 'create', '--name', 'Fresh Farms'],
      ['--sandbox', 'customers', 'import', file, '--mode', 'create', '--yes'],
      ['--sandbox', 'undo', '--last', '--yes'],
      ['sandbox', 'snapshot', 'save', 'one'],
      ['sandbox', 'snapshot', 'restore', 'one', '--yes'],
      ['sandbox', 'reset', '--yes'],
    ]) {
      const ran = await runBoh(line, { env });
      expect(ran.exitCode, `${line.join(' ')}: ${ran.stderr}`).toBe(0);
    }
    const made = readdirSync(theirs, { recursive: true, encoding: 'utf8' });
    for (const kind of ['history', 'runs', 'sandboxes', join('sandboxes', 'snapshots')])
      expect(made.filter((name) => name.startsWith(kind)).length, kind).toBeGreaterThan(1);
    expect(made.filter((name) => statSync(join(theirs, name)).uid !== somebody)).toEqual([]);
  });

  test('puts no history where only a link of theirs leads to', async () => {
    const folder = join(home, 'etc');
    mkdirSync(folder, { mode: 0o755 });
    symlinkSync(folder, join(theirs, 'history'));
    const ran = await runBoh(['--sandbox', 'suppliers', 'create', '--name', 'Fresh Farms'], {
      env: { BOH_CONFIG_DIR: theirs },
    });
    expect(ran).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('are not kept in it') });
    expect(readdirSync(folder)).toEqual([]);
  });

  test('is root again after whatever happened', () => {
    expect(() =>
      asOwnerOf(theirs, () => {
        throw new Error('on purpose');
      }),
    ).toThrow('on purpose');
    expect([process.geteuid?.(), process.getegid?.()]).toEqual([0, 0]);
  });

  test('keeps a file of somebody else theirs that its own link leads to', async () => {
    const own = join(home, 'own');
    mkdirSync(own, { mode: 0o700 });
    const linked = join(theirs, 'dotfile.json');
    writeFileSync(linked, readFileSync(victim));
    chownSync(linked, somebody, somebody);
    symlinkSync(linked, join(own, 'config.json'));
    await openStore({ BOH_CONFIG_DIR: own }).update((config) => addProfile(config, 'diner'));
    expect(statSync(linked).uid).toBe(somebody);
    expect(readFileSync(linked, 'utf8')).toContain('diner');
  });
});

test('anybody else is who they are', () => {
  const folder = tmpdir();
  expect(asOwnerOf(join(folder, 'not', 'there'), () => existsSync(folder))).toBe(true);
});
