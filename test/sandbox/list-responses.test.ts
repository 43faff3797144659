/** Tests lists, envelopes and error responses. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { api } from '../../src/api/resources/index.ts';
import { openSandbox } from '../../src/sandbox/service.ts';
import { Client, openClient } from './client.ts';

let client: Client;
beforeAll(async () => {
  client = await openClient();
});
afterAll(() => client.sandbox.close());

describe('a list', () => {
  it('has pages of 50 records, with their position and links', () => {
    const { json } = client.get('/customers?page=2');
    const path = 'http://sandbox.localhost/customers';
    expect(json.data).toHaveLength(50);
    expect(json.meta).toEqual({
      current_page: 2,
      from: 51,
      last_page: 4,
      path,
      per_page: 50,
      to: 100,
      total: 200,
    });
    expect(json.links).toEqual({
      first: `${path}?page=1`,
      last: `${path}?page=4`,
      prev: `${path}?page=1`,
      next: `${path}?page=3`,
    });
  });

  it('has no next page after the last page, and empty pages beyond it', () => {
    expect(client.get('/customers?page=4').json.links.next).toBeNull();
    const pageAfterLast = client.get('/customers?page=5').json;
    expect(pageAfterLast.data).toEqual([]);
    expect(pageAfterLast.meta).toMatchObject({ from: null, to: null, total: 200, last_page: 4 });
    const emptyList = client.get('/customers?filter[phone]=0').json;
    expect(emptyList.meta).toMatchObject({ total: 0, last_page: 1 });
  });

  it('omits the filters in its links, as deployments do', () => {
    const { links } = client.get('/customers?filter[is_blacklisted]=false').json;
    expect(links.next).toBe('http://sandbox.localhost/customers?page=2');
  });

  it('finds records by links of their parts', () => {
    const count = (query: string) => client.get(`/modifiers?${query}`).json.meta.total;
    const withIngredients = count('filter[with_ingredients]=true');
    expect(withIngredients).toBeGreaterThan(0);
    expect(withIngredients + count('filter[with_ingredients]=false')).toBe(count(''));
  });

  it('accepts several values, encoded brackets and pluses', () => {
    expect(client.get('/transfer_orders?filter[status]=4,5').json.data).toHaveLength(3);
    expect(client.get('/customers?filter%5Bname%5D=Huda+Al-Amin').json.data).toHaveLength(1);
  });

  it('refuses several values for a bound, a day or a boolean', () => {
    const invalidFilters = ['updated_after=2026-01-01,2026-02-01', 'created_on=2026-01-01,2026-02-01'];
    for (const filter of [...invalidFilters, 'is_deleted=true,false', 'has_roles=true,false']) {
      expect(client.get(`/users?${filter}`).status).toBe(400);
    }
  });

  it('finds parts of names in any alphabet and case, even two letters', () => {
    const countMatches = (text: string) =>
      client.get(`/customers?filter[name]=${encodeURIComponent(text)}`).json.meta.total;
    expect(countMatches('hUDA al')).toBe(1);
    expect(countMatches('Hu')).toBeGreaterThan(0);
    expect(countMatches('أحمد')).toBeGreaterThan(0);
    expect(countMatches('%')).toBe(0);
    expect(countMatches('"a" OR "b"')).toBe(0);
  });

  it('contains only records that match all filters', async () => {
    const otherClient = await openClient();
    const [perishable, imported] = ['Perishable', 'Imported'].map(
      (name) => otherClient.get(`/tags?filter[name]=${name}`).json.data[0].id,
    );
    const [first, second] = otherClient.get('/inventory_items').json.data;
    otherClient.put(`/inventory_items/${second.id}`, { tags: [{ id: perishable }, { id: imported }] });
    const skus = (query: string) =>
      otherClient.get(`/inventory_items?${query}`).json.data.map(({ sku }: { sku: string }) => sku);
    expect(skus(`filter[tags.id]=${imported}&filter[name]=${second.name}`)).toEqual([second.sku]);
    expect(skus(`filter[tags.id]=${imported}&filter[name]=${first.name}`)).toEqual([]);
    expect(skus(`filter[tags.id]=${imported}&tags.id=${perishable}`)).toEqual([second.sku]);
    expect(skus(`filter[name]=${second.name}&filter[name_localized]=${encodeURIComponent('طماطم')}`)).toEqual(
      [],
    );
    otherClient.delete(`/tags/${imported}`);
    expect(skus(`filter[tags.id]=${imported}`)).toEqual([]);
    expect(skus(`filter[tags.id]=${imported},${perishable}`)).toEqual(skus(`filter[tags.id]=${perishable}`));
    otherClient.sandbox.close();
  });

  it('contains deleted records with is_deleted or a filter on the day of deletion', async () => {
    const { sandbox, ...otherClient } = await openClient();
    const [first] = otherClient.get('/suppliers').json.data;
    otherClient.delete(`/suppliers/${first.id}`);
    const ids = (query: string) =>
      otherClient.get(`/suppliers?${query}`).json.data.map(({ id }: { id: string }) => id);
    expect(ids('')).not.toContain(first.id);
    expect(ids('filter[is_deleted]=false')).not.toContain(first.id);
    // API document, conventions, 7: "to include deleted records".
    const deletedNames = ['Alpine Cheese', 'Gulf Frozen'];
    const suppliers: { id: string; name: string }[] = otherClient.get('/suppliers?filter[is_deleted]=true')
      .json.data;
    expect(suppliers.filter(({ name }) => !deletedNames.includes(name)).map(({ id }) => id)).toEqual([
      first.id,
      ...ids(''),
    ]);
    expect(ids('filter[deleted_on]=2026-11-20')).toEqual([first.id]);
    expect(ids('filter[deleted_on]=2026-11-19')).toEqual([]);
    sandbox.close();
  });
});

describe('a refused request', () => {
  const refusal = (method: string, target: string, body = '') => {
    const { status, json } = client.send(method, target, body);
    return [status, json.message];
  };

  it('gets a status and a message', () => {
    expect(refusal('GET', '/nowhere')).toEqual([404, 'Not found.']);
    expect(refusal('GET', '/customers/missing')).toEqual([404, 'Not found.']);
    expect(refusal('GET', '/customers?page=0')).toEqual([400, expect.stringContaining('page')]);
    expect(refusal('GET', '/customers?filter[gender]=1')).toEqual([400, expect.stringContaining('gender')]);
    expect(refusal('GET', '/customers?filter[is_blacklisted]=maybe')).toEqual([
      400,
      expect.stringContaining('maybe'),
    ]);
    expect(refusal('GET', '/customers?filter[updated_after]=2024-02-30')).toEqual([400, expect.any(String)]);
    expect(refusal('GET', '/customers?include=tags.name')).toEqual([
      400,
      expect.stringContaining('tags.name'),
    ]);
    const cyclicPath = 'addresses.customer.addresses.customer';
    expect(client.get(`/customers?include=${cyclicPath}`).status).toBe(200);
    expect(refusal('GET', `/customers?include=${cyclicPath}.addresses`)).toEqual([
      400,
      expect.stringContaining('4'),
    ]);
    expect(refusal('GET', '/customers?sort=name')).toEqual([400, expect.stringContaining('created_at')]);
    expect(refusal('GET', '/customers?page=1&page=2')).toEqual([400, expect.stringContaining('page')]);
    expect(refusal('GET', '/customers?filter[name]=%zz')).toEqual([400, expect.any(String)]);
    expect(refusal('POST', '/customers', '{"name":')).toEqual([400, expect.stringContaining('JSON')]);
    expect(refusal('POST', '/customers', '[]')).toEqual([400, expect.stringContaining('object')]);
    expect(refusal('POST', '/customers', '{}'.padEnd(2_000_000))).toEqual([
      413,
      expect.stringContaining('bytes'),
    ]);
  });

  it('with an unsupported method gets the allowed methods', () => {
    const { status, headers } = client.send('PATCH', '/customers');
    expect([status, headers.allow]).toEqual([405, 'GET, POST']);
    expect(client.send('DELETE', '/whoami').status).toBe(405);
    // Operations that the API document doesn't list don't exist.
    expect(client.send('PUT', '/transfer_orders/x/restore').status).toBe(404);
    expect(client.send('POST', '/loyalty_transactions').status).toBe(405);
  });

  it('path: is decoded only once', () => {
    expect(client.get('/customers/..%2Fusers').status).toBe(404);
    expect(client.get('/customers/%252e').status).toBe(404);
    expect(client.get('/customers/%00').status).toBe(404);
    expect(client.get('/customers/%').status).toBe(400);
    expect(client.get(`/customers/${'x'.repeat(20_000)}`).status).toBe(414);
  });
});

it('apiPrefix: requests without the prefix are refused with 404', async () => {
  const sandbox = await openSandbox({ api, file: ':memory:', apiPrefix: '/v5', empty: true });
  const prefixedClient = new Client(sandbox);
  expect(prefixedClient.get('/v5/whoami').status).toBe(200);
  expect(prefixedClient.get('/v5/customers').json.meta.path).toBe('http://sandbox.localhost/v5/customers');
  expect(prefixedClient.get('/whoami').status).toBe(404);
  sandbox.close();
});
