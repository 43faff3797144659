/**
 * The store of a mirror in SQLite: a write is committed or changes nothing.
 */
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { mirroredResources } from '../../src/mirror/schema/derive.ts';
import { sql } from '../../src/mirror/stores/sql.ts';
import { openSqlite } from '../../src/mirror/stores/sqlite.ts';
import type { Store } from '../../src/mirror/stores/store.ts';
import { metadataChange } from '../../src/mirror/sync/states.ts';
import { api } from '../../src/resources/index.ts';

const resources = mirroredResources(api).filter(({ resource }) => resource.name === 'customers');
const tables = resources.flatMap((each) => each.tables);
const facts = 'SELECT id FROM mirror_facts';

interface Opened {
  store: Store;
  other: DatabaseSync;
  file: string;
}

/** Opens a mirror that already existed. */
async function opened(): Promise<Opened> {
  const file = newFile();
  await (await openSqlite(file, resources)).close();
  return openedAt(file);
}

function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'boh-sqlite-store-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  return join(folder, 'mirror.sqlite');
}

async function openedAt(file: string, timeout = 5000): Promise<Opened> {
  const store = await openSqlite(file, resources);
  const other = new DatabaseSync(file, { timeout });
  onTestFinished(() => other.close());
  return { store, other, file };
}

test("an index that can't be created: keeps the rows, and restores the cache size", async () => {
  const { store, other } = await opened();
  // Another program has dropped a table.
  other.exec('DROP TABLE customers_tags');
  await store.write([metadataChange('account', 'a')]);
  await expect(store.createIndexes(tables)).rejects.toThrow('customers_tags');
  expect(await store.read(sql`PRAGMA cache_size`)).toEqual([{ cache_size: -32768 }]);
  await store.close();
  expect(other.prepare(facts).all()).toEqual([{ id: 'account' }]);
});

test('a column with only null values: is written as soon as a row has a value, and can be set to null again', async () => {
  const { store, other } = await opened();
  const [customers] = tables;
  if (!customers) throw new Error('no table');
  const row = (id: string, name: string | null) =>
    customers.columns.map((column) => ({ id, name })[column.name] ?? null);
  const put = (...rows: ReturnType<typeof row>[]) => store.write([{ kind: 'put', table: customers, rows }]);
  const many = Array.from({ length: 25 }, (_, at) => row(`c${at}`, null));
  await put(...many);
  await put(row('c1', 'Huda'), ...many.slice(2, 14));
  await put(row('c2', 'Omar'));
  const named = () =>
    other.prepare('SELECT id, name FROM customers WHERE name IS NOT NULL ORDER BY id').all();
  expect(named()).toEqual([
    { id: 'c1', name: 'Huda' },
    { id: 'c2', name: 'Omar' },
  ]);
  await put(row('c1', null), row('c2', null));
  expect(named()).toEqual([]);
  expect(other.prepare('SELECT count(*) AS count FROM customers').get()).toEqual({ count: 25 });
  await store.close();
});

test('a statement of several rows that fails: rolls back the whole write', async () => {
  const { store, other } = await opened();
  const [customers] = tables;
  if (!customers) throw new Error('no table');
  const row = (id: string | null) => customers.columns.map(({ name }) => (name === 'id' ? id : null));
  const good = Array.from({ length: 10 }, (_, at) => row(`c${at}`));
  const bad = Array.from({ length: 10 }, (_, at) => row(at === 5 ? null : `d${at}`));
  await expect(store.write([{ kind: 'put', table: customers, rows: [...good, ...bad] }])).rejects.toThrow(
    'NOT NULL',
  );
  expect(other.prepare('SELECT count(*) AS count FROM customers').get()).toEqual({ count: 0 });
  await store.write([{ kind: 'put', table: customers, rows: good }]);
  expect(other.prepare('SELECT count(*) AS count FROM customers').get()).toEqual({ count: 10 });
  await store.close();
});

test('a new file: other programs can read it while it is filled, and a kill leaves only a log file', async () => {
  const { store, other, file } = await openedAt(newFile(), 0);
  await store.write([metadataChange('account', 'a')]);
  expect(other.prepare(facts).all()).toEqual([{ id: 'account' }]);
  await store.write([metadataChange('key', 'k')]);
  // A kill leaves the state of that moment.
  const left = `${file}.left`;
  for (const part of ['', '-wal']) copyFileSync(file + part, left + part);
  expect(existsSync(`${file}-journal`)).toBe(false);
  await store.close();
  expect(existsSync(`${file}-wal`)).toBe(true);
  const plain = new DatabaseSync(left, { readOnly: true });
  expect(plain.prepare(facts).all()).toEqual([{ id: 'account' }, { id: 'key' }]);
  plain.close();
});
