/** The store of a mirror in SQLite: what was written stands before indexes are made, and a failure leaves it as it was. */
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { mirrored } from '../../../src/mirror/schema/derive.ts';
import { schemaVersion } from '../../../src/mirror/schema/state.ts';
import { readSqlite } from '../../../src/mirror/stores/read-sqlite.ts';
import { openSqlite } from '../../../src/mirror/stores/sqlite.ts';
import type { Store } from '../../../src/mirror/stores/store.ts';
import { keepFact } from '../../../src/mirror/sync/states.ts';
import { api } from '../../../src/resources/index.ts';

const resources = mirrored(api).filter(({ resource }) => resource.name === 'customers');
const tables = resources.flatMap((each) => each.tables);
const facts = 'SELECT id FROM mirror_facts';
const indexes = "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL";

interface Opened {
  store: Store;
  other: DatabaseSync;
  file: string;
}

/** Of a mirror that was there before. */
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

test('indexes are made once what goes on is for good, and no other process waits for them in vain', async () => {
  const { store, other } = await opened();
  await store.write([keepFact('account', 'a')], { isGoingOn: true });
  await store.index(tables);
  expect(other.prepare(facts).all()).toEqual([{ id: 'account' }]);
  expect(other.prepare(indexes).all().length).toBeGreaterThan(0);
  await store.close();
});

test('an index that can’t be made leaves the rows, and the memory for them', async () => {
  const { store, other } = await opened();
  // Somebody has taken a table away.
  other.exec('DROP TABLE customers_tags');
  await store.write([keepFact('account', 'a')], { isGoingOn: true });
  await expect(store.index(tables)).rejects.toThrow('customers_tags');
  const pragma = { sql: 'PRAGMA cache_size', parameters: [] };
  const compiled = { compile: () => pragma } as unknown as Parameters<Store['read']>[0];
  expect(await store.read(compiled)).toEqual([{ cache_size: -32768 }]);
  await store.close();
  expect(other.prepare(facts).all()).toEqual([{ id: 'account' }]);
});

test('a column that was empty before is written once a row holds something there, and emptied again', async () => {
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

test('what fails within a statement of several rows takes all of the write back', async () => {
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

describe('a new file', () => {
  const isThere = (file: string) => ['', '-wal', '-journal'].filter((part) => existsSync(file + part));
  const account = (value: string) => [keepFact('account', value)];

  afterEach(() => void vi.useRealTimers());

  test('is kept from others until it is closed, and is one whole file then, with a log from there on', async () => {
    const { store, other, file } = await openedAt(newFile(), 0);
    await store.write(account('a'));
    await store.index(tables);
    expect(() => other.prepare(facts).all()).toThrow('locked');
    await store.close();
    expect(isThere(file)).toEqual(['']);
    expect(other.prepare(facts).all()).toEqual([{ id: 'account' }]);
    expect(other.prepare(indexes).all().length).toBeGreaterThan(0);
    expect(other.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
    expect(other.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
  });

  test.each([
    ['with something to write', account('a')],
    ['with nothing to write', []],
  ] as const)('is shared after three seconds %s, and stays so', async (_what, changes) => {
    vi.useFakeTimers();
    const { store, other, file } = await openedAt(newFile(), 0);
    await store.write(changes);
    vi.advanceTimersByTime(2900);
    expect(() => other.prepare(facts).all()).toThrow('locked');
    vi.advanceTimersByTime(200);
    expect(other.prepare(facts).all()).toHaveLength(changes.length);
    await store.write([keepFact('key', 'k')]);
    expect(isThere(file)).toContain('-wal');
    expect(other.prepare(facts).all()).toHaveLength(changes.length + 1);
    await store.close();
  });

  test('gets nothing more after a write that fails, as what came before is gone with it, and is free for others', async () => {
    const { store, other } = await openedAt(newFile(), 0);
    const [customers] = tables;
    if (!customers) throw new Error('no table');
    await store.write(account('a'));
    const rows = [customers.columns.map(({ name }) => (name === 'name' ? 'Huda' : null))];
    await expect(store.write([{ kind: 'put', table: customers, rows }])).rejects.toThrow('NOT NULL');
    expect(other.prepare(facts).all()).toEqual([]);
    await expect(store.write(account('b'))).rejects.toMatchObject({ problem: 'taken_back' });
    await expect(store.close()).rejects.toMatchObject({ problem: 'taken_back' });
    expect(other.prepare(facts).all()).toEqual([]);
  });

  test('that was left in the middle of a write is read as it was before, and filled by the next sync', async () => {
    const file = newFile();
    const { store } = await openedAt(file);
    await store.write(account('a'));
    await store.close();
    const left = `${file}.left`;
    const writing = new DatabaseSync(file);
    // With a cache of no room all that is written goes into the file at once.
    writing.exec('PRAGMA journal_mode = DELETE; PRAGMA cache_size = 1; BEGIN; DELETE FROM mirror_facts');
    writing.exec(`CREATE TABLE t AS WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 99)
      SELECT hex(zeroblob(5000)) AS a FROM r`);
    for (const part of ['', '-journal']) copyFileSync(file + part, left + part);
    writing.close();
    const plain = new DatabaseSync(left, { readOnly: true });
    expect(() => plain.prepare(facts).all()).toThrow('readonly');
    plain.close();
    const reader = readSqlite(left, schemaVersion(mirrored(api)), { isEarlierFormRead: false });
    expect(await reader.read(reader.queries.selectFrom('mirror_facts').select('id'))).toEqual([
      { id: 'account' },
    ]);
    await reader.close();
    expect(isThere(left)).toEqual(['']);
    const { store: next, other } = await openedAt(left);
    expect(other.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
    await next.close();
  });
});
