/** Tests the store of a mirror in SQLite: each write is committed completely or changes nothing. */
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { api } from '../../src/api/resources/index.ts';
import { mirroredResources } from '../../src/engine/mirror/schema/derive.ts';
import { openSqlite } from '../../src/engine/mirror/stores/open.ts';
import type { Store } from '../../src/engine/mirror/stores/store.ts';
import { metadataChange } from '../../src/engine/mirror/sync/states.ts';

const resources = mirroredResources(api).filter(({ resource }) => resource.name === 'customers');
const tables = resources.flatMap((resource) => resource.tables);
const metadataQuery = 'SELECT id FROM mirror_facts';

interface OpenedStore {
  store: Store;
  otherConnection: DatabaseSync;
  file: string;
}

/** Opens an existing mirror. */
async function openExisting(): Promise<OpenedStore> {
  const file = newFile();
  await (await openSqlite(file, resources)).close();
  return openFile(file);
}

function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'boh-sqlite-store-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  return join(folder, 'mirror.sqlite');
}

async function openFile(file: string, timeout = 5000): Promise<OpenedStore> {
  const store = await openSqlite(file, resources);
  const otherConnection = new DatabaseSync(file, { timeout });
  onTestFinished(() => otherConnection.close());
  return { store, otherConnection, file };
}

test('write to a column with only null values: stores the first value, and null again', async () => {
  const { store, otherConnection } = await openExisting();
  const [customers] = tables;
  if (!customers) throw new Error('The mirror has no table customers.');
  const row = (id: string, name: string | null) =>
    customers.columns.map((column) => ({ id, name })[column.name] ?? null);
  const put = (...rows: ReturnType<typeof row>[]) => store.write([{ kind: 'put', table: customers, rows }]);
  const customersWithoutName = Array.from({ length: 25 }, (_, index) => row(`c${index}`, null));
  await put(...customersWithoutName);
  await put(row('c1', 'Huda'), ...customersWithoutName.slice(2, 14));
  await put(row('c2', 'Omar'));
  const namedCustomers = () =>
    otherConnection.prepare('SELECT id, name FROM customers WHERE name IS NOT NULL ORDER BY id').all();
  expect(namedCustomers()).toEqual([
    { id: 'c1', name: 'Huda' },
    { id: 'c2', name: 'Omar' },
  ]);
  await put(row('c1', null), row('c2', null));
  expect(namedCustomers()).toEqual([]);
  expect(otherConnection.prepare('SELECT count(*) AS count FROM customers').get()).toEqual({ count: 25 });
  await store.close();
});

test('write of several rows: if a row fails, no row is written', async () => {
  const { store, otherConnection } = await openExisting();
  const [customers] = tables;
  if (!customers) throw new Error('The mirror has no table customers.');
  const row = (id: string | null) => customers.columns.map(({ name }) => (name === 'id' ? id : null));
  const validRows = Array.from({ length: 10 }, (_, index) => row(`c${index}`));
  const invalidRows = Array.from({ length: 10 }, (_, index) => row(index === 5 ? null : `d${index}`));
  await expect(
    store.write([{ kind: 'put', table: customers, rows: [...validRows, ...invalidRows] }]),
  ).rejects.toThrow('NOT NULL');
  expect(otherConnection.prepare('SELECT count(*) AS count FROM customers').get()).toEqual({ count: 0 });
  await store.write([{ kind: 'put', table: customers, rows: validRows }]);
  expect(otherConnection.prepare('SELECT count(*) AS count FROM customers').get()).toEqual({ count: 10 });
  await store.close();
});

test('write to a new file: other programs can read it, and a killed process leaves a valid file with a write-ahead log', async () => {
  const { store, otherConnection, file } = await openFile(newFile(), 0);
  await store.write([metadataChange('account', 'a')]);
  expect(otherConnection.prepare(metadataQuery).all()).toEqual([{ id: 'account' }]);
  await store.write([metadataChange('key', 'k')]);
  // A killed process would leave these files.
  const copy = `${file}.copy`;
  for (const suffix of ['', '-wal']) copyFileSync(file + suffix, copy + suffix);
  expect(existsSync(`${file}-journal`)).toBe(false);
  await store.close();
  expect(existsSync(`${file}-wal`)).toBe(true);
  const copiedDatabase = new DatabaseSync(copy, { readOnly: true });
  expect(copiedDatabase.prepare(metadataQuery).all()).toEqual([{ id: 'account' }, { id: 'key' }]);
  copiedDatabase.close();
});
