import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openReferenceCache, type ReferenceCache } from '../../src/account/session/references.ts';
import { temporaryFolders } from '../settings/temporary-folder.ts';

const newFolder = temporaryFolders();
const msPerDay = 24 * 60 * 60_000;
const riverside = { id: 'b1', name: 'Riverside' };
const airport = { id: 'b2', name: 'Airport' };

function newCache(folder = newFolder()) {
  const clock = { now: 1_000 * msPerDay };
  const open = (key: string): ReferenceCache =>
    openReferenceCache({ BOH_CONFIG_DIR: folder }, key, () => clock.now);
  return { open, clock, file: join(folder, 'cache', 'references.json') };
}

const branchesIn = (cache: ReferenceCache) => cache.get().get('branches') ?? [];

test('reference cache: adds new references to stored ones, and replaces the name of a renamed record', () => {
  const { open } = newCache();
  const cache = open('a');
  cache.put(new Map([['branches', [riverside]]]));
  cache.put(new Map([['branches', [airport]]]));
  cache.put(new Map([['branches', [{ id: 'b1', name: 'Riverside North' }]]]));
  expect(branchesIn(cache)).toEqual([{ id: 'b1', name: 'Riverside North' }, airport]);
});

test('reference cache: is separate for each account, and keeps the newest 20 accounts', () => {
  const { open, clock } = newCache();
  for (let index = 0; index < 22; index += 1) {
    clock.now += 1;
    open(`account ${index}`).put(new Map([['branches', [{ id: `b${index}`, name: 'Riverside' }]]]));
  }
  expect(branchesIn(open('account 0'))).toEqual([]);
  expect(branchesIn(open('account 1'))).toEqual([]);
  expect(branchesIn(open('account 2'))).toEqual([{ id: 'b2', name: 'Riverside' }]);
  expect(branchesIn(open('account 21'))).toEqual([{ id: 'b21', name: 'Riverside' }]);
});

test('reference cache: expires 30 days after the last update', () => {
  const { open, clock } = newCache();
  const cache = open('a');
  cache.put(new Map([['branches', [riverside]]]));
  clock.now += 29 * msPerDay;
  cache.put(new Map([['branches', [riverside]]]));
  clock.now += 29 * msPerDay;
  expect(branchesIn(cache)).toEqual([riverside]);
  clock.now += msPerDay;
  expect(branchesIn(cache)).toEqual([]);
});

test('reference cache: keeps the newest 1,000 per resource, and ignores overlong names', () => {
  const { open } = newCache();
  const tables = Array.from({ length: 1_200 }, (_, index) => ({ id: String(index), name: `Table ${index}` }));
  const cache = open('a');
  cache.put(new Map([['tables', tables]]));
  cache.put(new Map([['tables', [{ id: 'long', name: 'x'.repeat(201) }]]]));
  const storedTables = cache.get().get('tables') ?? [];
  expect(storedTables).toHaveLength(1_000);
  expect([storedTables[0], storedTables.at(-1)]).toEqual([tables[200], tables[1_199]]);
});

test.skipIf(process.platform === 'win32')('reference cache: file mode is 0600', () => {
  const { open, file } = newCache();
  open('a').put(new Map([['branches', [riverside]]]));
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('reference cache: a file with other content is ignored and replaced', () => {
  for (const text of ['', '{', '[]', '{"a":{"at":1,"content":{"branches":[["b1"]]}}}', '{"a":{"at":"x"}}']) {
    const folder = newFolder();
    const { open, file } = newCache(folder);
    mkdirSync(join(folder, 'cache'));
    writeFileSync(file, text);
    expect(branchesIn(open('a'))).toEqual([]);
    open('a').put(new Map([['branches', [riverside]]]));
    expect(Object.keys(JSON.parse(readFileSync(file, 'utf8')))).toEqual(['a']);
  }
});
