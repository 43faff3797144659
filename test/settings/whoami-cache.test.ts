import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type AccountCache, openScopesCache, whoamiKey } from '../../src/account/settings/caches.ts';
import { Secret } from '../../src/account/settings/secret.ts';
import { temporaryFolders } from './temporary-folder.ts';

const newFolder = temporaryFolders();
const scopes = ['general.read', 'users.read'];
const key = whoamiKey('https://diner.example.com', new Secret('CANARY'));
const msPerMinute = 60_000;

type Cache = AccountCache<readonly string[]>;

function newCache(): { cache: Cache; cacheOf(key: string): Cache; folder: string; clock: { now: number } } {
  const folder = newFolder();
  const clock = { now: 1_000 * msPerMinute };
  const cacheOf = (accountKey: string) =>
    openScopesCache({ BOH_CONFIG_DIR: folder }, accountKey, () => clock.now);
  return {
    cache: cacheOf(key),
    cacheOf,
    folder: join(folder, 'cache'),
    clock,
  };
}

test('whoami cache: scopes expire after ten minutes', () => {
  const { cache, clock } = newCache();
  cache.put(scopes);
  expect(cache.get()).toEqual(scopes);
  clock.now += 10 * msPerMinute - 1;
  expect(cache.get()).toEqual(scopes);
  clock.now += 1;
  expect(cache.get()).toBeUndefined();
});

test('whoami cache: an entry with a time in the future is ignored', () => {
  const { cache, clock } = newCache();
  cache.put(scopes);
  clock.now -= 1;
  expect(cache.get()).toBeUndefined();
});

test('whoami cache: the key does not contain the token, and depends on token and URL', () => {
  expect(key).toMatch(/^[0-9a-f]{64}$/);
  expect(whoamiKey('https://diner.example.com', new Secret('OTHER'))).not.toBe(key);
  expect(whoamiKey('https://cafe.example.com', new Secret('CANARY'))).not.toBe(key);
});

test('whoami cache: several entries are stored, and expired ones are deleted by the next write', () => {
  const { cache, cacheOf, clock, folder } = newCache();
  cache.put(scopes);
  cacheOf('other').put(scopes);
  expect([cache.get(), cacheOf('other').get()]).toEqual([scopes, scopes]);
  clock.now += 11 * msPerMinute;
  cacheOf('third').put(scopes);
  expect(Object.keys(JSON.parse(readFileSync(join(folder, 'whoami.json'), 'utf8')))).toEqual(['third']);
});

test.skipIf(process.platform === 'win32')('whoami cache: only its user can read the file', () => {
  const { cache, folder } = newCache();
  cache.put(scopes);
  expect(readdirSync(folder)).toEqual(['whoami.json']);
  expect(statSync(join(folder, 'whoami.json')).mode & 0o777).toBe(0o600);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});

test.each(['', '{', 'null', '[]', '7', `{"${key}":{"at":60000000,"content":"all"}}`, `{"${key}":null}`])(
  'whoami cache: a file with %j is ignored and replaced',
  (text) => {
    const { cache, folder } = newCache();
    mkdirSync(folder);
    writeFileSync(join(folder, 'whoami.json'), text);
    expect(cache.get()).toBeUndefined();
    cache.put(scopes);
    expect(cache.get()).toEqual(scopes);
  },
);

test('whoami cache: an unusable folder causes no failure', () => {
  const { cache, folder } = newCache();
  writeFileSync(folder, '');
  cache.put(scopes);
  expect(cache.get()).toBeUndefined();
});
