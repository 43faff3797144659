import { describe, expect, test } from 'vitest';
import type { Client } from '../../src/account/client/client.ts';
import type { Row } from '../../src/account/client/shape.ts';
import { embeddedTransport } from '../../src/account/client/transport.ts';
import { type LookupOptions, lookUpEach } from '../../src/account/session/lookup.ts';
import { isLookup } from '../../src/account/session/map-ids.ts';
import { chooseIds } from '../../src/account/session/names.ts';
import type { Resource } from '../../src/api/contract/resource.ts';
import { addresses } from '../../src/api/resources/addresses.ts';
import { customers } from '../../src/api/resources/customers.ts';
import { inventoryItems } from '../../src/api/resources/inventory-items.ts';
import { suppliers } from '../../src/api/resources/suppliers.ts';
import { tags } from '../../src/api/resources/tags.ts';
import { createTestClient } from '../client/test-client.ts';
import { hintContaining } from '../harness/hint.ts';

/** Returns a client whose lists contain the rows of their first filter, and the queries that it sends. */
function createClient(
  rowsByFilter: Record<string, readonly Row[]>,
  envelope: object = { links: { next: null } },
) {
  const queries: string[] = [];
  const transport = embeddedTransport(({ target }) => {
    queries.push(decodeURIComponent(target.replace(/^.*\?/, '')));
    const filter = decodeURIComponent(/filter\[(.*?)\]=[^&]*/.exec(target)?.[0] ?? '');
    return {
      status: 200,
      headers: {},
      body: JSON.stringify({ data: rowsByFilter[filter] ?? [], ...envelope }),
    };
  });
  return { client: createTestClient(transport), queries };
}

/** Looks up like a session without a terminal. */
async function lookUpAll(
  client: Client,
  resource: Resource,
  texts: readonly string[],
  options: LookupOptions = {},
): Promise<Map<string, string>> {
  const results = await lookUpEach(client, resource, texts, options);
  return chooseIds(resource, results, options, async () => undefined);
}

async function lookUp(client: Client, resource: Resource, text: string, options?: LookupOptions) {
  return (await lookUpAll(client, resource, [text], options)).get(text);
}

const farms = { id: '42', name: 'Fresh Farms', code: 'SUP-1' };

test('isLookup: returns true only for text that starts with @', () => {
  expect(['@x', '@', 'x@y', ''].map(isLookup)).toEqual([true, true, false, false]);
});

describe('lookUpEach', () => {
  test('searches by the fields of the key, the most likely first, and stops at the first match', async () => {
    const { client, queries } = createClient({
      'filter[code]=SUP-1': [farms],
      'filter[name]=Fresh Farms': [farms],
    });
    expect(await lookUp(client, suppliers, '@SUP-1')).toBe('42');
    expect(await lookUp(client, suppliers, '@Fresh Farms')).toBe('42');
    expect(queries).toEqual(['filter[code]=SUP-1', 'filter[name]=Fresh Farms']);
  });

  test('does not search by fields that cannot contain the text', async () => {
    const { client, queries } = createClient({});
    await expect(lookUp(client, customers, '@Huda Al-Amin')).rejects.toMatchObject({ category: 'not_found' });
    await expect(lookUp(client, customers, '@huda@example.com')).rejects.toMatchObject({
      category: 'not_found',
    });
    await expect(lookUp(client, customers, '@055 123')).rejects.toMatchObject({ category: 'not_found' });
    // A name of several words that isn't ids is searched for again by a part that all spellings contain.
    expect(queries).toEqual([
      'filter[name]=Huda Al-Amin',
      'filter[name]=Al-Amin',
      'filter[email]=huda@example.com',
      'filter[name]=huda@example.com',
      'filter[phone]=055 123',
      'filter[name]=055 123',
      'filter[name]=055',
    ]);
  });

  test('@FIELD:VALUE: uses that filter, and accepts the words of the command line', async () => {
    const { client, queries } = createClient({
      'filter[type]=1': [{ id: '7', type: 1 }],
      'filter[name]=a:b': [{ id: '8', name: 'a:b' }],
    });
    expect(await lookUp(client, tags, '@type:customer')).toBe('7');
    expect(await lookUp(client, tags, '@name:a:b')).toBe('8');
    expect(await lookUp(client, tags, '@a:b')).toBe('8');
    await expect(lookUp(client, tags, '@type:shoe')).rejects.toMatchObject({
      category: 'usage',
      message: expect.stringContaining('customer (1)'),
    });
    expect(queries).toHaveLength(3);
  });

  test('ignores records whose name only contains the text', async () => {
    const { client } = createClient({ 'filter[name]=Farms': [farms, { id: '43', name: 'Farms' }] });
    expect(await lookUp(client, suppliers, '@Farms')).toBe('43');
  });

  test('finds a name in another Unicode normalization', async () => {
    const { client } = createClient({ 'filter[name]=Cafe\u0301': [{ id: '9', name: 'Caf\u00e9' }] });
    expect(await lookUp(client, suppliers, '@Cafe\u0301')).toBe('9');
  });

  test('several matches: fails and lists them', async () => {
    const matches = [farms, { ...farms, id: '43' }];
    const { client } = createClient({ 'filter[name]=Fresh Farms': matches });
    await expect(lookUp(client, suppliers, '@Fresh Farms')).rejects.toMatchObject({
      category: 'usage',
      message: '@Fresh Farms matches 2 suppliers: 42 (Fresh Farms), 43 (Fresh Farms).',
    });
  });

  test('12 matches: lists ten and the number of the others', async () => {
    const many = Array.from({ length: 12 }, (_, index) => ({
      id: `s${index}`,
      name: 'N',
      reference: { toString: 1 },
    }));
    const { client } = createClient({ 'filter[name]=N': many });
    await expect(lookUp(client, suppliers, '@N')).rejects.toMatchObject({
      message: expect.stringMatching(/s9 \(N\) and 2 more\.$/),
    });
  });

  test('more than ten pages of matches: fails', async () => {
    let page = 0;
    const transport = embeddedTransport(() => {
      const rows = page++ === 0 ? [{ id: '42', name: 'a' }] : [{ id: `other-${page}`, name: 'banana' }];
      return {
        status: 200,
        headers: {},
        body: JSON.stringify({ data: rows, meta: { last_page: 90, total: 90 } }),
      };
    });
    const client = createTestClient(transport);
    await expect(lookUp(client, suppliers, '@name:a')).rejects.toMatchObject({
      category: 'usage',
      message: expect.stringContaining('too many'),
    });
    expect(page).toBe(11);
  });

  test('deleted: finds only deleted records', async () => {
    const active = { ...farms, id: '41', deleted_at: null };
    const deleted = { ...farms, deleted_at: '2026-11-20 08:00:00' };
    const { client, queries } = createClient({ 'filter[code]=SUP-1': [active, deleted] });
    expect(await lookUp(client, suppliers, '@SUP-1', { deleted: true })).toBe('42');
    expect(queries).toEqual(['filter[code]=SUP-1&filter[is_deleted]=true']);
    await expect(lookUp(client, suppliers, '@nobody', { deleted: true })).rejects.toMatchObject({
      message: 'Deleted supplier @nobody not found.',
    });
  });

  test('no match: the hint names the fields that were searched', async () => {
    const { client } = createClient({});
    await expect(lookUp(client, suppliers, '@X')).rejects.toMatchObject({
      category: 'not_found',
      message: 'Supplier @X not found.',
      details: {
        hint: hintContaining('boh searched by code, then by name. To list suppliers: boh suppliers list'),
      },
    });
  });

  test('a matching record without an ID: fails as unavailable', async () => {
    const { client } = createClient({ 'filter[code]=SUP-1': [{ ...farms, id: undefined }] });
    await expect(lookUp(client, suppliers, '@SUP-1')).rejects.toMatchObject({ category: 'unavailable' });
  });

  test.each([
    ['@', suppliers],
    ['@Home', addresses],
    ['@updated_after:2026-01-01', suppliers],
    ['@has_orders:true', customers],
  ])('%s: fails without a request, because the field cannot be searched', async (text, resource) => {
    const { client, queries } = createClient({});
    await expect(lookUp(client, resource, text)).rejects.toMatchObject({ category: 'usage' });
    expect(queries).toEqual([]);
  });
});

describe('a service that ignores a filter', () => {
  test.each([
    ['@dial_code:966', customers, { id: '1', dial_code: 20 }],
    ['@is_blacklisted:true', customers, { id: '1', is_blacklisted: false }],
    ['@tags.id:vip', customers, { id: '1', tags: [{ id: 'other' }] }],
    ['@phone:551', customers, { id: '1', phone: null }],
    ['@type:customer', tags, { id: '1', type: 2 }],
  ])('%s: ignores the record that the service returns anyway', async (text, resource, row) => {
    const client = createTestClient(
      embeddedTransport(() => ({
        status: 200,
        headers: {},
        body: JSON.stringify({ data: [row], links: { next: null } }),
      })),
    );
    await expect(lookUp(client, resource, text)).rejects.toMatchObject({ category: 'not_found' });
  });

  test('and does not return the field: its records are ignored', async () => {
    const client = createTestClient(
      embeddedTransport(() => ({
        status: 200,
        headers: {},
        body: '{"data":[{"id":"1"}],"links":{"next":null}}',
      })),
    );
    await expect(lookUp(client, customers, '@dial_code:966')).rejects.toMatchObject({
      category: 'not_found',
      message: expect.stringContaining("doesn't return dial_code"),
    });
  });
});

describe('lookUpEach with many lookups', () => {
  const items = Array.from({ length: 250 }, (_, index) => ({ id: `i${index}`, sku: `SKU-${index}` }));
  const createItemClient = (queries: string[]) =>
    createTestClient(
      embeddedTransport(({ target }) => {
        const query = decodeURIComponent(target.replace(/^.*\?/, ''));
        queries.push(query);
        const [, name = '', value = ''] = /filter\[(.*?)\]=([^&]*)/.exec(query) ?? [];
        const values = name === 'sku' ? value.split(',') : [];
        const data = items.filter(({ sku }) => values.includes(sku));
        return { status: 200, headers: {}, body: JSON.stringify({ data, links: { next: null } }) };
      }),
    );

  test('sends one request for a hundred names', async () => {
    const queries: string[] = [];
    const texts = items.map(({ sku }) => `@sku:${sku}`);
    const ids = await lookUpAll(createItemClient(queries), inventoryItems, texts);
    expect(ids.size).toBe(250);
    expect(ids.get('@sku:SKU-249')).toBe('i249');
    expect(queries.length).toBeLessThanOrEqual(3);
  });

  test('several missing records: one failure names all of them', async () => {
    const texts = ['@sku:SKU-1', '@sku:SKU-900', '@sku:SKU-901'];
    await expect(lookUpAll(createItemClient([]), inventoryItems, texts)).rejects.toMatchObject({
      category: 'not_found',
      message: expect.stringMatching(/SKU-900.*SKU-901/),
    });
  });

  test('several names: reads the whole list if that takes fewer requests', async () => {
    const targets: string[] = [];
    const client = createTestClient(
      embeddedTransport(({ target }) => {
        targets.push(target);
        const data = ['A', 'B', 'C', 'D'].map((name) => ({ id: name.toLowerCase(), name }));
        return { status: 200, headers: {}, body: JSON.stringify({ data, meta: { last_page: 1, total: 4 } }) };
      }),
    );
    const ids = await lookUpAll(client, suppliers, ['@name:A', '@name:B', '@name:C']);
    expect([...ids.values()]).toEqual(['a', 'b', 'c']);
    expect(targets).toHaveLength(1);
  });
});
