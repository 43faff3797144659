import { describe, expect, test } from 'vitest';
import type { Client } from '../../src/client/client.ts';
import type { Row } from '../../src/client/shape.ts';
import { embeddedTransport } from '../../src/client/transport.ts';
import type { Resource } from '../../src/contract/resource.ts';
import { addresses } from '../../src/resources/addresses.ts';
import { customers } from '../../src/resources/customers.ts';
import { inventoryItems } from '../../src/resources/inventory-items.ts';
import { suppliers } from '../../src/resources/suppliers.ts';
import { tags } from '../../src/resources/tags.ts';
import { type LookupOptions, lookUpEach } from '../../src/session/lookup.ts';
import { chooseIds, isLookup } from '../../src/session/names.ts';
import { clientOver } from '../client/client-over.ts';
import { hinted } from '../harness/hint.ts';

/** A service whose lists answer by their first filter, and that writes down what it is asked. */
function service(answers: Record<string, readonly Row[]>, envelope: object = { links: { next: null } }) {
  const asked: string[] = [];
  const transport = embeddedTransport(({ target }) => {
    asked.push(decodeURIComponent(target.replace(/^.*\?/, '')));
    const filter = decodeURIComponent(/filter\[(.*?)\]=[^&]*/.exec(target)?.[0] ?? '');
    return { status: 200, headers: {}, body: JSON.stringify({ data: answers[filter] ?? [], ...envelope }) };
  });
  return { client: clientOver(transport), asked };
}

/** As a session finds them, where no user can choose. */
async function lookUpAll(
  client: Client,
  resource: Resource,
  texts: readonly string[],
  options: LookupOptions = {},
): Promise<Map<string, string>> {
  const found = await lookUpEach(client, resource, texts, options);
  return chooseIds(resource, found, options, async () => undefined);
}

async function lookUp(client: Client, resource: Resource, text: string, options?: LookupOptions) {
  return (await lookUpAll(client, resource, [text], options)).get(text);
}

const farms = { id: '42', name: 'Fresh Farms', code: 'SUP-1' };

test('an id that begins with an at-sign is a look-up', () => {
  expect(['@x', '@', 'x@y', ''].map(isLookup)).toEqual([true, true, false, false]);
});

describe('a look-up', () => {
  test('tries the parts of the natural key, most likely first, and stops at the first match', async () => {
    const { client, asked } = service({ 'filter[code]=SUP-1': [farms], 'filter[name]=Fresh Farms': [farms] });
    expect(await lookUp(client, suppliers, '@SUP-1')).toBe('42');
    expect(await lookUp(client, suppliers, '@Fresh Farms')).toBe('42');
    expect(asked).toEqual(['filter[code]=SUP-1', 'filter[name]=Fresh Farms']);
  });

  test("skips requests that can't match", async () => {
    const { client, asked } = service({});
    await expect(lookUp(client, customers, '@Huda Al-Amin')).rejects.toMatchObject({ category: 'not_found' });
    await expect(lookUp(client, customers, '@huda@example.com')).rejects.toMatchObject({
      category: 'not_found',
    });
    await expect(lookUp(client, customers, '@055 123')).rejects.toMatchObject({ category: 'not_found' });
    // A name of several words that isn't found is asked for by a part that every spelling has.
    expect(asked).toEqual([
      'filter[name]=Huda Al-Amin',
      'filter[name]=Al-Amin',
      'filter[email]=huda@example.com',
      'filter[name]=huda@example.com',
      'filter[phone]=055 123',
      'filter[name]=055 123',
      'filter[name]=055',
    ]);
  });

  test('uses the named filter, and reads words and times as on the command line', async () => {
    const { client, asked } = service({
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
    expect(asked).toHaveLength(3);
  });

  test('ignores a record whose name only contains the text', async () => {
    const { client } = service({ 'filter[name]=Farms': [farms, { id: '43', name: 'Farms' }] });
    expect(await lookUp(client, suppliers, '@Farms')).toBe('43');
  });

  test('matches a name in any encoding of its accents', async () => {
    const { client } = service({ 'filter[name]=Cafe\u0301': [{ id: '9', name: 'Caf\u00e9' }] });
    expect(await lookUp(client, suppliers, '@Cafe\u0301')).toBe('9');
  });

  test('refuses several matches, shows them, and never selects the first', async () => {
    const both = [farms, { ...farms, id: '43' }];
    const { client } = service({ 'filter[name]=Fresh Farms': both });
    await expect(lookUp(client, suppliers, '@Fresh Farms')).rejects.toMatchObject({
      category: 'usage',
      message: '@Fresh Farms matches 2 suppliers: 42 (Fresh Farms), 43 (Fresh Farms).',
    });
  });

  test('shows ten of many candidates and counts the rest', async () => {
    const many = Array.from({ length: 12 }, (_, index) => ({
      id: `s${index}`,
      name: 'N',
      reference: { toString: 1 },
    }));
    const { client } = service({ 'filter[name]=N': many });
    await expect(lookUp(client, suppliers, '@N')).rejects.toMatchObject({
      message: expect.stringMatching(/s9 \(N\) and 2 more\.$/),
    });
  });

  test('refuses a name if not all matches can be read', async () => {
    let page = 0;
    const transport = embeddedTransport(() => {
      const rows = page++ === 0 ? [{ id: '42', name: 'a' }] : [{ id: `other-${page}`, name: 'banana' }];
      return {
        status: 200,
        headers: {},
        body: JSON.stringify({ data: rows, meta: { last_page: 90, total: 90 } }),
      };
    });
    const client = clientOver(transport);
    await expect(lookUp(client, suppliers, '@name:a')).rejects.toMatchObject({
      category: 'usage',
      message: expect.stringContaining('too many'),
    });
    expect(page).toBe(11);
  });

  test('a restore: looks only among deleted records', async () => {
    const active = { ...farms, id: '41', deleted_at: null };
    const deleted = { ...farms, deleted_at: '2026-11-20 08:00:00' };
    const { client, asked } = service({ 'filter[code]=SUP-1': [active, deleted] });
    expect(await lookUp(client, suppliers, '@SUP-1', { deleted: true })).toBe('42');
    expect(asked).toEqual(['filter[code]=SUP-1&filter[is_deleted]=true']);
    await expect(lookUp(client, suppliers, '@nobody', { deleted: true })).rejects.toMatchObject({
      message: 'Deleted supplier @nobody not found.',
    });
  });

  test('without a match: says where it searched', async () => {
    const { client } = service({});
    await expect(lookUp(client, suppliers, '@X')).rejects.toMatchObject({
      category: 'not_found',
      message: 'Supplier @X not found.',
      details: { hint: hinted('Searched by code, then by name. To list suppliers: boh suppliers list') },
    });
  });

  test('of a record without an id: sends nothing', async () => {
    const { client } = service({ 'filter[code]=SUP-1': [{ ...farms, id: undefined }] });
    await expect(lookUp(client, suppliers, '@SUP-1')).rejects.toMatchObject({ category: 'unavailable' });
  });

  test.each([
    ['@', suppliers],
    ['@Home', addresses],
    ['@updated_after:2026-01-01', suppliers],
    ['@has_orders:true', customers],
  ])("%s can't be searched", async (text, resource) => {
    const { client, asked } = service({});
    await expect(lookUp(client, resource, text)).rejects.toMatchObject({ category: 'usage' });
    expect(asked).toEqual([]);
  });
});

describe('a service that ignores a filter', () => {
  test.each([
    ['@dial_code:966', customers, { id: '1', dial_code: 20 }],
    ['@is_blacklisted:true', customers, { id: '1', is_blacklisted: false }],
    ['@tags.id:vip', customers, { id: '1', tags: [{ id: 'other' }] }],
    ['@phone:551', customers, { id: '1', phone: null }],
    ['@type:customer', tags, { id: '1', type: 2 }],
  ])('%s: the record that the service returns anyway is ignored', async (text, resource, row) => {
    const client = clientOver(
      embeddedTransport(() => ({
        status: 200,
        headers: {},
        body: JSON.stringify({ data: [row], links: { next: null } }),
      })),
    );
    await expect(lookUp(client, resource, text)).rejects.toMatchObject({ category: 'not_found' });
  });

  test("and doesn't show the field: its records are ignored", async () => {
    const client = clientOver(
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

describe('many look-ups at once', () => {
  const items = Array.from({ length: 250 }, (_, index) => ({ id: `i${index}`, sku: `SKU-${index}` }));
  const stock = (asked: string[]) =>
    clientOver(
      embeddedTransport(({ target }) => {
        const query = decodeURIComponent(target.replace(/^.*\?/, ''));
        asked.push(query);
        const [, name = '', value = ''] = /filter\[(.*?)\]=([^&]*)/.exec(query) ?? [];
        const values = name === 'sku' ? value.split(',') : [];
        const data = items.filter(({ sku }) => values.includes(sku));
        return { status: 200, headers: {}, body: JSON.stringify({ data, links: { next: null } }) };
      }),
    );

  test('take one request per hundred names', async () => {
    const asked: string[] = [];
    const texts = items.map(({ sku }) => `@sku:${sku}`);
    const found = await lookUpAll(stock(asked), inventoryItems, texts);
    expect(found.size).toBe(250);
    expect(found.get('@sku:SKU-249')).toBe('i249');
    expect(asked.length).toBeLessThanOrEqual(3);
  });

  test('report all missing records together', async () => {
    const texts = ['@sku:SKU-1', '@sku:SKU-900', '@sku:SKU-901'];
    await expect(lookUpAll(stock([]), inventoryItems, texts)).rejects.toMatchObject({
      category: 'not_found',
      message: expect.stringMatching(/SKU-900.*SKU-901/),
    });
  });

  test('by name read the whole list if that takes fewer requests', async () => {
    const asked: string[] = [];
    const client = clientOver(
      embeddedTransport(({ target }) => {
        asked.push(target);
        const data = ['A', 'B', 'C', 'D'].map((name) => ({ id: name.toLowerCase(), name }));
        return { status: 200, headers: {}, body: JSON.stringify({ data, meta: { last_page: 1, total: 4 } }) };
      }),
    );
    const found = await lookUpAll(client, suppliers, ['@name:A', '@name:B', '@name:C']);
    expect([...found.values()]).toEqual(['a', 'b', 'c']);
    expect(asked).toHaveLength(1);
  });
});
