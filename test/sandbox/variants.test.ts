/** Tests variants: the sandbox can simulate other deployments, by a stored setting or by an option. */
import { afterEach, describe, expect, it } from 'vitest';
import { embeddedTransport } from '../../src/account/client/transport.ts';
import { operation } from '../../src/api/contract/operation.ts';
import { customers } from '../../src/api/resources/customers.ts';
import type { Variant } from '../../src/sandbox/business/settings.ts';
import { fakeClock } from '../client/fake-clock.ts';
import { createTestClient } from '../client/test-client.ts';
import { type Client, openClient } from './client.ts';
import { existingId, newRecordId } from './examples.ts';

let client: Client;
afterEach(() => client.sandbox.close());

async function open(variant: Partial<Variant>): Promise<Client> {
  client = await openClient({ variant });
  return client;
}

it('variant settings: are stored in the sandbox, and invalid values are refused together', async () => {
  client = await openClient();
  client.sandbox.changeSettings({ 'wire.page_size': 10, loyaltyDelayInHours: 0 });
  expect(client.get('/customers').json.data).toHaveLength(10);
  expect(client.sandbox.settings()).toMatchObject({ 'wire.page_size': 10, 'wire.put': 'merge' });
  expect(() =>
    client.sandbox.changeSettings({ 'wire.put': 'maybe', 'wire.page_size': 0, 'wire.empty_status': 500 }),
  ).toThrow(
    'wire.put must be merge or replace. wire.page_size must be a number from 1 to 500. wire.empty_status must be 200 or 204.',
  );
});

describe('relations', () => {
  it('are omitted unless they are included', async () => {
    await open({ 'wire.relations': 'absent' });
    const id = existingId(client, 'customers');
    const customer = client.get(`/customers/${id}`).json.data;
    expect(customer).not.toHaveProperty('tags');
    expect(customer).not.toHaveProperty('addresses');
    expect(client.get(`/customers/${id}?include=tags`).json.data.tags[0].name).toBe('Regular');
    const user = client.get('/users').json.data[0];
    // A list of words isn't a relation, and a relation that can't be included is always returned.
    expect(user).toHaveProperty('notifications');
    expect(client.get('/inventory_counts').json.data[0]).toHaveProperty('items');
    expect(client.get('/whoami').json.data.user.roles).toBeDefined();
  });
});

describe('PUT', () => {
  it("empties fields that aren't sent if it replaces, except secrets and those that the token can't write", async () => {
    await open({ 'wire.put': 'replace' });
    const id = existingId(client, 'customers');
    const before = client.get(`/customers/${id}`).json.data;
    const changed = client.with('customers.write').put(`/customers/${id}`, { name: 'Only a name' }).json.data;
    expect(changed).toMatchObject({
      name: 'Only a name',
      phone: '',
      birth_date: null,
      tags: [],
      order_count: 2,
    });
    expect(changed.is_loyalty_enabled).toBe(before.is_loyalty_enabled);
    const modifier = existingId(client, 'modifiers');
    expect(client.put(`/modifiers/${modifier}`, { name: 'Bread' }).json.data.options).toEqual([]);
    expect(Object.keys(client.put(`/modifiers/${modifier}`, { is_ready: true }).json.errors)).toEqual([
      'name',
    ]);
    const user = existingId(client, 'users');
    expect(client.put(`/users/${user}`, { name: 'Omar', lang: 'en' }).json.data).toMatchObject({
      pin: '****',
      email: '',
      roles: [],
    });
  });

  it('refuses to empty a closed stock document', async () => {
    await open({ 'wire.put': 'replace' });
    const [inventoryCount] = client.get('/inventory_counts?filter[status]=2').json.data;
    const items = inventoryCount.items.map(({ id, pivot }: { id: string; pivot: object }) => ({
      id,
      quantity: (pivot as { quantity: number }).quantity,
    }));
    const unchangedBody = {
      status: 2,
      items,
      branch_id: inventoryCount.branch.id,
      creator_id: inventoryCount.creator.id,
    };
    expect(client.put(`/inventory_counts/${inventoryCount.id}`, unchangedBody).status).toBe(200);
    expect(client.put(`/inventory_counts/${inventoryCount.id}`, { ...unchangedBody, items: [] }).status).toBe(
      422,
    );
  });
});

describe('lists', () => {
  it('contain only deleted records with deleted_filter=only', async () => {
    await open({ 'wire.deleted_filter': 'only' });
    const id = newRecordId(client, 'tags');
    client.delete(`/tags/${id}`);
    const { data, meta } = client.get('/tags?filter[is_deleted]=true').json;
    // The list is in the order of deletion, and the demo business has two deleted tags.
    expect([data.at(-1).id, meta.total]).toEqual([id, 3]);
    expect(data.every(({ deleted_at }: { deleted_at: unknown }) => deleted_at !== null)).toBe(true);
  });

  it('have another page size, another page parameter, and no totals', async () => {
    await open({ 'wire.page_size': 80, 'wire.page_param': 'page[number]', 'wire.totals': 'absent' });
    const { data, meta, links } = client.get('/customers?page[number]=3').json;
    expect([data.length, meta.per_page, links.next, links.last]).toEqual([40, 80, null, null]);
    expect(meta).not.toHaveProperty('total');
    expect(meta).not.toHaveProperty('last_page');
    expect(client.get('/customers?page=2').status).toBe(400);
  });

  it('and records have the envelope of the setting: items, or none', async () => {
    await open({ 'wire.envelope': 'items' });
    expect(client.get('/taxes').json).toMatchObject({
      items: [{ name: 'VAT' }, {}, {}, {}],
      meta: { total: 4 },
    });
    expect(client.get('/whoami').json).toMatchObject({ is_owner: true });
    client.sandbox.close();
    await open({ 'wire.envelope': 'none' });
    expect(client.get('/taxes').json).toHaveLength(4);
    expect(client.post('/taxes', { name: 'A tax', rate: 5 }).json).toMatchObject({ name: 'A tax' });
  });
});

it('empty_status 204: deletes and restores return 204', async () => {
  await open({ 'wire.empty_status': 204 });
  const target = `/tags/${newRecordId(client, 'tags')}`;
  expect(client.delete(target)).toMatchObject({ status: 204, json: undefined });
  expect(client.put(`${target}/restore`).status).toBe(204);
});

describe('requests with a rate limit', () => {
  it('are limited per minute for each token', async () => {
    await open({ 'wire.requests_per_minute': 2 });
    expect(client.get('/taxes').headers).toMatchObject({
      'x-ratelimit-limit': '2',
      'x-ratelimit-remaining': '1',
    });
    expect(client.get('/nowhere/at/all').status).toBe(404);
    expect(client.get('/taxes/nothing').headers['x-ratelimit-remaining']).toBe('0');
    const { status, headers, json } = client.get('/taxes');
    expect([status, json]).toEqual([429, { message: 'Too Many Attempts.' }]);
    expect(headers).toMatchObject({ 'retry-after': '60', 'content-type': expect.any(String) });
    expect(client.with('general.read').get('/taxes').status).toBe(200);
  });

  it.each([30, 90])('of %i per minute succeed if a client follows the limit', async (perMinute) => {
    const clock = fakeClock();
    client = await openClient({
      machineClock: () => clock.now(),
      variant: { 'wire.requests_per_minute': perMinute, 'wire.page_size': 1 },
    });
    const list = operation(customers, 'list');
    if (!list) throw new Error('customers have a list');
    const pacedClient = createTestClient(
      embeddedTransport((request) => client.sandbox.handle(request)),
      {
        clock,
        token: { reveal: () => client.token },
      },
    );
    const rows = [];
    for await (const page of pacedClient.pages({ operation: list })) rows.push(...page.rows);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(200);
    expect(clock.waits.length).toBe(Math.ceil(200 / perMinute) - 1);
  });
});
