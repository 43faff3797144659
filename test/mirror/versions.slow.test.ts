import { describe, expect, test } from 'vitest';
import { noPostgres, startPostgres } from '../harness/postgres.ts';
import { failureOf, runBoh } from '../harness/run-boh.ts';
import { openSyncedWorkspace, openWorkspace } from './workspace.ts';

const versions = `SELECT phone, _operation AS operation, _changed AS changed, _by IS NOT NULL AS by_boh
  FROM suppliers_versions WHERE id = 'supplier-1' ORDER BY _sequence`;

describe('versions of rows', () => {
  test('begin with the first sync, and show each state that a sync has seen', async () => {
    const workspace = await openSyncedWorkspace('--resource suppliers,customers,transfer-orders');
    await workspace.boh('suppliers update supplier-1 --phone 777');
    await workspace.boh('customers delete customer-1 --yes');
    await workspace.sync('--history');
    await workspace.boh('suppliers unlink-item supplier-1 inventory-item-1 --yes');
    await workspace.boh('customers restore customer-1');
    const [order] = await workspace.json<{ id: string }[]>('transfer-orders list');
    await workspace.boh(`transfer-orders delete ${order?.id} --yes`);
    await workspace.sync('--full');
    const [first, second] = workspace.sql(versions);
    expect([first, second]).toEqual([
      { phone: expect.any(String), operation: null, changed: null, by_boh: 0 },
      { phone: '777', operation: 'update', changed: '["phone","updated_at"]', by_boh: 1 },
    ]);
    expect(
      workspace.sql(
        "SELECT deleted_at IS NOT NULL AS deleted, _operation AS operation FROM customers_versions WHERE id = 'customer-1' ORDER BY _sequence",
      ),
    ).toEqual([
      { deleted: 0, operation: null },
      { deleted: 1, operation: 'delete' },
      { deleted: 0, operation: 'restore' },
    ]);
    // A row that is gone has only versions that ended.
    const gone = 'SELECT count(*) AS count, count(_valid_to) AS ended FROM';
    expect(workspace.sql(`${gone} transfer_orders_versions WHERE id = '${order?.id}'`)).toEqual([
      { count: 1, ended: 1 },
    ]);
    expect(
      workspace.sql(`${gone} suppliers_items_versions WHERE id = 'supplier-1/inventory-item-1'`),
    ).toEqual([{ count: 1, ended: 1 }]);
    // Every row has exactly one current version, with the same cells.
    expect(
      workspace.sql(`SELECT id, cost, exact_numbers FROM suppliers_items EXCEPT
        SELECT id, cost, exact_numbers FROM suppliers_items_versions WHERE _valid_to IS NULL`),
    ).toEqual([]);
    const sequences = workspace
      .sql('SELECT sequence FROM mirror_changes ORDER BY sequence')
      .map((row) => row.sequence);
    expect(sequences).toEqual(sequences.map((_, index) => index + 1));
  });

  test('are deleted by forget, --exclude, --no-versions and their age', async () => {
    const workspace = await openSyncedWorkspace('--resource suppliers,customers,tags');
    const change = async (flags: string) => {
      await workspace.boh(`suppliers update supplier-1 --phone ${Math.random()}`.replace('0.', ''));
      await workspace.boh(`customers update customer-1 --notes ${Math.random()}`);
      await workspace.boh(`customers update customer-1 --name Name${Math.random()}`.replace('0.', ''));
      expect(await workspace.sync(`--resource suppliers,customers ${flags}`.trim())).toMatchObject({
        exitCode: 0,
      });
      return Object.fromEntries(
        workspace
          .sql('SELECT resource, count(*) AS count FROM mirror_changes GROUP BY resource')
          .map(({ resource, count }) => [resource, count]),
      );
    };
    expect(await change('')).toEqual({ suppliers: 1, customers: 1 });
    await workspace.boh('mirror forget suppliers supplier-1 --yes');
    expect(await change('')).toEqual({ customers: 2 });
    // The versions of the customers begin again, because earlier ones have the field.
    expect(workspace.sql('SELECT * FROM mirror_changes WHERE instr(old_row, \'"phone"\')')).not.toEqual([]);
    expect(await change('--exclude customers.phone')).toEqual({ customers: 1 });
    expect(workspace.sql('SELECT * FROM mirror_changes WHERE instr(old_row, \'"phone"\')')).toEqual([]);
    expect(await change('')).toEqual({ customers: 2 });
    expect(await change('--no-versions')).toEqual({});
    expect(await change('')).toEqual({});
    expect(await change('--versions')).toEqual({ customers: 1 });
    expect(await change('')).toEqual({ customers: 2 });
    workspace.change("UPDATE mirror_changes SET seen_at = '2020-01-01 00:00:00'");
    expect(await change('--keep-versions 30d')).toEqual({ customers: 1 });
    expect(await workspace.sync('--keep-versions forever')).toMatchObject({ exitCode: 2 });
    // A number is never used twice.
    expect(workspace.sql('SELECT min(sequence) AS first FROM mirror_changes')).toEqual([{ first: 8 }]);
  });
});

describe.each([
  ['SQLite', undefined],
  ['PostgreSQL', noPostgres],
])('mirror query --as-of in %s', (engine, reason) => {
  test.skipIf(reason !== undefined)(
    'reads the tables, views and links as they were',
    async ({ onTestFinished }) => {
      const workspace = openWorkspace();
      if (engine === 'PostgreSQL') {
        const server = await startPostgres();
        onTestFinished(() => server.stop());
        Object.assign(workspace.env, { BOH_MIRROR: await server.createDatabase('versions') });
      }
      const query = async (sql: string, ...flags: string[]) => {
        const result = await runBoh(['mirror', 'query', sql, ...flags, '--json'], { env: workspace.env });
        return result.exitCode === 0 ? JSON.parse(result.stdout) : failureOf(result).message;
      };
      expect(await workspace.sync('--resource suppliers,inventory-items,transfer-orders')).toMatchObject({
        exitCode: 0,
      });
      const sql = `with x as (select * from suppliers) select x.phone, l.cost, x.created_at, o.status_word
      from x join suppliers_items l on l.supplier_id = x.id cross join (select status_word from transfer_orders_in_words order by id limit 1) o
      where x.id = :id order by l.id limit 1`;
      const before = await query(sql, '--param', 'id=supplier-1');
      const [{ at }] = await query('select max(versions_since) as at from mirror_state');
      await workspace.boh('suppliers update supplier-1 --phone 777');
      await workspace.boh(
        'suppliers link-item supplier-1 inventory-item-1 --order-unit kg --order-to-storage-factor 2 --cost 98.7',
      );
      await waitUntilAfter(at);
      await workspace.sync('--resource suppliers,inventory-items,transfer-orders');
      expect(await query(sql, '--param', 'id=supplier-1', '--as-of', at)).toEqual(before);
      const [now] = await query(sql, '--param', 'id=supplier-1', '--as-of', '2100-01-01');
      expect(now).toMatchObject({ ...before[0], phone: '777' });
      expect(await query(sql, '--param', 'id=supplier-1')).toEqual([now]);
      const [change] = await workspace.json('changes suppliers --field phone');
      expect(change).toMatchObject({ name: 'Fresh Farms', old: '555000200', new: '777', by: 'boh' });
      const streamed = await workspace.boh('mirror sync --resource suppliers --stream --after 0');
      expect(JSON.parse(streamed.stdout.split('\n')[0] ?? '')).toMatchObject({
        table: 'suppliers',
        old: { phone: '555000200' },
      });
      expect(await query('select count(*) as n from suppliers', '--as-of', '2020-01-01')).toContain(
        'no versions of suppliers',
      );
      expect(await query('explain select * from suppliers', '--as-of', '2100-01-01')).toContain(
        'needs a SELECT',
      );
      expect(await query('select 1 as n', '--as-of', 'yesterday')).toContain('--as-of takes a time');
      const types =
        'select count(*) as n from suppliers_versions where created_at < _valid_from and _valid_to is null';
      expect((await query(types))[0].n).toBeGreaterThan(0);
    },
  );
});

/** Waits until the clock shows a later second, because versions of the same second can't be distinguished. */
async function waitUntilAfter(at: string): Promise<void> {
  while (new Date().toISOString().slice(0, 19).replace('T', ' ') <= at)
    await new Promise((resolve) => setTimeout(resolve, 50));
}
