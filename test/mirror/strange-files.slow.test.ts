/** Files that aren't mirrors are never changed or deleted. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { openPlace, synced } from './mirroring.ts';

function placeWith(make: (file: string) => void) {
  const place = openPlace();
  const folder = join(place.folder, 'elsewhere');
  mkdirSync(folder);
  const file = join(folder, 'other');
  make(file);
  return { ...place, file, there: () => readdirSync(folder) };
}

const others: Record<string, (file: string) => void> = {
  'a text': (file) => writeFileSync(file, 'Dear all,'),
  'an empty file': (file) => writeFileSync(file, ''),
  'a database of some other program': (file) => {
    const database = new DatabaseSync(file);
    database.exec('CREATE TABLE t (a)');
    database.close();
  },
  'a folder': (file) => mkdirSync(file),
};

test.each(Object.entries(others))(
  '%s: is not changed, and no file is created next to it',
  async (_, make) => {
    const place = placeWith(make);
    for (const line of ['reset --yes', 'sync --resource tags', 'forget tags tag-1 --yes', 'diff', 'status']) {
      const ran = await place.boh(`mirror ${line} --to sqlite:${place.file}`);
      expect({ line, ...ran }).toMatchObject({ exitCode: 8 });
      expect({ line, there: place.there() }).toEqual({ line, there: ['other'] });
    }
  },
);

test('mirror sync --to sqlite::memory: is refused', async () => {
  const place = openPlace();
  const ran = await place.boh('mirror sync --resource tags --to sqlite::memory:');
  expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
});

test('mirror reset without a mirror: creates nothing', async () => {
  const place = placeWith(() => {});
  expect(await place.boh(`mirror reset --yes --to sqlite:${place.file}`)).toMatchObject({ exitCode: 5 });
  expect(place.there()).toEqual([]);
});

test('mirror reset of an unreadable mirror: renames it', async () => {
  const place = await synced('--resource tags');
  writeFileSync(place.file, 'overwritten');
  expect(await place.boh('mirror reset --yes')).toMatchObject({ exitCode: 0 });
  const [aside = ''] = readdirSync(place.folder).filter((name) => name.endsWith('.aside'));
  expect(readFileSync(join(place.folder, aside), 'utf8')).toBe('overwritten');
  expect(await place.sync('--resource tags')).toMatchObject({ exitCode: 0 });
});
