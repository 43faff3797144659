/** Tests the demo business: it is realistic, the same on every machine, and consistent with the contract and its rules. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operation } from '../../src/api/contract/operation.ts';
import { api } from '../../src/api/resources/index.ts';
import { notificationTypes } from '../../src/api/resources/notification-types.ts';
import { references } from '../../src/api/resources/references.ts';
import { isDocumented } from '../harness/api-document.ts';
import { Client, openClient, startOfTests, today } from './client.ts';
import { deviations } from './conformity.ts';
import { exampleOf, existingId } from './examples.ts';

let client: Client;
beforeAll(async () => {
  client = await openClient();
});
afterAll(() => client.sandbox.close());

/** Returns all records of a resource. */
function listAll(name: string, query = '') {
  // biome-ignore lint/suspicious/noExplicitAny: records of every resource
  const records: any[] = [];
  for (let page = 1; ; page += 1) {
    const { json } = client.get(`/${name}?page=${page}${query}`);
    records.push(...json.data);
    if (json.links.next === null) return records;
  }
}

describe('examples of the contract', () => {
  it.each(api.collections.map((resource) => [resource.name, resource] as const))(
    'include %s',
    (name, { path }) => {
      const { status, json } = client.get(`${path}/${existingId(client, name)}`);
      expect([status, json.data.id]).toEqual([200, api.exampleId(name)]);
    },
  );

  it.each(references.map((reference) => [reference.name, reference] as const))(
    'include %s, which the API only refers to',
    (name, { exampleId }) => {
      expect(client.sandbox.database.get(`SELECT name FROM "${name}" WHERE id = ?`, exampleId)).toBeDefined();
    },
  );

  it('are accepted for every field', async () => {
    const { sandbox } = client;
    for (const resource of api.collections) {
      const creation = operation(resource, 'create');
      if (!creation) continue;
      const entries = creation.body.map(({ name, field }) => [
        name,
        field.traits.example ??
          (field.kind === 'one' || field.kind === 'many' ? exampleOf(client, field) : undefined),
      ]);
      const body = Object.fromEntries(entries.filter(([, value]) => value !== undefined));
      const { status, json } = new Client(sandbox).post(resource.path, body);
      expect([resource.name, status, json.errors]).toEqual([resource.name, 201, undefined]);
      client.delete(`${resource.path}/${json.data.id}`);
    }
  });

  it('include a reward that can be used in the example order', () => {
    const { status, json } = client.get('/loyalty_rewards/loyalty-reward-1?order_id=order-1');
    expect([status, json.data?.order]).toEqual([200, { id: 'order-1' }]);
  });
});

it("addresses create: omits a relation that was never set and can't be null", () => {
  const { status, json } = client.post('/addresses', { name: 'Nowhere' });
  expect([status, Object.keys(json.data)]).toEqual([201, expect.not.arrayContaining(['customer'])]);
  // In the API document, this relation can be null.
  expect(json.data.delivery_zone).toBeNull();
});

it('modifiers list: returns options with only the fields of the contract', () => {
  const options =
    api.collections.find(({ name }) => name === 'modifiers')?.fields.options?.traits.fields ?? {};
  const [modifier] = listAll('modifiers', '&include=options');
  for (const option of modifier.options) {
    expect(Object.keys(option)).toEqual(Object.keys(options));
    expect(deviations(options, option)).toEqual([]);
  }
});

describe('the demo business', () => {
  it('is the same on every machine', async () => {
    const [first, second] = [await openClient(), await openClient()];
    for (const { path } of api.collections) expect(first.get(path).json).toEqual(second.get(path).json);
    first.sandbox.close();
    second.sandbox.close();
  });

  it('has the size of a business with three branches', () => {
    const { records } = client.sandbox.status();
    expect(records.customers?.active).toBe(200);
    expect(records.inventory_items?.active).toBe(60);
    expect(records.inventory_item_categories?.active).toBe(10);
    for (const { name } of api.collections.filter(isDocumented))
      expect([name, (records[name]?.active ?? 0) > 2]).toEqual([name, true]);
  });

  it.each(api.collections.map((resource) => [resource.name, resource] as const))(
    'has %s with the fields and kinds of the contract',
    (name, { fields }) => {
      for (const record of listAll(name)) expect(deviations(fields, record)).toEqual([]);
    },
  );

  it('has stock documents in each status, transfers, and tags and payment methods of each kind', () => {
    const valuesOf = (name: string, field: string) =>
      [...new Set(listAll(name).map((record) => record[field]))].sort();
    expect(valuesOf('inventory_counts', 'status')).toEqual([1, 2]);
    expect(valuesOf('cost_adjustments', 'status')).toEqual([1, 2]);
    expect(valuesOf('transfer_orders', 'status')).toEqual([1, 2, 3, 4, 5]);
    expect(valuesOf('tags', 'type')).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(valuesOf('payment_methods', 'type')).toEqual([1, 2, 3, 4, 5, 7]);
    expect(valuesOf('timed_events', 'type')).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  it('has one owner, who is notified of every event', () => {
    const owners = listAll('users').filter((user) => user.is_owner);
    expect(owners).toHaveLength(1);
    expect(owners[0].notifications).toEqual(notificationTypes);
    expect(client.get('/whoami').json.data).toMatchObject({
      is_owner: true,
      business: { owner_id: owners[0].id },
    });
  });

  it('has names in English and Arabic', () => {
    const names = listAll('customers').map(({ name }) => name);
    expect(names.filter((name) => /\p{Script=Arabic}/u.test(name)).length).toBeGreaterThan(30);
    expect(
      listAll('categories').every(({ name_localized }) => /\p{Script=Arabic}/u.test(name_localized)),
    ).toBe(true);
  });

  it('has delivery zones that are closed rings around the city', () => {
    for (const { coordinates } of listAll('delivery_zones')) {
      expect(coordinates.length).toBeGreaterThan(8);
      expect(coordinates.at(-1)).toEqual(coordinates[0]);
    }
  });

  it('has loyalty transactions and rewards that follow the rules', () => {
    const transactions = listAll('loyalty_transactions');
    const rewards = listAll('loyalty_rewards');
    const settings = client.sandbox.settings();
    for (const { id, loyalty_balance } of listAll('customers')) {
      const customerTransactions = transactions.filter((transaction) => transaction.customer.id === id);
      const unredeemedAmount = customerTransactions
        .filter(({ is_redeemed }) => !is_redeemed)
        .reduce((sum, { amount }) => sum + amount, 0);
      expect(loyalty_balance).toBeCloseTo(unredeemedAmount, 5);
      const redeemableTransactions = customerTransactions.filter(
        (transaction) => !transaction.is_redeemed && transaction.redeemable_at <= `${today} 12:00:00`,
      );
      expect(redeemableTransactions.reduce((sum, { amount }) => sum + amount, 0)).toBeLessThan(
        settings.loyaltyRewardMinimum,
      );
      const hasReward = rewards.some((reward) => reward.customer.id === id);
      expect(customerTransactions.some(({ is_redeemed }) => is_redeemed)).toBe(hasReward);
    }
  });

  it('has only dates before the sandbox was created', () => {
    for (const { name } of api.collections) {
      for (const { created_at, updated_at } of listAll(name)) {
        expect(created_at <= updated_at || name === 'loyalty_transactions').toBe(true);
        expect(Date.parse(`${updated_at.replace(' ', 'T')}Z`)).toBeLessThanOrEqual(startOfTests);
      }
    }
  });
});

describe('an empty sandbox', () => {
  it('has the owner and the records that the API only refers to, and accepts new records', async () => {
    const emptyClient = await openClient({ empty: true });
    const { records } = emptyClient.sandbox.status();
    const nonEmpty = Object.entries(records).filter(([, { active }]) => active > 0);
    expect(nonEmpty).toEqual([['users', { active: 1, deleted: 0 }]]);
    expect(emptyClient.post('/sections', { name: 'Garden', branch_id: 'branch-riverside' }).status).toBe(201);
    emptyClient.sandbox.close();
  });
});
