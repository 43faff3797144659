import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { addProfile, emptyConfig, putProfile } from '../../src/account/settings/config.ts';
import { Secret } from '../../src/account/settings/secret.ts';
import { openStore, type Store } from '../../src/account/settings/store.ts';
import { temporaryFolders } from './temporary-folder.ts';

const newFolder = temporaryFolders();

function newStore(): { store: Store; folder: string } {
  const folder = join(newFolder(), 'config');
  return { store: openStore({ BOH_CONFIG_DIR: folder }), folder };
}

async function storeWithProfile(): Promise<{ store: Store; folder: string }> {
  const created = newStore();
  await created.store.update((config) =>
    addProfile(config, 'diner', {
      base_url: 'https://diner.example.com',
      token: new Secret('token-1'),
      timeout: 5,
    }),
  );
  return created;
}

function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

describe('missing settings file', () => {
  test('read: returns an empty configuration, and creates no file', async () => {
    const { store, folder } = newStore();
    expect(await store.read()).toEqual({ config: emptyConfig(), notes: [] });
    expect(existsSync(folder)).toBe(false);
  });

  test('is created by the first change, readable only by its user', async () => {
    const { store, folder } = await storeWithProfile();
    expect(modeOf(folder)).toBe('700');
    expect(modeOf(store.path)).toBe('600');
    expect(readdirSync(folder)).toEqual(['config.json']);
  });
});

test('read: returns the stored values, with secrets as Secret', async () => {
  const { store } = await storeWithProfile();
  const { config } = await store.read();
  expect(config).toMatchObject({
    version: 1,
    active: 'diner',
    profiles: { diner: { timeout: 5 } },
    defaults: {},
  });
  expect(config.profiles.diner?.token?.reveal()).toBe('token-1');
});

test('update that throws: the file is unchanged, and the lock is released', async () => {
  const { store, folder } = await storeWithProfile();
  const before = readFileSync(store.path);
  const change = store.update(() => {
    throw new Error('on purpose');
  });
  await expect(change).rejects.toThrow('on purpose');
  expect(readFileSync(store.path)).toEqual(before);
  expect(readdirSync(folder)).toEqual(['config.json']);
});

test('update with an invalid value: is refused before it is written', async () => {
  const { store } = await storeWithProfile();
  const before = readFileSync(store.path);
  const change = store.update((config) =>
    putProfile(config, 'diner', (profile) => ({ ...profile, timeout: -1 })),
  );
  await expect(change).rejects.toMatchObject({ category: 'usage' });
  expect(readFileSync(store.path)).toEqual(before);
});

test('concurrent updates of one process: none is lost', async () => {
  const { store } = newStore();
  const names = Array.from({ length: 8 }, (_, index) => `profile-${index}`);
  await Promise.all(names.map((name) => store.update((config) => addProfile(config, name))));
  expect(Object.keys((await store.read()).config.profiles).sort()).toEqual(names);
});

describe.skipIf(process.platform === 'win32')('permissions of the settings file (skipped on Windows)', () => {
  test('for other users: are removed by the next read, and reported', async () => {
    const { store, folder } = await storeWithProfile();
    chmodSync(store.path, 0o644);
    chmodSync(folder, 0o755);
    const { notes } = await store.read();
    expect(notes).toHaveLength(2);
    expect(notes.join(' ')).toMatch(/readable by other users.*replace your token.*accessible to other users/);
    expect([modeOf(store.path), modeOf(folder)]).toEqual(['600', '700']);
    expect((await store.read()).notes).toEqual([]);
  });

  test('for other users: are also removed by an update', async () => {
    const { store, folder } = await storeWithProfile();
    chmodSync(store.path, 0o666);
    chmodSync(folder, 0o777);
    const { notes } = await store.update((config) => addProfile(config, 'cafe'));
    expect(notes).toHaveLength(2);
    expect([modeOf(store.path), modeOf(folder)]).toEqual(['600', '700']);
  });

  test('of a folder with other content: are unchanged, because it could be /etc', async () => {
    const { store, folder } = await storeWithProfile();
    writeFileSync(join(folder, 'passwd'), '');
    chmodSync(folder, 0o755);
    expect((await store.read()).notes).toEqual([]);
    expect(modeOf(folder)).toBe('755');
    // Others could replace the settings.
    chmodSync(folder, 0o775);
    expect((await store.read()).notes).toEqual([expect.stringContaining('a folder for boh only')]);
    expect(modeOf(folder)).toBe('775');
  });
});

describe('damaged settings file', () => {
  test.each([
    ['truncated', (text: string) => text.slice(0, text.length / 2)],
    ['empty', () => ''],
    ['full of NULs after a power failure', (text: string) => '\0'.repeat(text.length)],
    ['with the conflict marks of a synchronization tool', (text: string) => `<<<<<<< mine\n${text}`],
  ])('that is %s: is renamed, and its new path is reported', async (_, damage) => {
    const { store, folder } = await storeWithProfile();
    const damaged = damage(readFileSync(store.path, 'utf8'));
    writeFileSync(store.path, damaged);
    const failure = await store.read().catch((error: unknown) => error);
    const [newName = ''] = readdirSync(folder);
    expect(newName).toMatch(/^config\.damaged-\d{8}T\d{9}Z\.json$/);
    expect(readFileSync(join(folder, newName), 'utf8')).toBe(damaged);
    expect(failure).toMatchObject({ category: 'usage', message: expect.stringContaining(newName) });
    expect(await store.read()).toEqual({ config: emptyConfig(), notes: [] });
  });

  test('before an update: is renamed, and the update fails', async () => {
    const { store, folder } = await storeWithProfile();
    writeFileSync(store.path, '{');
    await expect(store.update((config) => config)).rejects.toMatchObject({ category: 'usage' });
    expect(readdirSync(folder)).toEqual([expect.stringMatching(/^config\.damaged-/)]);
  });

  test('with several readers: is renamed once', async () => {
    const { store, folder } = await storeWithProfile();
    writeFileSync(store.path, '{');
    const outcomes = await Promise.allSettled([1, 2, 3].map(() => store.read()));
    expect(outcomes.some(({ status }) => status === 'rejected')).toBe(true);
    expect(readdirSync(folder)).toHaveLength(1);
  });
});

describe('invalid settings file', () => {
  async function failureFor(content: unknown): Promise<unknown> {
    const { store } = await storeWithProfile();
    const text = JSON.stringify(content);
    writeFileSync(store.path, text);
    const failures = [
      await store.read().catch((error: unknown) => error),
      await store.update((config) => config).catch((error: unknown) => error),
    ];
    expect(readFileSync(store.path, 'utf8')).toBe(text);
    expect(failures[1]).toMatchObject({ message: (failures[0] as Error).message });
    return failures[0];
  }

  test.each([0, 2, '1'])('of another version, %j: is refused and unchanged', async (version) => {
    expect(await failureFor({ version, anything: true })).toMatchObject({
      category: 'usage',
      message: expect.stringContaining('another version of boh'),
    });
  });

  test('with several problems: is refused with the path of each, without secrets', async () => {
    const failure = await failureFor({
      version: 1,
      active: 'gone',
      profiles: {
        diner: { bas_url: 'https://x.example', token: 'CAN ARY', timeout: 'long' },
        cafe: { sandbox: 'a', base_url: 'https://x.example' },
        '-': {},
      },
      defaults: { base_url: 'https://x.example' },
      profile: {},
    });
    expect(failure).toMatchObject({
      category: 'usage',
      details: {
        fields: {
          active: ['Profile not found.'],
          'profiles.diner': ['"bas_url" is an unknown key. Did you mean "base_url"?'],
          'profiles.diner.token': [expect.stringContaining('contains a space')],
          'profiles.diner.timeout': [expect.stringContaining('seconds')],
          'profiles.cafe': ["A profile can't have both a base_url and a sandbox."],
          'profiles.-': [expect.stringContaining('name')],
          defaults: ['"base_url" isn\'t allowed here.'],
          _: ['"profile" is an unknown key. Did you mean "profiles"?'],
        },
      },
    });
    expect(JSON.stringify(failure)).not.toContain('CAN ARY');
  });

  test.each([
    [null],
    [[]],
    ['text'],
    [{}],
    [{ version: '1', profiles: {}, defaults: {} }],
    [{ version: 1, profiles: 5, defaults: {} }],
  ])('with the content %j: is refused and unchanged', async (content) => {
    expect(await failureFor(content)).toMatchObject({ category: 'usage' });
  });
});

describe.skipIf(process.platform === 'win32')('path of the settings file (skipped on Windows)', () => {
  test('symbolic link: is kept, and its target is updated', async () => {
    const { store } = await storeWithProfile();
    const linked = newStore();
    mkdirSync(linked.folder, { mode: 0o700 });
    symlinkSync(store.path, linked.store.path);
    await linked.store.update((config) => addProfile(config, 'cafe'));
    expect(lstatSync(linked.store.path).isSymbolicLink()).toBe(true);
    expect(Object.keys((await store.read()).config.profiles)).toEqual(['diner', 'cafe']);
    expect(modeOf(store.path)).toBe('600');
  });

  test('folder instead of the file: is refused', async () => {
    const { store } = newStore();
    mkdirSync(store.path, { recursive: true, mode: 0o700 });
    await expect(store.read()).rejects.toMatchObject({
      category: 'usage',
      message: expect.stringContaining('not a file'),
    });
  });

  test('device instead of the file: is refused in time', async () => {
    const { store, folder } = newStore();
    mkdirSync(folder, { mode: 0o700 });
    symlinkSync('/dev/zero', store.path);
    await expect(store.read()).rejects.toMatchObject({ category: 'usage' });
  });

  test('file instead of the folder: is refused', async () => {
    const { store, folder } = newStore();
    writeFileSync(folder, '');
    await expect(store.read()).rejects.toMatchObject({
      category: 'unavailable',
      message: expect.stringContaining('not a folder'),
    });
    await expect(store.update((config) => config)).rejects.toMatchObject({ category: 'unavailable' });
  });
});

test('temporary files of a killed process: are deleted by a later update', async () => {
  const { store, folder } = await storeWithProfile();
  // No process has an ID this high.
  writeFileSync(join(folder, '.config.json.99999999-0123abcd.part'), 'token');
  await store.update((config) => addProfile(config, 'cafe'));
  expect(readdirSync(folder)).toEqual(['config.json']);
});
