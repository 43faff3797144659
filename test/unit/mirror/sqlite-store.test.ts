/** The store of a mirror in SQLite: what was written stands before indexes are made, and a failure leaves it as it was. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { mirrored } from '../../../src/mirror/schema/derive.ts';
import { openSqlite } from '../../../src/mirror/stores/sqlite.ts';
import type { Store } from '../../../src/mirror/stores/store.ts';
import { keepFact } from '../../../src/mirror/sync/states.ts';
import { api } from '../../../src/resources/index.ts';

const resources = mirrored(api).filter(({ resource }) => resource.name === 'customers');
const tables = resources.flatMap((each) => each.tables);
const facts = 'SELECT id FROM mirror_facts';
const indexes = "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL";

async function opened(): Promise<{ store: Store; other: DatabaseSync }> {
  const folder = mkdtempSync(join(tmpdir(), 'boh-sqlite-store-'));
  const file = join(folder, 'mirror.sqlite');
  const store = await openSqlite(file, resources);
  const other = new DatabaseSync(file, { timeout: 5000 });
  onTestFinished(() => {
    other.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  });
  return { store, other };
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
