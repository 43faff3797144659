import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { failureOf, runBoh } from '../harness/run-boh.ts';
import { serve, type TestService } from '../harness/serve.ts';

const pageOf = (...data: object[]) => ({ data, meta: { last_page: 1, total: data.length } });

let service: TestService;
beforeAll(async () => {
  service = await serve({
    'GET /suppliers?filter[code]=SUP-1': pageOf({ id: '42', name: 'Fresh Farms', code: 'SUP-1' }),
    'GET /suppliers?filter[name]=Fresh Farms': pageOf(
      { id: '42', name: 'Fresh Farms' },
      { id: '43', name: 'Fresh Farms of the North' },
    ),
    'GET /suppliers?filter[name]=Old Mill': pageOf(
      { id: '5', name: 'Old Mill' },
      { id: '6', name: 'Old Mill' },
    ),
    'GET /suppliers': pageOf(),
    'GET /suppliers/42': { data: { id: '42' } },
    'PUT /suppliers/42': { data: { id: '42' } },
    'GET /tags?filter[name]=Red': pageOf({ id: 't1', name: 'Red' }),
    'GET /tags?filter[name]=Blue': pageOf({ id: 't2', name: 'Blue' }),
    'GET /tags?filter[name]="Last, First"': pageOf(),
    'GET /tags?filter[name]=First"': pageOf(),
    'GET /inventory_items?filter[name]=white"': pageOf(),
    'GET /tags/t3': { data: { id: 't3' } },
    'GET /tags?filter[name]=Last, First': pageOf({ id: 't3', name: 'Last, First' }),
    'GET /suppliers?filter[tags.id]=t3,t1': pageOf(),
    'GET /inventory_items?filter[name]=Flour, white': pageOf({ id: 'i3', name: 'Flour, white' }),
    'GET /inventory_items?filter[sku]=SKU-1': pageOf({ id: 'i1', sku: 'SKU-1' }),
    'GET /inventory_items?filter[barcode]=628': pageOf({ id: 'i2', barcode: '628' }),
    'GET /inventory_items': pageOf(),
    'POST /inventory_counts': { data: { id: 'c1' } },
    'GET /whoami': { data: { user: { id: 'me', branches: [{ id: 'b1', name: 'Riverside' }] } } },
    'GET /inventory_item_categories?filter[name]=Vegetables and more': pageOf({
      id: 'v',
      name: 'Vegetables and more',
    }),
  });
});
afterAll(() => service.close());

const boh = (...argv: string[]) =>
  runBoh(argv, {
    env: { BOH_TOKEN: 'a-token', BOH_BASE_URL: service.baseUrl },
  });

describe('@NAME', () => {
  test.each(['@SUP-1', '@Fresh Farms', '@code:SUP-1'])(
    '%s: is resolved to an ID with one request',
    async (name) => {
      expect((await boh('suppliers', 'get', name)).exitCode).toBe(0);
      expect(service.takeRequests()).toEqual([
        expect.stringContaining('GET /suppliers?filter'),
        'GET /suppliers/42',
      ]);
    },
  );

  test('with quotes, as in a list: a single record is found by the name inside of them', async () => {
    expect((await boh('tags', 'get', '@"Last, First"', '--dry-run')).stdout).toContain('/tags/t3');
    expect((await boh('inventory-items', 'get', '@name:"Flour, white"', '--dry-run')).stdout).toContain(
      '/i3"',
    );
    service.takeRequests();
  });

  test('an argument that is not UTF-8: is refused before anything is sent', async () => {
    const result = await boh('suppliers', 'get', 'caf\ufffd');
    expect([result.exitCode, failureOf(result).message]).toEqual([2, expect.stringContaining('UTF-8')]);
    expect(service.takeRequests()).toEqual([]);
  });

  test('in relation flags: is resolved with one lookup for each name, also in repeated flags and lists', async () => {
    await boh('suppliers', 'update', '42', '--tags', '@Red,t9', '--tags', '@Blue,@Red');
    expect(service.takeRequests()).toEqual([
      'GET /tags?filter[name]=Red',
      'GET /tags?filter[name]=Blue',
      'GET /whoami',
      'PUT /suppliers/42',
    ]);
  });

  test('with a comma in quotes: is resolved in relation flags, filters and items', async () => {
    await boh('suppliers', 'update', '42', '--tags', '@"Last, First",@Red');
    expect(service.takeRequests()).toEqual([
      'GET /tags?filter[name]=Last, First',
      'GET /tags?filter[name]=Red',
      'PUT /suppliers/42',
    ]);
    await boh('suppliers', 'list', '--tags-id', '"@Last, First",@Red');
    expect(service.takeRequests().at(-1)).toBe('GET /suppliers?filter[tags.id]=t3,t1');
    await boh(
      ...['inventory-counts', 'create', '--status', 'draft', '--branch-id', 'b', '--creator-id', 'me'],
      ...['--items', '@name:"Flour, white"=2.5'],
    );
    expect(service.takeRequests()).toEqual([
      'GET /inventory_items?filter[name]=Flour, white',
      'POST /inventory_counts',
    ]);
    for (const flags of [
      ['update', '42', '--tags', '@"Last, First'],
      ['list', '--tags-id', '@"Last, First'],
    ]) {
      const refusedResult = await boh('suppliers', ...flags);
      expect([refusedResult.exitCode, refusedResult.stderr]).toEqual([
        2,
        expect.stringContaining('unclosed quote'),
      ]);
    }
    expect(service.takeRequests()).toEqual([]);
  });

  test('in items with a number: is resolved', async () => {
    const result = await boh(
      ...['inventory-counts', 'create', '--status', 'draft', '--branch-id', 'b', '--creator-id', 'me'],
      ...['--items', '@SKU-1=2.5,@barcode:628=1'],
    );
    expect(result.exitCode).toBe(0);
    expect(service.takeRequests()).toEqual([
      'GET /inventory_items?filter[sku]=SKU-1',
      'GET /inventory_items?filter[barcode]=628',
      'POST /inventory_counts',
    ]);
  });

  test('in filters on relations: is resolved, also several names with commas', async () => {
    await boh('inventory-items', 'list', '--category-id', '@Vegetables and more');
    expect(service.takeRequests().at(-1)).toBe('GET /inventory_items?filter[category_id]=v');
    await boh('suppliers', 'list', '--tags-id', '@Red,@Blue,t9');
    expect(service.takeRequests().at(-1)).toBe('GET /suppliers?filter[tags.id]=t1,t2,t9');
  });

  test('several matches: is refused with the candidates, and nothing is deleted', async () => {
    const result = await boh('suppliers', 'delete', '@Old Mill', '--yes');
    expect(result.exitCode).toBe(2);
    expect(failureOf(result).message).toContain('5 (Old Mill), 6 (Old Mill)');
    expect(service.takeRequests().some((line) => line.startsWith('DELETE'))).toBe(false);
  });

  test('a partial match: is not found', async () => {
    const result = await boh('suppliers', 'get', '@Nobody');
    expect(result.exitCode).toBe(5);
    service.takeRequests();
  });

  test('--dry-run: is looked up, and nothing else is sent', async () => {
    const { stdout } = await boh(
      'suppliers',
      'update',
      '@SUP-1',
      '--tags',
      '@Red',
      '--dry-run',
      '-o',
      'json',
    );
    expect(JSON.parse(stdout)).toMatchObject({ method: 'PUT', body: { tags: [{ id: 't1' }] } });
    expect(stdout).toContain('/suppliers/42');
    expect(service.takeRequests().map((line) => line.split('?')[0])).toEqual(['GET /suppliers', 'GET /tags']);
    const missingResult = await boh('suppliers', 'get', '@Nobody', '--dry-run');
    expect(missingResult.exitCode).toBe(5);
    service.takeRequests();
  });

  test('--dry-run --offline: stays unresolved, and nothing is sent', async () => {
    const { stderr, stdout } = await boh('suppliers', 'get', '@SUP-1', '--dry-run', '--offline');
    expect(stdout).toContain('/suppliers/%40SUP-1');
    expect(stderr).toContain('With --offline, names after @');
    expect(service.takeRequests()).toEqual([]);
  });

  test('in a text field: stays text', async () => {
    await boh('suppliers', 'update', '42', '--name', '@SUP-1');
    expect(service.takeRequests()).toEqual(['PUT /suppliers/42']);
  });

  test('of a record that the API has no list of: is resolved from whoami, and unknown names are refused', async () => {
    const countLine = ['inventory-counts', 'create', '--status', '1', '--items', 'a=1', '--branch-id'];
    expect((await boh(...countLine, '@Riverside')).exitCode).toBe(0);
    expect(service.takeRequests()).toEqual(['GET /whoami', 'POST /inventory_counts']);
    const unknownResult = await boh(...countLine, '@Nowhere');
    expect(unknownResult.exitCode).toBe(5);
    expect(failureOf(unknownResult).message).toContain('Branch @Nowhere not found');
    const order = await boh('loyalty-rewards', 'redeem', '1', '--order-id', '@first', '--yes');
    expect(order.exitCode).toBe(2);
    expect(failureOf(order).message).toContain('orders have no names');
    service.takeRequests();
  });
});
