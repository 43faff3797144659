/** Tests the sandbox with presets: each behaves like its kind of service, and its API can open the files of other APIs. */
import { afterEach, describe, expect, it } from 'vitest';
import type { Api } from '../../src/api/contract/api.ts';
import { deployedApi } from '../../src/api/deployments/deployment.ts';
import { deployments, requireDeployment } from '../../src/api/deployments/index.ts';
import { api } from '../../src/api/resources/index.ts';
import { checkSettings, type Variant, variantNames } from '../../src/sandbox/business/settings.ts';
import { checkOpenSandbox } from '../../src/sandbox/check.ts';
import { openSandbox, type SandboxOptions } from '../../src/sandbox/service.ts';
import { Client, newSandboxFile, startOfTests } from './client.ts';
import { existingId } from './examples.ts';

const preset = requireDeployment('foodics-v5');
const extendedApi = await deployedApi(api, preset);

let client: Client | undefined;
afterEach(() => client?.sandbox.close());

async function open(options: Partial<SandboxOptions> = {}): Promise<Client> {
  client?.sandbox.close();
  const defaults = {
    ...(preset.variant as Partial<Variant>),
    'wire.requests_per_minute': 0,
    'wire.requests': 'lenient',
  } as const;
  client = new Client(
    await openSandbox({
      api: extendedApi,
      file: ':memory:',
      machineClock: () => startOfTests,
      defaults,
      ...options,
    }),
  );
  return client;
}

it.each(deployments)('the variant of $name: is valid', ({ variant }) => {
  expect(() => checkSettings(variant, variantNames)).not.toThrow();
});

it('a preset over another preset: has only its own additions', async () => {
  expect(await deployedApi(extendedApi, undefined)).toBe(api);
  expect(await deployedApi(extendedApi, requireDeployment('api-document'))).toBe(api);
  expect(await deployedApi(extendedApi, preset)).toBe(extendedApi);
});

describe('the sandbox like foodics-v5', () => {
  it('lists contain deleted records, and only scalars unless relations are included', async () => {
    const { get } = await open();
    const suppliers = get('/suppliers').json;
    expect(suppliers.data.some(({ deleted_at }: { deleted_at: unknown }) => deleted_at !== null)).toBe(true);
    expect(get('/suppliers?filter[is_deleted]=false').json.meta.total).toBe(suppliers.meta.total - 2);
    for (const { path, list } of extendedApi.collections) {
      if (!list) continue;
      const related = get(path)
        .json.data.flatMap(Object.entries)
        .filter(
          ([, value]: [string, unknown]) =>
            typeof value === 'object' && value !== null && JSON.stringify(value).includes('"id"'),
        );
      expect([path, related]).toEqual([path, []]);
    }
    const [count] = get('/inventory_counts?include=items,branch,creator,poster').json.data;
    expect(count).toMatchObject({
      items: expect.arrayContaining([
        expect.objectContaining({ pivot: expect.objectContaining({ quantity: expect.any(Number) }) }),
      ]),
      branch: {},
      creator: {},
    });
    const [product] = get('/gift_card_products?include=tags,groups,category,branches').json.data;
    expect(product).toMatchObject({ tags: [{ name: 'Gift' }], groups: [{}], category: {}, branches: [] });
  });

  it('options of modifiers are only in single records', async () => {
    const { get } = await open();
    const [modifier] = get('/modifiers?include=options,products').json.data;
    expect(modifier).not.toHaveProperty('options');
    expect(modifier.products).toBeDefined();
    expect(get(`/modifiers/${modifier.id}`).json.data.options[0].name).toBeDefined();
  });

  it('only PUT redeems a reward', async () => {
    const { get, put } = await open();
    const rewards = get('/loyalty_rewards?include=customer,order').json.data;
    const unused = rewards.find(({ order }: { order: unknown }) => !order);
    const [order] = get(`/orders?filter[customer_id]=${unused.customer.id}`).json.data;
    const target = `/loyalty_rewards/${unused.id}`;
    expect(get(`${target}?order_id=${order.id}&include=order`)).toMatchObject({ status: 200 });
    expect(get(`${target}?include=order`).json.data.order).toBeFalsy();
    expect(put(target, { order_id: order.id }).status).toBe(200);
    expect(get(`${target}?include=order`).json.data.order).toMatchObject({ id: order.id });
  });

  it('has values that the API document does not list, and other types of scalars in every second record', async () => {
    const { get } = await open();
    expect(get('/tags?filter[type]=8').json.data).toMatchObject([{ name: 'Weekend Guests' }]);
    const roles = get('/roles?filter[name]=Order Taker').json.data;
    expect(roles[0].authorities).toContain('kds:manage');
    expect(get('/suppliers?filter[code]=SUP-80').json.data[0].cc_emails).toHaveLength(2);
    const customers = get('/customers').json.data;
    expect(customers[0]).toMatchObject({ dial_code: 966, is_loyalty_enabled: true });
    expect(customers[1]).toMatchObject({ dial_code: expect.any(String), is_blacklisted: 0 });
    expect(get('/whoami').json.data.is_owner).toBe(true);
  });

  it('pages: have links in meta too, whose URLs lack the filters', async () => {
    const { get } = await open();
    const { meta, links } = get('/customers?filter[name]=a&per_page=5&page=2').json;
    expect(meta.links).toEqual([
      { url: links.prev, label: '&laquo; Previous', active: false },
      { url: expect.stringMatching(/\/customers\?page=2$/), label: '2', active: true },
      { url: links.next, label: 'Next &raquo;', active: false },
    ]);
    expect(links.next).toMatch(/\/customers\?page=3$/);
  });

  it('GET /settings: has the currency, the time zone and whether prices include tax, for any token', async () => {
    const { get, sandbox } = await open();
    expect(get('/settings').json.data).toEqual({
      business_currency: 'SAR',
      business_timezone: 'Asia/Riyadh',
      tax_inclusive_pricing: true,
    });
    expect(client?.with('general.read').get('/settings').status).toBe(200);
    expect(new Client(sandbox, 'none').get('/settings').status).toBe(401);
    expect((await open({ variant: { 'wire.business_settings': 'absent' } })).get('/settings').status).toBe(
      404,
    );
  });

  it('orders: end after 10 pages, and continue with reference_after', async () => {
    const { get } = await open();
    const page = (query: string) => get(`/orders?sort=reference&per_page=5${query}`).json;
    const tenth = page('&page=10');
    expect([tenth.data.length, tenth.links.next, tenth.meta.last_page, tenth.meta.total]).toEqual([
      5,
      null,
      10,
      222,
    ]);
    expect(get('/orders?per_page=5&page=11')).toMatchObject({
      status: 400,
      json: {
        message: 'The list ends after 10 pages. Continue with filter[reference_after] and sort=reference.',
      },
    });
    const { data } = page(`&filter[reference_after]=${tenth.data[4].reference}`);
    expect(data[0].reference).toBe(51);
    expect(data[0]).toMatchObject({ business_date: expect.any(String), total_price: expect.any(Number) });
  });

  it('a filter, include or sort that is not allowed: gets 400 with the allowed names', async () => {
    const { get } = await open();
    for (const [query, allowed] of [
      ['filter[nothing]=1', 'reference_after'],
      ['include=nothing', 'branch, customer'],
      ['sort=nothing', 'reference'],
    ]) {
      expect(get(`/orders?${query}`)).toMatchObject({
        status: 400,
        json: { message: expect.stringContaining(allowed ?? '') },
      });
    }
  });
});

describe('blocks', () => {
  const variant = { 'wire.blocks': 'on', 'wire.requests_per_minute': 5 } as const;

  it('more than 10 responses with 429 in 10 seconds: block the token for a minute', async () => {
    let now = startOfTests;
    const { get, sandbox } = await open({ variant, machineClock: () => now });
    for (let count = 0; count < 5; count++) expect(get('/taxes').status).toBe(200);
    for (let count = 0; count < 10; count++) expect(get('/taxes').headers['retry-after']).toBe('60');
    now += 9_000;
    expect(get('/taxes').headers['retry-after']).toBe('51');
    now += 52_000;
    // The limit of the minute is over, and the block isn't.
    expect(get('/taxes')).toMatchObject({ status: 429, headers: { 'retry-after': '8' } });
    expect(new Client(sandbox, sandbox.createToken({ scopes: ['general.read'] })).get('/taxes').status).toBe(
      200,
    );
    now += 8_000;
    expect(get('/taxes').status).toBe(200);
  });

  it('more than 60 responses with 401 or 403 in a minute: block the token for an hour', async () => {
    let now = startOfTests;
    await open({ variant: { 'wire.blocks': 'on' }, machineClock: () => now });
    const limited = client?.with('general.read');
    for (let count = 0; count < 61; count++) expect(limited?.get('/customers').status).toBe(403);
    expect(limited?.get('/taxes')).toMatchObject({ status: 429, headers: { 'retry-after': '3600' } });
    now += 3_600_000;
    expect(limited?.get('/taxes').status).toBe(200);
  });
});

describe('the file of a sandbox', () => {
  const openFile = (file: string, fileApi: Api) => open({ file, api: fileApi, defaults: {} });

  it('of the API document: gets the resources of a preset, and keeps its data when it is opened without it', async () => {
    const file = await newSandboxFile();
    const { get, put } = await openFile(file, extendedApi);
    expect(get('/branches').json.data[0]).toMatchObject({
      name: 'Riverside',
      created_at: expect.any(String),
    });
    expect(get('/orders?sort=-reference').json.data[0]).toMatchObject({
      reference: 222,
      status: expect.any(Number),
    });
    const supplier = existingId(client as Client, 'suppliers');
    expect(put(`/suppliers/${supplier}`, { cc_emails: ['a@example.com'] }).status).toBe(200);
    expect(checkOpenSandbox(client?.sandbox as Client['sandbox'])).toEqual([]);

    const documented = await openFile(file, api);
    expect(documented.get('/branches').status).toBe(404);
    expect(documented.get(`/suppliers/${supplier}`).json.data).not.toHaveProperty('cc_emails');
    expect(documented.get('/customers').json.meta.total).toBe(200);
    const customer = existingId(documented, 'customers');
    documented.sandbox.placeOrder({ customer, total: 10 });
    expect(checkOpenSandbox(documented.sandbox)).toEqual([]);

    const again = await openFile(file, extendedApi);
    expect(again.get(`/suppliers/${supplier}`).json.data.cc_emails).toEqual(['a@example.com']);
    expect(again.get('/orders?sort=-reference').json.data[0]).toMatchObject({
      reference: 223,
      total_price: 10,
    });
    expect(checkOpenSandbox(again.sandbox)).toEqual([]);
  });
});
