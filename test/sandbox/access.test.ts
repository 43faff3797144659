/** Tests access: tokens, their scopes, and the scopes of single fields and values. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, openClient } from './client.ts';
import { existingId, newRecordId } from './examples.ts';

let client: Client;
beforeAll(async () => {
  client = await openClient();
});
afterAll(() => client.sandbox.close());

describe('tokens', () => {
  const statusWith = (authorization?: string) =>
    client.sandbox.handle({
      method: 'GET',
      target: '/whoami',
      headers: authorization === undefined ? {} : { authorization },
      body: '',
    });

  it('are required, after the case-sensitive word Bearer', () => {
    const unauthenticated = { status: 401, body: '{"message":"Unauthenticated."}' };
    expect(statusWith()).toMatchObject(unauthenticated);
    expect(statusWith('')).toMatchObject(unauthenticated);
    expect(statusWith('Bearer wrong')).toMatchObject(unauthenticated);
    expect(statusWith(`bearer ${client.token}`)).toMatchObject(unauthenticated);
    expect(statusWith(`BEARER ${client.token}`)).toMatchObject(unauthenticated);
    expect(statusWith(client.token)).toMatchObject(unauthenticated);
    expect(statusWith(`Bearer ${client.token}`).status).toBe(200);
  });

  it('stop working when their user is deleted', () => {
    const id = newRecordId(client, 'users');
    const userClient = client.with();
    userClient.token = client.sandbox.createToken({ scopes: [], userId: id });
    expect(userClient.get('/whoami').status).toBe(200);
    client.delete(`/users/${id}`);
    expect(userClient.get('/whoami').status).toBe(401);
  });

  it('are stored only as hashes', () => {
    const token = client.sandbox.createToken({ scopes: ['general.read'] });
    const rows = client.sandbox.database.all('SELECT * FROM sandbox_tokens');
    expect(JSON.stringify(rows)).not.toContain(token);
  });

  it('act as their user', () => {
    const userId = existingId(client, 'users');
    const token = client.sandbox.createToken({ scopes: ['users.read'], userId });
    const userClient = client.with();
    userClient.token = token;
    expect(userClient.get('/whoami').json.data).toMatchObject({
      user: { id: userId, name: 'Omar Nasser', pin: '****', roles: [{ name: 'Shift Manager' }] },
      is_owner: false,
      scopes: ['users.read'],
      device: null,
    });
    expect(() => client.sandbox.createToken({ scopes: [], userId: 'missing' })).toThrow(
      'The sandbox has no user missing',
    );
  });
});

describe('fields of customers', () => {
  const path = () => `/customers/${existingId(client, 'customers')}`;

  it('are returned only with their scopes', () => {
    const fieldNames = (...scopes: Parameters<Client['with']>) =>
      Object.keys(client.with('customers.get', ...scopes).get(path()).json.data);
    expect(fieldNames()).not.toContain('house_account_limit');
    expect(fieldNames()).not.toContain('loyalty_balance');
    expect(fieldNames('customers.accounts.read')).toEqual(
      expect.arrayContaining(['house_account_limit', 'house_account_balance']),
    );
    expect(fieldNames('customers.loyalty.read')).toContain('loyalty_balance');
  });

  it('can be written only with their scopes', () => {
    const writer = client.with('customers.write', 'customers.get');
    const fields: [string, unknown, string][] = [
      ['house_account_limit', 100, 'customers.accounts.write'],
      ['house_account_balance', 5, 'customers.accounts.write'],
      ['is_house_account_enabled', true, 'customers.accounts.write'],
      ['is_loyalty_enabled', false, 'customers.loyalty.write'],
    ];
    for (const [name, value, scope] of fields) {
      const { status, json } = writer.put(path(), { [name]: value });
      expect([status, json.message]).toEqual([403, expect.stringContaining(scope)]);
    }
    expect(writer.put(path(), { is_blacklisted: false }).status).toBe(200);
  });

  it("can't set the balances, which the service computes", () => {
    const before = client.get(path()).json.data;
    expect(client.put(path(), { house_account_balance: 999 }).status).toBe(200);
    expect(client.put(path(), { loyalty_balance: 999 }).status).toBe(422);
    const { house_account_balance, loyalty_balance } = client.get(path()).json.data;
    expect([house_account_balance, loyalty_balance]).toEqual([
      before.house_account_balance,
      before.loyalty_balance,
    ]);
  });

  it('are omitted from included customers too', () => {
    const reader = client.with('customers.get');
    const { customer } = reader.get('/addresses/address-huda-home?include=customer').json.data;
    expect(customer.name).toBe('Huda Al-Amin');
    expect(customer).not.toHaveProperty('loyalty_balance');
  });
});

describe('related records', () => {
  const responseTo = (path: string, ...scopes: Parameters<Client['with']>) => {
    const { status, json } = client.with(...scopes).get(path);
    return [status, json.message];
  };

  it('are included only for tokens whose scopes allow it', () => {
    const counts = '/inventory_counts?include=';
    expect(responseTo('/cost_adjustments?include=creator', 'inventory.transactions.read')).toEqual([
      403,
      expect.stringContaining('users.read'),
    ]);
    expect(
      responseTo('/cost_adjustments?include=creator', 'inventory.transactions.read', 'users.read')[0],
    ).toBe(200);
    expect(responseTo(`${counts}creator`, 'inventory.transactions.read')[0]).toBe(400);
    expect(responseTo('/customers?include=addresses.delivery_zone', 'customers.list')).toEqual([
      403,
      expect.stringContaining('general.read'),
    ]);
    // Either scope for reading addresses is enough; branches need none.
    expect(responseTo('/customers?include=addresses', 'customers.list')[0]).toBe(200);
    expect(responseTo('/users?include=branches,notifications', 'users.read')[0]).toBe(200);
  });

  it('without the scope to include them: a write fails and changes nothing', () => {
    const writer = client.with('customers.write');
    const before = client.sandbox.status().records.customers;
    const { status } = writer.post('/customers?include=tags', { name: 'Unknown' });
    expect([status, client.sandbox.status().records.customers]).toEqual([403, before]);
  });
});

it('whoami: refuses include and page parameters', () => {
  expect(client.get('/whoami?include=user').status).toBe(400);
  expect(client.get('/whoami?page=1').status).toBe(400);
});

it('transfer-orders delete: requires the scope of an update, because the API document defines none', () => {
  const target = () => `/transfer_orders/${newRecordId(client, 'transfer_orders')}`;
  const { status, json } = client.with('inventory.transactions.read').delete(target());
  expect([status, json.message]).toEqual([403, expect.stringContaining('inventory.transactions.write')]);
  expect(client.with('inventory.transactions.write').delete(target()).status).toBe(200);
});

describe('payment methods', () => {
  const paymentMethod = (type: number) => ({ name: 'A method', type });

  it("of types 4 and 5 can't be created by anyone", () => {
    for (const type of [4, 5, 6, 8]) {
      const { status, json } = client.post('/payment_methods', paymentMethod(type));
      expect([status, Object.keys(json.errors)]).toEqual([422, ['type']]);
    }
  });

  it('with only the scope orders.limited.pay: can be written only if they belong to third parties', () => {
    const limitedClient = client.with('orders.limited.pay', 'general.read', 'admin.restore');
    const { status, json } = limitedClient.post('/payment_methods', paymentMethod(1));
    expect([status, json.message]).toEqual([403, expect.stringContaining('admin.write')]);
    const createResponse = limitedClient.post('/payment_methods', paymentMethod(7));
    expect(createResponse.status).toBe(201);
    const cash = `/payment_methods/${existingId(client, 'payment_methods')}`;
    expect(limitedClient.put(cash, { name: 'Coins' }).status).toBe(403);
    expect(limitedClient.delete(cash).status).toBe(403);
    const target = `/payment_methods/${createResponse.json.data.id}`;
    expect(limitedClient.put(target, { name: 'Courier' }).status).toBe(200);
    expect(limitedClient.delete(target).status).toBe(200);
    expect(limitedClient.put(`${target}/restore`).status).toBe(200);
  });

  it('of all types can be written with admin.write', () => {
    for (const type of [1, 2, 3, 7]) {
      expect(client.with('admin.write').post('/payment_methods', paymentMethod(type)).status).toBe(201);
    }
  });
});

it('suppliers restore: works without admin.restore', () => {
  const id = newRecordId(client, 'suppliers');
  const writer = client.with('inventory.settings.write');
  expect(writer.delete(`/suppliers/${id}`).status).toBe(200);
  expect(writer.put(`/suppliers/${id}/restore`).status).toBe(200);
});

it('users delete: refuses to delete the owner', () => {
  const { id } = client.get('/whoami').json.data.user;
  const { status, json } = client.delete(`/users/${id}`);
  expect([status, json.errors.id]).toEqual([422, [expect.stringContaining('owner')]]);
  expect(client.put(`/users/${id}`, { is_owner: false }).status).toBe(422);
});
