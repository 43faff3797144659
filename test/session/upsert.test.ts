import { describe, expect, test } from 'vitest';
import { operation } from '../../src/api/contract/operation.ts';
import { categories } from '../../src/api/resources/categories.ts';
import { groups } from '../../src/api/resources/groups.ts';
import { suppliers } from '../../src/api/resources/suppliers.ts';
import { tags } from '../../src/api/resources/tags.ts';
import { users } from '../../src/api/resources/users.ts';
import { type Upsert, upsertRecord } from '../../src/engine/runs/upsert.ts';
import { openRecordService } from './record-service.ts';

const farms = {
  id: '42',
  name: 'Fresh Farms',
  code: 'SUP-1',
  phone: '1',
  email: null,
  tags: [{ id: 't1' }],
  deleted_at: null,
};

describe('upsert: the key', () => {
  test('is a unique field by default; without a unique field --key is required', async () => {
    const { upsert, readTargets } = openRecordService({});
    await upsert({ body: { name: 'Grills', reference: 'CAT-1' } }, categories);
    expect(readTargets()[0]).toBe('/categories?filter[reference]=CAT-1');
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

  test('must be a field of a new record with a value', async () => {
    const { upsert, writes } = openRecordService({});
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

  test('can be several fields, which are compared in every row', async () => {
    const { upsert } = openRecordService({
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

  test('a value with a comma: reads the list without a filter', async () => {
    const { upsert, readTargets } = openRecordService({ '/suppliers/42': { ...farms, code: 'A,B' } });
    expect(await upsert({ body: { code: 'A,B' }, key: ['code'] })).toMatchObject({ outcome: 'unchanged' });
    expect(readTargets()[0]).toBe('/suppliers');
  });

  test('a key that the list does not contain: creates nothing, because the record may exist', async () => {
    const { upsert, writes } = openRecordService({ '/suppliers/42': { id: '42', name: 'Fresh Farms' } });
    await expect(upsert({ body: { name: 'x', code: 'SUP-1' }, key: ['code'] })).rejects.toMatchObject({
      category: 'unavailable',
      message: expect.stringContaining("doesn't contain code"),
    });
    expect(writes()).toEqual([]);
  });
});

describe('upsert: an existing record', () => {
  test('is updated only with the values that differ', async () => {
    const { upsert, writes } = openRecordService({
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

  test('is updated with secrets; fields that only a new record accepts are returned as unchangeable', async () => {
    const user = { id: '7', name: 'Sara', email: 's@example.com', lang: 'en', pin: '****', deleted_at: null };
    const { upsert, writes } = openRecordService({ '/users/7': user });
    const body = { name: 'Sara', email: 's@example.com', lang: 'en', pin: '1234', password: 'secret-word' };
    expect(await upsert({ body, key: ['email'] }, users)).toMatchObject({
      outcome: 'updated',
      unchangeable: ['password'],
    });
    expect(writes()).toEqual([['PUT /users/7', { pin: '1234' }]]);
  });

  test('a different value in a field that can only be set on creation: is refused', async () => {
    const { upsert, writes } = openRecordService({
      '/tags/1': { id: '1', name: 'VIP', type: 1, deleted_at: null },
    });
    expect(await upsert({ body: { name: 'VIP', type: 1 }, key: ['name'] }, tags)).toMatchObject({
      outcome: 'unchanged',
    });
    await expect(upsert({ body: { name: 'VIP', type: 2 }, key: ['name'] }, tags)).rejects.toMatchObject({
      category: 'usage',
      details: { fields: { type: ["can only be set on creation: 1 can't become 2"] } },
    });
    expect(writes()).toEqual([]);
  });

  test('is not changed if beforeWrite throws', async () => {
    const { upsert, writes } = openRecordService({ '/suppliers/42': farms });
    const beforeWrite = async (body: object, current: { id: string } | undefined) => {
      throw new Error(`${current?.id} ${JSON.stringify(body)}`);
    };
    await expect(upsert({ body: { code: 'SUP-1', phone: '5' }, key: ['code'], beforeWrite })).rejects.toThrow(
      '42 {"phone":"5"}',
    );
    expect(writes()).toEqual([]);
  });
});

describe('upsert: a new record', () => {
  test('without a required field: is refused before a request is sent', async () => {
    const { upsert, writes } = openRecordService({});
    await expect(upsert({ body: { code: 'SUP-9' }, key: ['code'] })).rejects.toMatchObject({
      category: 'usage',
      details: { fields: { name: ['is required'] } },
    });
    expect(writes()).toEqual([]);
  });

  test('is created, then updated with the fields that only updates accept', async () => {
    const { upsert, writes } = openRecordService({});
    const body = { name: 'Lunch', products: [{ id: 'p1' }] };
    expect(await upsert({ body, key: ['name'] }, groups)).toMatchObject({ outcome: 'created', id: 'new' });
    expect(writes()).toEqual([
      ['POST /groups', { name: 'Lunch' }],
      ['PUT /groups/new', { products: [{ id: 'p1' }] }],
    ]);
  });

  test('a failed update after the creation: the message says that the record was created', async () => {
    const { upsert } = openRecordService({}, {}, ({ method }) =>
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

describe('upsert: a deleted record', () => {
  const deletedSupplier = { ...farms, deleted_at: '2026-11-01 08:00:00' };

  test('is refused by default; with onDeleted: restore it is restored and updated', async () => {
    const { upsert, writes } = openRecordService({ '/suppliers/42': deletedSupplier });
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

  test('is ignored if an active record has the key', async () => {
    const { upsert } = openRecordService({
      '/suppliers/42': deletedSupplier,
      '/suppliers/43': { ...farms, id: '43' },
    });
    expect(await upsert({ body: { code: 'SUP-1' }, key: ['code'] })).toMatchObject({
      outcome: 'unchanged',
      id: '43',
    });
  });

  test('that can only be read in a list: is restored', async () => {
    let isRestored = false;
    const { upsert, writes } = openRecordService(
      { '/suppliers/42': deletedSupplier },
      {},
      ({ method, target }) => {
        isRestored ||= target.endsWith('/restore');
        return method === 'GET' && target.startsWith('/suppliers/42') && !isRestored
          ? { status: 404, body: '{}' }
          : undefined;
      },
    );
    expect(await upsert({ body: { code: 'SUP-1' }, key: ['code'], onDeleted: 'restore' })).toMatchObject({
      outcome: 'restored',
    });
    expect(writes()).toEqual([['PUT /suppliers/42/restore', undefined]]);
  });

  test('with a different value in a field that can only be set on creation: is not restored', async () => {
    const { upsert, writes } = openRecordService({
      '/tags/1': { id: '1', name: 'VIP', type: 1, deleted_at: '2026-11-01 08:00:00' },
    });
    await expect(
      upsert({ body: { name: 'VIP', type: 2 }, key: ['name'], onDeleted: 'restore' }, tags),
    ).rejects.toMatchObject({ category: 'usage' });
    expect(writes()).toEqual([]);
  });
});

describe('upsert in a dry run', () => {
  test('returns the requests that would be sent; none if nothing differs', async () => {
    const records = {
      '/suppliers/42': farms,
      '/suppliers/44': { ...farms, id: '44', code: 'OLD', deleted_at: '2026-11-01 08:00:00' },
    };
    const { upsert, writes } = openRecordService(records, { dryRun: true });
    const plannedRequests = async (body: object, options: Partial<Upsert> = {}) => {
      const result = await upsert({ body: body as Upsert['body'], key: ['code'], ...options });
      return result.planned?.map(({ method, target, body: text }) => [`${method} ${target}`, text]);
    };
    expect(await plannedRequests({ code: 'SUP-1' })).toBe(undefined);
    expect(await plannedRequests({ code: 'SUP-1', phone: '5' })).toEqual([
      ['PUT /suppliers/42', '{"phone":"5"}'],
    ]);
    expect(await plannedRequests({ code: 'NEW', name: 'New' })).toEqual([
      ['POST /suppliers', '{"name":"New","code":"NEW"}'],
    ]);
    expect(await plannedRequests({ code: 'OLD', phone: '5' }, { onDeleted: 'restore' })).toEqual([
      ['PUT /suppliers/44/restore', undefined],
      ['PUT /suppliers/44', '{"phone":"5"}'],
    ]);
    expect(writes()).toEqual([]);
  });
});

test('create --if-missing: leaves existing records unchanged', async () => {
  const { session, writes } = openRecordService({ '/suppliers/42': farms });
  const create = operation(suppliers, 'create');
  if (!create) throw new Error('suppliers has no create');
  const options = { operation: create, key: ['code'], onDeleted: 'refuse', ifExists: 'leave' } as const;
  expect(await upsertRecord(session, { ...options, body: { code: 'SUP-1', name: 'Other' } })).toMatchObject({
    outcome: 'unchanged',
    id: '42',
  });
  expect(await upsertRecord(session, { ...options, body: { code: 'SUP-2', name: 'Other' } })).toMatchObject({
    outcome: 'created',
  });
  expect(writes()).toEqual([['POST /suppliers', { code: 'SUP-2', name: 'Other' }]]);
});
