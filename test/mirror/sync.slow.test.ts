import { existsSync, statSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { formatTimestamp } from '../../src/contract/moment.ts';
import { failureOf, runBoh } from '../harness/run-boh.ts';
import { serve } from '../harness/serve.ts';
import { openPlace } from './mirroring.ts';

describe('boh mirror sync', () => {
  test('copies every resource, row by row like the account', async () => {
    const place = openPlace();
    const ran = await place.sync();
    expect(ran).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(ran.stdout)).toContainEqual({
      resource: 'customers',
      read: 202,
      removed: 0,
      whole: true,
      error: null,
    });
    expect(await place.differences()).toEqual([]);
    expect(place.sql('SELECT count(*) AS count FROM customers WHERE deleted_at IS NOT NULL')).toEqual([
      { count: 2 },
    ]);
    // The file contains personal data.
    expect(statSync(place.file).mode & 0o777).toBe(0o600);
  });

  test('stores money as numbers, and times in UTC', async () => {
    const place = openPlace();
    await place.boh('inventory-items update @SKU-001 --cost 0.1');
    await place.boh('inventory-items update @SKU-002 --cost 12345678901234.25');
    await place.sync('--resource inventory-items');
    expect(
      place.sql(
        "SELECT cost, typeof(cost) AS type, updated_at FROM inventory_items WHERE sku IN ('SKU-001', 'SKU-002') ORDER BY sku",
      ),
    ).toEqual([
      { cost: 0.1, type: 'real', updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/) },
      { cost: 12345678901234.25, type: 'real', updated_at: expect.any(String) },
    ]);
  });

  test('stores numbers of any form with their digits, and other values as JSON', async () => {
    const place = openPlace();
    const rates = ['19.90', '1e-7', '12345678901234567890.10', '-0.50', '5', '"7.250"', '"much"', 'null'];
    const data = rates.map(
      (rate, at) => `{"id":"t${at}","name":"T","rate":${rate},"updated_at":"2026-01-01 00:00:00"}`,
    );
    const service = await serve({
      'GET /whoami': { data: { user: { id: 'u' }, business: { id: 'b' } } },
      'GET /taxes': `{"data":[${data.join(',')}],"meta":{"last_page":1,"total":${rates.length}}}`,
    });
    const env = { ...place.env, BOH_BASE_URL: service.baseUrl, BOH_TOKEN: 'a-token-of-a-test' };
    const ran = await runBoh('mirror sync --resource taxes --json'.split(' '), { env });
    expect(ran).toMatchObject({ exitCode: 0 });
    const digits = (rate: string) => JSON.stringify({ rate });
    expect(
      place.sql('SELECT rate, exact_numbers AS exact, other_fields AS other FROM taxes ORDER BY id'),
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
    'one of %i records restored during a sync has only its current links',
    async (count) => {
      const place = openPlace();
      const shown = (ids: readonly string[], tag: string, deleted: string | null) => ({
        data: ids.map((id) => ({
          id,
          name: 'C',
          updated_at: '2026-01-01 00:00:00',
          deleted_at: deleted,
          tags: [{ id: tag }],
        })),
        meta: { last_page: 1, total: ids.length },
      });
      const ids = Array.from({ length: count }, (_, at) => `c${at}`);
      const service = await serve({
        'GET /whoami': { data: { user: { id: 'u' }, business: { id: 'b' } } },
        'GET /customers?filter[is_deleted]=true&include=tags': shown(ids, 'then', '2026-01-01 00:00:00'),
        'GET /customers?include=tags': shown(['c0'], 'now', null),
        'GET /customers': shown([], '', null),
      });
      const env = { ...place.env, BOH_BASE_URL: service.baseUrl, BOH_TOKEN: 'a-token-of-a-test' };
      const ran = await runBoh('mirror sync --resource customers --json'.split(' '), { env });
      expect(ran).toMatchObject({ exitCode: 0 });
      expect(place.sql("SELECT tag_id FROM customers_tags WHERE customer_id = 'c0'")).toEqual([
        { tag_id: 'now' },
      ]);
      expect(place.sql('SELECT id FROM customers WHERE deleted_at IS NULL')).toEqual([{ id: 'c0' }]);
      await service.close();
    },
  );

  test('reads changes in later syncs: updates, deletions and restorations', async () => {
    const place = openPlace();
    await place.sync();
    await place.boh('suppliers create --name Dune');
    await place.boh('suppliers update @SUP-01 --phone 777');
    await place.boh('customers delete customer-1 --yes');
    await place.boh('inventory-items link-ingredient inventory-item-1 @SKU-002 --quantity 3');
    const again = await place.sync();
    expect(again.exitCode).toBe(0);
    expect(JSON.parse(again.stdout).filter((row: { whole: boolean }) => row.whole)).toEqual([]);
    expect(await place.differences()).toEqual([]);
    await place.boh('customers restore customer-1');
    await place.sync();
    expect(await place.differences()).toEqual([]);
  });

  test('--full deletes rows that the service no longer lists', async () => {
    const place = openPlace();
    await place.sync();
    const [order] = await place.json<{ id: string }[]>('transfer-orders list');
    await place.boh(`transfer-orders delete ${order?.id} --yes`);
    const ran = await place.sync('--full');
    expect(JSON.parse(ran.stdout)).toContainEqual(
      expect.objectContaining({ resource: 'transfer_orders', removed: 1, whole: true }),
    );
    expect(place.sql(`SELECT * FROM transfer_orders_items WHERE transfer_order_id = '${order?.id}'`)).toEqual(
      [],
    );
    expect(await place.differences()).toEqual([]);
  });

  test('--full-every reads lists completely that were last read long enough ago', async () => {
    const place = openPlace();
    await place.sync();
    const [order] = await place.json<{ id: string }[]>('transfer-orders list');
    await place.boh(`transfer-orders delete ${order?.id} --yes`);
    const young = await place.sync('--full-every 1h --resource transfer-orders,suppliers');
    expect(JSON.parse(young.stdout)).toMatchObject([
      { resource: 'suppliers', whole: false },
      { resource: 'transfer_orders', removed: 0, whole: false },
    ]);
    const agedAt = formatTimestamp(new Date(Date.now() - 2 * 3_600_000));
    place.change(`UPDATE mirror_state SET full_at = '${agedAt}' WHERE id = 'transfer_orders'`);
    const old = await place.sync('--full-every 1h --resource transfer-orders,suppliers');
    expect(JSON.parse(old.stdout)).toMatchObject([
      { resource: 'suppliers', whole: false },
      { resource: 'transfer_orders', removed: 1, whole: true },
    ]);
    expect(await place.differences()).toEqual([]);
    expect(await place.sync('--full-every daily')).toMatchObject({ exitCode: 2, stdout: '' });
  });

  test('refuses invalid targets, unknown resources and the mirror of another account', async () => {
    const place = openPlace();
    expect(await place.boh('mirror sync --to mysql://x/y')).toMatchObject({ exitCode: 2 });
    expect(await place.sync('--resource spoons,branches')).toMatchObject({ exitCode: 2 });
    expect(existsSync(place.file)).toBe(false);
    await place.sync('--resource tags');
    await place.boh('sandbox reset --yes --empty');
    const other = { ...place.env, BOH_SANDBOX: 'another' };
    const ran = await runBoh(['--sandbox', 'mirror', 'sync', '--json'], { env: other });
    expect(ran.exitCode).toBe(2);
    expect(failureOf(ran).message).toContain('another account');
  });

  test('reports which resources failed, syncs the others, and counts only those as synced', async () => {
    const place = openPlace();
    const service = await serve({
      'GET /whoami': { data: { user: { id: 'u' }, business: { id: 'b', name: 'B' }, scopes: [] } },
      'GET /tags': {
        data: [{ id: 't', name: 'T', type: 1, updated_at: '2026-01-01 00:00:00', color: 'red' }],
        meta: { last_page: 1, total: 1 },
      },
      'GET /taxes': [403, { message: 'This action is unauthorized.' }],
    });
    const env = { ...place.env, BOH_BASE_URL: service.baseUrl, BOH_TOKEN: 'a-token-of-a-test' };
    const ran = await runBoh('mirror sync --resource tags,taxes --json'.split(' '), { env });
    expect(ran.exitCode).toBe(9);
    expect(ran.stderr).toContain('color');
    expect(place.sql('SELECT id, other_fields FROM tags')).toEqual([
      { id: 't', other_fields: '{"color":"red"}' },
    ]);
    const status = await runBoh('mirror status --resource tags,taxes --json --max-age 1h'.split(' '), {
      env,
    });
    expect(status.exitCode).toBe(10);
    expect(JSON.parse(status.stdout)).toEqual([
      { resource: 'taxes', rows: 0, age: null, last_error: expect.stringContaining('taxes') },
      { resource: 'tags', rows: 1, age: expect.any(Number), last_error: null },
    ]);
    await service.close();
    const away = await runBoh('mirror sync --json'.split(' '), { env });
    expect(away.exitCode).toBe(8);
  });

  test('stores for every resource why none could be read, also for a rejected token', async () => {
    const place = openPlace();
    const list = { data: [], meta: { last_page: 1, total: 0 } };
    const answers: Record<string, unknown> = {
      'GET /whoami': { data: { user: { id: 'u' }, business: { id: 'b', name: 'B' }, scopes: [] } },
      'GET /tags': list,
      'GET /taxes': list,
    };
    const service = await serve(answers);
    onTestFinished(() => service.close());
    const env = { ...place.env, BOH_BASE_URL: service.baseUrl, BOH_TOKEN: 'a-token-of-a-test' };
    const boh = (line: string) => runBoh(`${line} --resource tags,taxes --json`.split(' '), { env });
    const errors = async () =>
      JSON.parse((await boh('mirror status')).stdout).map((each: { last_error: string }) => each.last_error);
    expect(await boh('mirror sync')).toMatchObject({ exitCode: 0 });
    expect(await errors()).toEqual([null, null]);
    for (const path of Object.keys(answers)) answers[path] = [401, { message: 'Unauthenticated.' }];
    expect(await boh('mirror sync')).toMatchObject({ exitCode: 3 });
    const refused = expect.stringContaining('token');
    expect(await errors()).toEqual([refused, refused]);
  });
});
