import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openWhoamiCache, type WhoamiCache, whoamiKey } from '../../src/settings/caches.ts';
import { Secret } from '../../src/settings/secret.ts';
import { temporaryFolders } from './temporary-folder.ts';

const newFolder = temporaryFolders();
const scopes = ['general.read', 'users.read'];
const key = whoamiKey('https://diner.example.com', new Secret('CANARY'));
const msPerMinute = 60_000;

function newCache(): { cache: WhoamiCache; folder: string; clock: { now: number } } {
  const folder = newFolder();
  const clock = { now: 1_000 * msPerMinute };
  return {
    cache: openWhoamiCache({ BOH_CONFIG_DIR: folder }, () => clock.now),
    folder: join(folder, 'cache'),
    clock,
  };
}

test('whoami cache: scopes expire after ten minutes', () => {
  const { cache, clock } = newCache();
  cache.put(key, scopes);
  expect(cache.get(key)).toEqual(scopes);
  clock.now += 10 * msPerMinute - 1;
  expect(cache.get(key)).toEqual(scopes);
  clock.now += 1;
  expect(cache.get(key)).toBeUndefined();
});

test('whoami cache: an entry with a time in the future is ignored', () => {
  const { cache, clock } = newCache();
  cache.put(key, scopes);
  clock.now -= 1;
  expect(cache.get(key)).toBeUndefined();
});

test('whoami cache: the key does not contain the token, and depends on token and URL', () => {
  expect(key).toMatch(/^[0-9a-f]{64}$/);
  expect(whoamiKey('https://diner.example.com', new Secret('OTHER'))).not.toBe(key);
  expect(whoamiKey('https://cafe.example.com', new Secret('CANARY'))).not.toBe(key);
});

test('whoami cache: several entries are stored, and expired ones are deleted by the next write', () => {
  const { cache, clock, folder } = newCache();
  cache.put(key, scopes);
  cache.put('other', scopes);
  expect([cache.get(key), cache.get('other')]).toEqual([scopes, scopes]);
  clock.now += 11 * msPerMinute;
  cache.put('third', scopes);
  expect(Object.keys(JSON.parse(readFileSync(join(folder, 'whoami.json'), 'utf8')))).toEqual(['third']);
});

test.skipIf(process.platform === 'win32')('whoami cache: only its user can read the file', () => {
  const { cache, folder } = newCache();
  cache.put(key, scopes);
  expect(readdirSync(folder)).toEqual(['whoami.json']);
  expect(statSync(join(folder, 'whoami.json')).mode & 0o777).toBe(0o600);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});

test.each(['', '{', 'null', '[]', '7', `{"${key}":{"at":60000000,"scopes":"all"}}`, `{"${key}":null}`])(
  'whoami cache: a file with %j is ignored and replaced',
  (text) => {
    const { cache, folder } = newCache();
    mkdirSync(folder);
    writeFileSync(join(folder, 'whoami.json'), text);
    expect(cache.get(key)).toBeUndefined();
    cache.put(key, scopes);
    expect(cache.get(key)).toEqual(scopes);
  },
);

test('whoami cache: an unusable folder causes no failure', () => {
  const { cache, folder } = newCache();
  writeFileSync(folder, '');
  cache.put(key, scopes);
  expect(cache.get(key)).toBeUndefined();
});
