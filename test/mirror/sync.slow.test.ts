import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { formatTimestamp } from '../../src/api/contract/date-time.ts';
import { failureOf, runBoh } from '../harness/run-boh.ts';
import { serve } from '../harness/serve.ts';
import { openWorkspace } from './workspace.ts';

describe('boh mirror sync', () => {
  test('copies the rows of every resource', async () => {
    const workspace = openWorkspace();
    const result = await workspace.sync();
    expect(result).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(result.stdout)).toContainEqual({
      resource: 'customers',
      read: 202,
      removed: 0,
      complete: true,
      error: null,
    });
    expect(await workspace.differences()).toEqual([]);
    expect(workspace.sql('SELECT count(*) AS count FROM customers WHERE deleted_at IS NOT NULL')).toEqual([
      { count: 2 },
    ]);
    // The file contains personal data.
    expect(statSync(workspace.file).mode & 0o777).toBe(0o600);
  });

  test('names the records that the API names only by ID, and keeps names that a later response lacks', async () => {
    const workspace = openWorkspace();
    const noRelations = { category: null, ingredients: [], suppliers: [], tags: [] };
    const record = (fields: object) => ({
      data: [{ id: 'i', name: 'Rice', updated_at: '2026-01-01 00:00:00', ...noRelations, ...fields }],
      meta: { last_page: 1, total: 1 },
    });
    const list = 'GET /inventory_items';
    const responses: Record<string, unknown> = {
      'GET /whoami': { data: { user: { id: 'u' }, business: { id: 'b' } } },
      [list]: record({ branches: [{ id: 'b1', name: 'Airport', reference: 'B1', pivot: {} }, { id: 'b2' }] }),
    };
    const service = await serve(responses);
    const env = { ...workspace.env, BOH_BASE_URL: service.baseUrl, BOH_TOKEN: 'a-token-of-a-test' };
    const sync = (flags: string) =>
      runBoh(`mirror sync --resource inventory-items ${flags}`.trim().split(' '), { env });
    const names = 'SELECT id, name, reference, first_seen < last_seen AS is_later FROM branches ORDER BY id';
    expect(await sync('')).toMatchObject({ exitCode: 0 });
    expect(workspace.sql(names)).toEqual([
      { id: 'b1', name: 'Airport', reference: 'B1', is_later: 0 },
      { id: 'b2', name: null, reference: null, is_later: 0 },
    ]);
    workspace.change("UPDATE branches SET first_seen = '2026-01-01 00:00:00'");
    responses[list] = record({ branches: [{ id: 'b1' }, { id: 'b2', name: 'Harbor', pivot: {} }] });
    expect(await sync('--full')).toMatchObject({ exitCode: 0 });
    expect(workspace.sql(names)).toEqual([
      { id: 'b1', name: 'Airport', reference: 'B1', is_later: 1 },
      { id: 'b2', name: 'Harbor', reference: null, is_later: 1 },
    ]);
    await service.close();
  });

  test('stores costs as numbers, and times in UTC', async () => {
    const workspace = openWorkspace();
    await workspace.boh('inventory-items update @SKU-001 --cost 0.1');
    await workspace.boh('inventory-items update @SKU-002 --cost 12345678901234.25');
    await workspace.sync('--resource inventory-items');
    expect(
      workspace.sql(
        "SELECT cost, typeof(cost) AS type, updated_at FROM inventory_items WHERE sku IN ('SKU-001', 'SKU-002') ORDER BY sku",
      ),
    ).toEqual([
      { cost: 0.1, type: 'real', updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/) },
      { cost: 12345678901234.25, type: 'real', updated_at: expect.any(String) },
    ]);
  });

  test('stores numbers in any notation with their exact digits, and other values as JSON', async () => {
    const workspace = openWorkspace();
    const rates = ['19.90', '1e-7', '12345678901234567890.10', '-0.50', '5', '"7.250"', '"much"', 'null'];
    const data = rates.map(
      (rate, index) => `{"id":"t${index}","name":"T","rate":${rate},"updated_at":"2026-01-01 00:00:00"}`,
    );
    const service = await serve({
      'GET /whoami': { data: { user: { id: 'u' }, business: { id: 'b' } } },
      'GET /taxes': `{"data":[${data.join(',')}],"meta":{"last_page":1,"total":${rates.length}}}`,
    });
    const env = { ...workspace.env, BOH_BASE_URL: service.baseUrl, BOH_TOKEN: 'a-token-of-a-test' };
    const result = await runBoh('mirror sync --resource taxes --json'.split(' '), { env });
    expect(result).toMatchObject({ exitCode: 0 });
    const digits = (rate: string) => JSON.stringify({ rate });
    expect(
      workspace.sql('SELECT rate, exact_numbers AS exact, other_fields AS other FROM taxes ORDER BY id'),
    ).toEqual([
      { rate: 19.9, exact: digits('19.90'), other: null },
      { rate: 1e-7, exact: null, other: null },
      { rate: 12345678901234567000, exact: digits('12345678901234567890.10'), other: null },
      { rate: -0.5, exact: digits('-0.50'), other: null },
      { rate: 5, exact: null, other: null },
      { rate: 7.25, exact: digits('7.250'), other: null },
      { rate: null, exact: null, other: '{"rate":"much"}' },
      { rate: null, exact: null, other: null },
    ]);
    await service.close();
  });

  test.each([1, 300])(
    'stores only the current links of a record that is restored during a sync of %i records',
    async (count) => {
      const workspace = openWorkspace();
      const pageOf = (ids: readonly string[], tag: string, deleted: string | null) => ({
        data: ids.map((id) => ({
          id,
          name: 'C',
          updated_at: '2026-01-01 00:00:00',
          deleted_at: deleted,
          tags: [{ id: tag }],
        })),
        meta: { last_page: 1, total: ids.length },
      });
      const ids = Array.from({ length: count }, (_, index) => `c${index}`);
      const service = await serve({
        'GET /whoami': { data: { user: { id: 'u' }, business: { id: 'b' } } },
        'GET /customers?filter[is_deleted]=true&include=tags': pageOf(ids, 'then', '2026-01-01 00:00:00'),
        'GET /customers?include=tags': pageOf(['c0'], 'now', null),
        'GET /customers': pageOf([], '', null),
      });
      const env = { ...workspace.env, BOH_BASE_URL: service.baseUrl, BOH_TOKEN: 'a-token-of-a-test' };
      const result = await runBoh('mirror sync --resource customers --json'.split(' '), { env });
      expect(result).toMatchObject({ exitCode: 0 });
      expect(workspace.sql("SELECT tag_id FROM customers_tags WHERE customer_id = 'c0'")).toEqual([
        { tag_id: 'now' },
      ]);
      expect(workspace.sql('SELECT id FROM customers WHERE deleted_at IS NULL')).toEqual([{ id: 'c0' }]);
      await service.close();
    },
  );

  test('stores changes in later syncs: updates, deletions and restorations', async () => {
    const workspace = openWorkspace();
    await workspace.sync();
    await workspace.boh('suppliers create --name Dune');
    await workspace.boh('suppliers update @SUP-01 --phone 777');
    await workspace.boh('customers delete customer-1 --yes');
    await workspace.boh('inventory-items link-ingredient inventory-item-1 @SKU-002 --quantity 3');
    const laterSync = await workspace.sync();
    expect(laterSync.exitCode).toBe(0);
    expect(JSON.parse(laterSync.stdout).filter((row: { complete: boolean }) => row.complete)).toEqual([]);
    expect(await workspace.differences()).toEqual([]);
    await workspace.boh('customers restore customer-1');
    await workspace.sync();
    expect(await workspace.differences()).toEqual([]);
  });

  test('--metrics: writes the last success, rows and lag of each list as Prometheus text', async () => {
    const workspace = openWorkspace();
    const metrics = join(workspace.folder, 'boh.prom');
    expect(await workspace.sync(`--resource tags,customers --metrics ${metrics}`)).toMatchObject({
      exitCode: 0,
    });
    const text = readFileSync(metrics, 'utf8');
    expect(text).toContain('# TYPE boh_mirror_rows gauge\nboh_mirror_rows{resource="customers"} 202\n');
    expect(text).toMatch(/^boh_mirror_last_success_timestamp_seconds\{resource="tags"\} \d{10}$/m);
    expect(text).toMatch(/^boh_mirror_lag_seconds\{resource="tags"\} \d+$/m);
    expect(text).toContain('boh_mirror_failed{resource="tags"} 0\n');
    expect(await workspace.sync(`--metrics ${workspace.folder}/none/boh.prom`)).toMatchObject({ stdout: '' });
  });

  test('--full: deletes rows that the service no longer lists', async () => {
    const workspace = openWorkspace();
    await workspace.sync();
    const [order] = await workspace.json<{ id: string }[]>('transfer-orders list');
    await workspace.boh(`transfer-orders delete ${order?.id} --yes`);
    const result = await workspace.sync('--full');
    expect(JSON.parse(result.stdout)).toContainEqual(
      expect.objectContaining({ resource: 'transfer_orders', removed: 1, complete: true }),
    );
    expect(
      workspace.sql(`SELECT * FROM transfer_orders_items WHERE transfer_order_id = '${order?.id}'`),
    ).toEqual([]);
    expect(await workspace.differences()).toEqual([]);
  });

  test('--full-every: reads a list completely if the last complete sync is older', async () => {
    const workspace = openWorkspace();
    await workspace.sync();
    const [order] = await workspace.json<{ id: string }[]>('transfer-orders list');
    await workspace.boh(`transfer-orders delete ${order?.id} --yes`);
    const recentResult = await workspace.sync('--full-every 1h --resource transfer-orders,suppliers');
    expect(JSON.parse(recentResult.stdout)).toMatchObject([
      { resource: 'suppliers', complete: false },
      { resource: 'transfer_orders', removed: 0, complete: false },
    ]);
    const agedAt = formatTimestamp(new Date(Date.now() - 2 * 3_600_000));
    workspace.change(`UPDATE mirror_state SET full_at = '${agedAt}' WHERE id = 'transfer_orders'`);
    const agedResult = await workspace.sync('--full-every 1h --resource transfer-orders,suppliers');
    expect(JSON.parse(agedResult.stdout)).toMatchObject([
      { resource: 'suppliers', complete: false },
      { resource: 'transfer_orders', removed: 1, complete: true },
    ]);
    expect(await workspace.differences()).toEqual([]);
    expect(await workspace.sync('--full-every daily')).toMatchObject({ exitCode: 2, stdout: '' });
  });

  test('refuses invalid targets, unknown resources and the mirror of another account', async () => {
    const workspace = openWorkspace();
    expect(await workspace.boh('mirror sync --to mysql://x/y')).toMatchObject({ exitCode: 2 });
    expect(await workspace.sync('--resource spoons,branches')).toMatchObject({ exitCode: 2 });
    expect(existsSync(workspace.file)).toBe(false);
    await workspace.sync('--resource tags');
    await workspace.boh('sandbox reset --yes --empty');
    const otherEnv = { ...workspace.env, BOH_SANDBOX: 'another' };
    const result = await runBoh(['--sandbox', 'mirror', 'sync', '--json'], { env: otherEnv });
    expect(result.exitCode).toBe(2);
    expect(failureOf(result).message).toContain('another account');
  });

  test('reports the resources that failed, and syncs the others', async () => {
    const workspace = openWorkspace();
    const service = await serve({
      'GET /whoami': { data: { user: { id: 'u' }, business: { id: 'b', name: 'B' }, scopes: [] } },
      'GET /tags': {
        data: [{ id: 't', name: 'T', type: 1, updated_at: '2026-01-01 00:00:00', color: 'red' }],
        meta: { last_page: 1, total: 1 },
      },
      'GET /taxes': [403, { message: 'This action is unauthorized.' }],
    });
    const env = { ...workspace.env, BOH_BASE_URL: service.baseUrl, BOH_TOKEN: 'a-token-of-a-test' };
    const result = await runBoh('mirror sync --resource tags,taxes --json'.split(' '), { env });
    expect(result.exitCode).toBe(9);
    expect(result.stderr).toContain('color');
    expect(workspace.sql('SELECT id, other_fields FROM tags')).toEqual([
      { id: 't', other_fields: '{"color":"red"}' },
    ]);
    const status = await runBoh('mirror status --resource tags,taxes --json --max-age 1h'.split(' '), {
      env,
    });
    expect(status.exitCode).toBe(10);
    expect(JSON.parse(status.stdout)).toEqual([
      {
        resource: 'taxes',
        rows: 0,
        age: null,
        last_error: expect.stringContaining('taxes'),
        synced_at: null,
      },
      { resource: 'tags', rows: 1, age: expect.any(Number), last_error: null, synced_at: expect.any(String) },
    ]);
    await service.close();
    const unreachableResult = await runBoh('mirror sync --json'.split(' '), { env });
    expect(unreachableResult.exitCode).toBe(8);
  });

  test('stores the error of a rejected token for every resource', async () => {
    const workspace = openWorkspace();
    const list = { data: [], meta: { last_page: 1, total: 0 } };
    const responses: Record<string, unknown> = {
      'GET /whoami': { data: { user: { id: 'u' }, business: { id: 'b', name: 'B' }, scopes: [] } },
      'GET /tags': list,
      'GET /taxes': list,
    };
    const service = await serve(responses);
    onTestFinished(() => service.close());
    const env = { ...workspace.env, BOH_BASE_URL: service.baseUrl, BOH_TOKEN: 'a-token-of-a-test' };
    const boh = (line: string) => runBoh(`${line} --resource tags,taxes --json`.split(' '), { env });
    const errors = async () =>
      JSON.parse((await boh('mirror status')).stdout).map(
        (status: { last_error: string }) => status.last_error,
      );
    expect(await boh('mirror sync')).toMatchObject({ exitCode: 0 });
    expect(await errors()).toEqual([null, null]);
    for (const path of Object.keys(responses)) responses[path] = [401, { message: 'Unauthenticated.' }];
    expect(await boh('mirror sync')).toMatchObject({ exitCode: 3 });
    const refused = expect.stringContaining('token');
    expect(await errors()).toEqual([refused, refused]);
  });
});
