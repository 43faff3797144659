/** Tests that a mirror of an earlier boh, which stored decimal numbers as text, is converted in place. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { mirroredResources } from '../../src/mirror/schema/derive.ts';
import { schemaVersion } from '../../src/mirror/schema/state.ts';
import { openSqliteReader } from '../../src/mirror/stores/open.ts';
import { openSqlite } from '../../src/mirror/stores/sqlite.ts';
import { api } from '../../src/resources/index.ts';

const resources = mirroredResources(api);
const costs: Readonly<Record<string, string | null>> = {
  a: '9',
  b: '10',
  c: '12.50',
  d: '7.2999999999999998',
  e: null,
  f: `1${'0'.repeat(400)}`,
};

/** Creates a mirror in the format of the earlier version: digits in text columns, and no column for exact digits. */
async function earlierMirror(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'boh-earlier-numbers-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  const file = join(folder, 'mirror.sqlite');
  await (await openSqlite(file, resources)).close();
  const database = new DatabaseSync(file);
  const tables = database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%exact_numbers%'")
    .all();
  for (const { name } of tables) database.exec(`ALTER TABLE "${name}" DROP COLUMN exact_numbers`);
  database.enableDefensive(false);
  database.exec(`PRAGMA writable_schema = ON;
    UPDATE sqlite_schema SET sql = replace(sql, '" real', '" text') WHERE type = 'table';
    PRAGMA schema_version = 999; PRAGMA writable_schema = OFF; PRAGMA user_version = 10500`);
  const row = database.prepare('INSERT INTO inventory_items (id, cost, minimum_level) VALUES (?, ?, ?)');
  for (const [id, cost] of Object.entries(costs)) row.run(id, cost, id === 'a' ? '10' : '9');
  database.exec(`INSERT INTO suppliers_items (id, supplier_id, inventory_item_id, cost) VALUES ('s/a', 's', 'a', '0.10');
    INSERT INTO mirror_state (id, since, walk, synced_at) VALUES ('inventory_items', '2026-11-01 08:00:00', 3, '2026-11-01 08:00:00');
    ALTER TABLE inventory_items ADD COLUMN own_note text;
    UPDATE inventory_items SET own_note = 'kept';
    CREATE INDEX own_index ON inventory_items (cost);
    CREATE VIEW own_view AS SELECT id, cost FROM inventory_items`);
  database.close();
  return file;
}

test('mirror with numbers as text: is converted when it is opened, and keeps all data and its sync state', async () => {
  const file = await earlierMirror();
  await (await openSqlite(file, resources)).close();
  const database = new DatabaseSync(file, { readOnly: true });
  const query = (sql: string) => database.prepare(sql).all();
  expect(query('SELECT id, cost, exact_numbers, own_note FROM inventory_items ORDER BY id')).toEqual([
    { id: 'a', cost: 9, exact_numbers: null, own_note: 'kept' },
    { id: 'b', cost: 10, exact_numbers: null, own_note: 'kept' },
    { id: 'c', cost: 12.5, exact_numbers: '{"cost":"12.50"}', own_note: 'kept' },
    { id: 'd', cost: 7.3, exact_numbers: '{"cost":"7.2999999999999998"}', own_note: 'kept' },
    { id: 'e', cost: null, exact_numbers: null, own_note: 'kept' },
    {
      id: 'f',
      cost: Number.POSITIVE_INFINITY,
      exact_numbers: JSON.stringify({ cost: costs.f }),
      own_note: 'kept',
    },
  ]);
  expect(query('SELECT id FROM own_view WHERE cost > 9 ORDER BY cost').map(({ id }) => id)).toEqual([
    'b',
    'c',
    'f',
  ]);
  expect(query('SELECT id FROM inventory_items WHERE minimum_level > 9').map(({ id }) => id)).toEqual(['a']);
  expect(query('SELECT cost, exact_numbers FROM suppliers_items')).toEqual([
    { cost: 0.1, exact_numbers: '{"cost":"0.10"}' },
  ]);
  expect(query('SELECT since, walk FROM mirror_state')).toEqual([{ since: '2026-11-01 08:00:00', walk: 3 }]);
  expect(query('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  expect(query('PRAGMA user_version')).toEqual([{ user_version: schemaVersion(resources) }]);
  database.close();
});

test("mirror with numbers as text: can't be read by queries, because they would compare text", async () => {
  const file = await earlierMirror();
  const open = () => openSqliteReader(file, schemaVersion(resources), { readsEarlierLayout: false });
  expect(open).toThrow('stored numbers as text');
  await openSqliteReader(file, schemaVersion(resources), { readsEarlierLayout: true }).close();
  await (await openSqlite(file, resources)).close();
  await open().close();
});

test('number column that is emptied: its exact digits are deleted too', async () => {
  const file = await earlierMirror();
  const store = await openSqlite(file, resources);
  const table = resources.find(({ resource }) => resource.name === 'inventory_items')?.main;
  if (!table) throw new Error('The mirror has no table inventory_items.');
  await store.scrub([{ kind: 'blank', table, columns: ['cost'] }]);
  await store.close();
  const database = new DatabaseSync(file, { readOnly: true });
  expect(
    database
      .prepare('SELECT id FROM inventory_items WHERE cost IS NOT NULL OR exact_numbers IS NOT NULL')
      .all(),
  ).toEqual([]);
  database.close();
});
