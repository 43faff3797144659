import { describe, expect, test } from 'vitest';
import { operation } from '../../src/contract/operation.ts';
import { categories } from '../../src/resources/categories.ts';
import { groups } from '../../src/resources/groups.ts';
import { suppliers } from '../../src/resources/suppliers.ts';
import { tags } from '../../src/resources/tags.ts';
import { users } from '../../src/resources/users.ts';
import { type Upsert, upsertRecord } from '../../src/session/upsert.ts';
import { service } from './keeping.ts';

const farms = {
  id: '42',
  name: 'Fresh Farms',
  code: 'SUP-1',
  phone: '1',
  email: null,
  tags: [{ id: 't1' }],
  deleted_at: null,
};

describe('the key', () => {
  test('is by default a unique field, and has to be named if there is none', async () => {
    const { upsert, lists } = service({});
    await upsert({ body: { name: 'Grills', reference: 'CAT-1' } }, categories);
    expect(lists()[0]).toBe('/categories?filter[reference]=CAT-1');
    await expect(upsert({ body: { name: 'Grills' } }, categories)).rejects.toMatchObject({
      category: 'usage',
      message: expect.stringContaining('identified without reference'),
    });
    await expect(upsert({ body: { name: 'Fresh Farms', code: 'SUP-1' } })).rejects.toMatchObject({
      category: 'usage',
      message: expect.stringContaining('Suppliers have no unique field'),
      details: { hint: expect.stringContaining('--key FIELD') },
    });
  });

  test('has to be a field of a new record, with a value', async () => {
    const { upsert, writes } = service({});
    for (const key of [['color'], ['tags'], ['created_at'], []]) {
      await expect(upsert({ body: { name: 'x' }, key })).rejects.toMatchObject({
        message: expect.stringContaining("can't be identified by"),
      });
    }
    for (const body of [{ name: 'x' }, { name: 'x', code: '' }, { name: 'x', code: null }]) {
      await expect(upsert({ body, key: ['code'] })).rejects.toMatchObject({
        message: expect.stringContaining('code is missing'),
      });
    }
    expect(writes()).toEqual([]);
  });

  test('may be several fields, which are compared with every row', async () => {
    const { upsert } = service({
      '/suppliers/42': farms,
      '/suppliers/43': { ...farms, id: '43', phone: '2' },
    });
    const body = { name: 'Fresh Farms', phone: '2' };
    expect(await upsert({ body, key: ['name', 'phone'] })).toMatchObject({ outcome: 'unchanged', id: '43' });
    await expect(upsert({ body, key: ['name'] })).rejects.toMatchObject({
      category: 'usage',
      message: '2 suppliers have the name "Fresh Farms": 42 (Fresh Farms), 43 (Fresh Farms).',
    });
  });

  test("isn't used in a filter that would split its comma", async () => {
    const { upsert, lists } = service({ '/suppliers/42': { ...farms, code: 'A,B' } });
    expect(await upsert({ body: { code: 'A,B' }, key: ['code'] })).toMatchObject({ outcome: 'unchanged' });
    expect(lists()[0]).toBe('/suppliers');
  });

  test("that the list doesn't show: nothing is added, as the record may exist", async () => {
    const { upsert, writes } = service({ '/suppliers/42': { id: '42', name: 'Fresh Farms' } });
    await expect(upsert({ body: { name: 'x', code: 'SUP-1' }, key: ['code'] })).rejects.toMatchObject({
      category: 'unavailable',
      message: expect.stringContaining("doesn't show code"),
    });
    expect(writes()).toEqual([]);
  });
});

describe('an existing record', () => {
  test('gets only the differences, in any spelling of equal values', async () => {
    const { upsert, writes } = service({
      '/suppliers/42': { ...farms, tags: [{ id: 't2' }, { id: 't1', name: 'Red' }] },
    });
    const body = {
      name: 'Fresh Farms',
      code: 'SUP-1',
      email: null,
      phone: '5',
      tags: [{ id: 't1' }, { id: 't2' }],
    };
    expect(await upsert({ body, key: ['code'] })).toMatchObject({ outcome: 'updated', id: '42' });
    expect(writes()).toEqual([['PUT /suppliers/42', { phone: '5' }]]);
  });

  test("gets values that it doesn't show; values that only a new record accepts are kept and reported", async () => {
    const user = { id: '7', name: 'Sara', email: 's@example.com', lang: 'en', pin: '****', deleted_at: null };
    const { upsert, writes } = service({ '/users/7': user });
    const body = { name: 'Sara', email: 's@example.com', lang: 'en', pin: '1234', password: 'secret-word' };
    expect(await upsert({ body, key: ['email'] }, users)).toMatchObject({
      outcome: 'updated',
      kept: ['password'],
    });
    expect(writes()).toEqual([['PUT /users/7', { pin: '1234' }]]);
  });

  test("can't change a value that is set only once", async () => {
    const { upsert, writes } = service({ '/tags/1': { id: '1', name: 'VIP', type: 1, deleted_at: null } });
    expect(await upsert({ body: { name: 'VIP', type: 1 }, key: ['name'] }, tags)).toMatchObject({
      outcome: 'unchanged',
    });
    await expect(upsert({ body: { name: 'VIP', type: 2 }, key: ['name'] }, tags)).rejects.toMatchObject({
      category: 'usage',
      details: { fields: { type: ["can only be set on creation: 1 can't become 2"] } },
    });
    expect(writes()).toEqual([]);
  });

  test('stays unchanged if the user declines', async () => {
    const { upsert, writes } = service({ '/suppliers/42': farms });
    const beforeWrite = async (body: object, current: { id: string } | undefined) => {
      throw new Error(`${current?.id} ${JSON.stringify(body)}`);
    };
    await expect(upsert({ body: { code: 'SUP-1', phone: '5' }, key: ['code'], beforeWrite })).rejects.toThrow(
      '42 {"phone":"5"}',
    );
    expect(writes()).toEqual([]);
  });
});

describe("a record that doesn't exist", () => {
  test('must have all required fields before it is sent', async () => {
    const { upsert, writes } = service({});
    await expect(upsert({ body: { code: 'SUP-9' }, key: ['code'] })).rejects.toMatchObject({
      category: 'usage',
      details: { fields: { name: ['is required'] } },
    });
    expect(writes()).toEqual([]);
  });

  test('is created, then updated with the fields that only updates accept', async () => {
    const { upsert, writes } = service({});
    const body = { name: 'Lunch', products: [{ id: 'p1' }] };
    expect(await upsert({ body, key: ['name'] }, groups)).toMatchObject({ outcome: 'created', id: 'new' });
    expect(writes()).toEqual([
      ['POST /groups', { name: 'Lunch' }],
      ['PUT /groups/new', { products: [{ id: 'p1' }] }],
    ]);
  });

  test('reports if the second of its writes fails', async () => {
    const { upsert } = service({}, {}, ({ method }) =>
      method === 'PUT' ? { status: 422, body: '{"message":"No such product."}' } : undefined,
    );
    await expect(
      upsert({ body: { name: 'Lunch', products: [{ id: 'p1' }] }, key: ['name'] }, groups),
    ).rejects.toMatchObject({
      category: 'refused',
      message: expect.stringContaining('The group new was created before this failed.'),
    });
  });
});

describe('a deleted record', () => {
  const gone = { ...farms, deleted_at: '2026-11-01 08:00:00' };

  test('is refused, or restored and updated', async () => {
    const { upsert, writes } = service({ '/suppliers/42': gone });
    const body = { code: 'SUP-1', phone: '5' };
    await expect(upsert({ body, key: ['code'] })).rejects.toMatchObject({
      category: 'usage',
      message: expect.stringContaining('supplier 42 with this key is deleted'),
    });
    expect(writes()).toEqual([]);
    expect(await upsert({ body, key: ['code'], onDeleted: 'restore' })).toMatchObject({
      outcome: 'restored',
      id: '42',
    });
    expect(writes()).toEqual([
      ['PUT /suppliers/42/restore', undefined],
      ['PUT /suppliers/42', { phone: '5' }],
    ]);
  });

  test('is ignored if an active one has the key', async () => {
    const { upsert } = service({ '/suppliers/42': gone, '/suppliers/43': { ...farms, id: '43' } });
    expect(await upsert({ body: { code: 'SUP-1' }, key: ['code'] })).toMatchObject({
      outcome: 'unchanged',
      id: '43',
    });
  });

  test('may be shown only by its list', async () => {
    let isBack = false;
    const { upsert, writes } = service({ '/suppliers/42': gone }, {}, ({ method, target }) => {
      isBack ||= target.endsWith('/restore');
      return method === 'GET' && target.startsWith('/suppliers/42') && !isBack
        ? { status: 404, body: '{}' }
        : undefined;
    });
    expect(await upsert({ body: { code: 'SUP-1' }, key: ['code'], onDeleted: 'restore' })).toMatchObject({
      outcome: 'restored',
    });
    expect(writes()).toEqual([['PUT /suppliers/42/restore', undefined]]);
  });

  test('is not changed if a value that is set only once differs', async () => {
    const { upsert, writes } = service({
      '/tags/1': { id: '1', name: 'VIP', type: 1, deleted_at: '2026-11-01 08:00:00' },
    });
    await expect(
      upsert({ body: { name: 'VIP', type: 2 }, key: ['name'], onDeleted: 'restore' }, tags),
    ).rejects.toMatchObject({ category: 'usage' });
    expect(writes()).toEqual([]);
  });
});

describe('a dry run', () => {
  test('lists the requests that would be sent; none if nothing differs', async () => {
    const records = {
      '/suppliers/42': farms,
      '/suppliers/44': { ...farms, id: '44', code: 'OLD', deleted_at: '2026-11-01 08:00:00' },
    };
    const { upsert, writes } = service(records, { dryRun: true });
    const planned = async (body: object, more: Partial<Upsert> = {}) => {
      const done = await upsert({ body: body as Upsert['body'], key: ['code'], ...more });
      return done.planned?.map(({ method, target, body: text }) => [`${method} ${target}`, text]);
    };
    expect(await planned({ code: 'SUP-1' })).toBe(undefined);
    expect(await planned({ code: 'SUP-1', phone: '5' })).toEqual([['PUT /suppliers/42', '{"phone":"5"}']]);
    expect(await planned({ code: 'NEW', name: 'New' })).toEqual([
      ['POST /suppliers', '{"code":"NEW","name":"New"}'],
    ]);
    expect(await planned({ code: 'OLD', phone: '5' }, { onDeleted: 'restore' })).toEqual([
      ['PUT /suppliers/44/restore', undefined],
      ['PUT /suppliers/44', '{"phone":"5"}'],
    ]);
    expect(writes()).toEqual([]);
  });
});

test('create --if-missing: leaves existing records unchanged', async () => {
  const { session, writes } = service({ '/suppliers/42': farms });
  const create = operation(suppliers, 'create');
  if (!create) throw new Error('no create');
  const wanted = { operation: create, key: ['code'], onDeleted: 'refuse', ifExists: 'leave' } as const;
  expect(await upsertRecord(session, { ...wanted, body: { code: 'SUP-1', name: 'Other' } })).toMatchObject({
    outcome: 'unchanged',
    id: '42',
  });
  expect(await upsertRecord(session, { ...wanted, body: { code: 'SUP-2', name: 'Other' } })).toMatchObject({
    outcome: 'created',
  });
  expect(writes()).toEqual([['POST /suppliers', { code: 'SUP-2', name: 'Other' }]]);
});
