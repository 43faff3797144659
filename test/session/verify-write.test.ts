/** Tests that a success counts only if the response doesn't contradict what was sent. */
import { describe, expect, test } from 'vitest';
import type { Call } from '../../src/account/client/request.ts';
import { toResponseLink } from '../../src/account/session/record-body.ts';
import type { Field } from '../../src/api/contract/field.ts';
import { type BodyField, operation, operations } from '../../src/api/contract/operation.ts';
import { exampleValue } from '../../src/api/reference/examples.ts';
import { api } from '../../src/api/resources/index.ts';
import { operationOf } from '../client/operations.ts';
import { failureOf } from '../client/rejection.ts';
import { hintContaining } from '../harness/hint.ts';
import { openTestSession, settings } from './test-session.ts';

type Row = Record<string, unknown>;

const linesOf = (requests: readonly { method: string; target: string }[]) =>
  requests.map(({ method, target }) => `${method} ${target}`);

/** Returns a session whose service answers each write with one record, and each read with another. */
function answering(written: Row, read: Row | undefined = written, options = {}) {
  return openTestSession(({ method, target }) => {
    const isRedemption = target.includes('order_id=');
    const record = method === 'GET' && !isRedemption ? read : written;
    return record ? { data: record } : { status: 404, body: '{}' };
  }, options);
}

/** Returns a value as responses contain it. */
const responseValue = ({ field }: BodyField, value: unknown): unknown => {
  if (field.kind === 'one') return { id: value };
  return field.kind === 'many' ? (value as unknown[]).map(toResponseLink) : value;
};

/** Returns another value of the same kind. */
function otherValue({ kind }: Field, value: unknown): unknown {
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'boolean') return !value;
  if (kind === 'numeric_text') return `${Number(value) + 1}`;
  if (kind === 'date') return '2031-01-02';
  if (kind === 'hour') return '23:00';
  if (typeof value === 'string') return `${value} 2`;
  return Array.isArray(value) ? value.slice(1) : null;
}

/** Returns other spellings of a value, as services return them. */
function otherSpellings({ kind, traits }: Field, value: unknown): unknown[] {
  if (typeof value === 'number') return [String(value), value.toFixed(4)];
  if (typeof value === 'boolean') return [Number(value), String(value)];
  if (kind === 'date') return [`${value}T00:00:00.000000Z`];
  if (kind === 'one') return [String(value).toUpperCase()];
  if (kind === 'text' && typeof value === 'string')
    return [
      ` ${value.replaceAll(' ', '\u00a0 ').normalize('NFD')} `,
      ...(traits.form === 'email' ? [value.toUpperCase()] : []),
      ...(traits.form === 'phone' ? [`+966 ${value.replace(/(\d{3})(?=\d)/g, '$1-')}`] : []),
    ];
  if (!Array.isArray(value) || kind === 'ring') return [];
  const withNewId = kind === 'objects' ? [value.map((item: Row) => ({ ...item, id: 'new-part' }))] : [];
  return [[...value].reverse(), ...withNewId];
}

const created = api.collections.flatMap((resource) => operation(resource, 'create') ?? []);

describe.each(created.map((create) => [create.command, create] as const))('%s', (_, create) => {
  const fields = create.body.filter(({ field }) => exampleValue(field, api) !== undefined);
  const body = Object.fromEntries(fields.map(({ name, field }) => [name, exampleValue(field, api)]));
  const compared = fields.filter(({ field }) => !field.isHidden && !field.traits.ignored);
  const record: Row = Object.fromEntries(
    compared.map((entry) => [entry.responseName, responseValue(entry, body[entry.name])]),
  );
  const call: Call = { operation: create, body };
  const write = (change: Row) => {
    const { session, requests } = answering({ id: 'new', ...record, ...change }, undefined, {
      unchecked: true,
    });
    return { requests, result: session.write(call) };
  };

  test('the sent values: the record is created with one request', async () => {
    const { result, requests } = write({});
    await result;
    expect(requests).toHaveLength(1);
  });

  test.each(compared.map((entry) => [entry.name, entry] as const))(
    'another value of %s: the outcome is unknown, and nothing is sent again',
    async (name, entry) => {
      const changed = responseValue(entry, otherValue(entry.field, body[name]));
      const { result, requests } = write({ [entry.responseName]: changed });
      const failure = await failureOf(result);
      expect(failure).toMatchObject({
        category: 'unavailable',
        details: { outcome: 'unknown', unexpectedResponse: {} },
      });
      expect(failure.message).toContain(`${name} `);
      expect(requests.filter(({ method }) => method !== 'GET')).toHaveLength(1);
    },
  );

  test('other spellings of the sent values: the record is created', async () => {
    for (const entry of compared)
      for (const spelling of otherSpellings(entry.field, body[entry.name]))
        await write({ [entry.responseName]: responseValue(entry, spelling) }).result;
  });
});

describe('a creation', () => {
  const create: Call = {
    operation: operationOf('suppliers', 'create'),
    ids: [],
    body: { name: 'Farms', phone: '555000111', contact_name: '' },
  };

  test.each([
    { id: '7' },
    { id: '7', name: 'Farms', contact_name: null },
    { id: '7', name: 'Farms', shoe_size: 43 },
  ])('a response with %j: is done', async (record) => void (await answering(record).session.write(create)));

  test('a response with a record of another account: names the fields, and both ways to check', async () => {
    const { session } = answering({ id: '7', name: 'Other', phone: '9' }, undefined);
    const { message, details } = await failureOf(session.write(create));
    expect(message).toBe(
      'The service returned the supplier 7 with other values than were sent: name "Other" instead of "Farms", phone "9" instead of "555000111". ' +
        'The outcome of `suppliers create` is unknown. It was not retried.',
    );
    expect(details.hint).toEqual(hintContaining('suppliers list --name Farms'));
    expect(details.hint).toEqual(hintContaining('suppliers get 7'));
  });

  test('a response with the default of a relation that was not loaded: the record is read once', async () => {
    const withTags: Call = { ...create, body: { name: 'Farms', tags: ['t'] } };
    const { session, requests } = answering(
      { id: '7', name: 'Farms', tags: [] },
      { id: '7', name: 'Farms', tags: [{ id: 't' }] },
      { unchecked: true },
    );
    const { recordResponse } = (await session.write(withTags)) as { recordResponse: { record: Row } };
    expect(recordResponse.record.tags).toEqual([{ id: 't' }]);
    expect(linesOf(requests)).toEqual(['POST /suppliers', 'GET /suppliers/7?include=tags']);
  });

  test('a decimal number: may be rounded, but not changed', async () => {
    const item = (cost: number) => ({
      operation: operationOf('inventory_items', 'create'),
      body: { name: 'Salt', sku: 'S', storage_unit: 'kg', ingredient_unit: 'g', cost },
    });
    const write = (sent: number, returned: unknown) =>
      answering({ id: '7', cost: returned }, undefined, { unchecked: true }).session.write(item(sent));
    await write(1.23456, 1.23);
    await write(1.23456, '1.2346');
    await write(1.106, 1.1);
    await failureOf(write(1.2, 1.21));
    await failureOf(write(1.23456, 1.25));
    await failureOf(write(1.23, 0));
  });

  test('a secret: is neither compared nor shown', async () => {
    const user: Call = {
      operation: operationOf('users', 'create'),
      body: { name: 'Yara', email: 'y@example.com', pin: '48213', password: 'sekret-99' },
    };
    const { session } = answering({ id: '7', name: 'Other', pin: '11111' }, undefined, { unchecked: true });
    const { message } = await failureOf(session.write(user));
    expect(message).toContain('name "Other" instead of "Yara"');
    expect(message).not.toMatch(/48213|11111|sekret/);
  });
});

describe('an update', () => {
  const update: Call = {
    operation: operationOf('suppliers', 'update'),
    ids: ['42'],
    body: { phone: '2', contact_name: null },
  };

  test('a response with the old value: the outcome is unknown', async () => {
    const old = { id: '42', name: 'Farms', phone: '1', contact_name: 'Yusuf' };
    const { session, requests } = answering(old, old, { unchecked: true });
    const failure = await failureOf(session.write(update));
    expect(failure.message).toContain('contact_name "Yusuf" instead of null, phone "1" instead of "2"');
    expect(failure.details.hint).toEqual(hintContaining('suppliers get 42'));
    expect(linesOf(requests)).toEqual(['PUT /suppliers/42', 'GET /suppliers/42']);
  });

  test('a response with the old value, and a record with the new one: is done', async () => {
    const { session } = answering(
      { id: '42', phone: '1', contact_name: 'Yusuf' },
      { id: '42', phone: '2', contact_name: null },
      { unchecked: true },
    );
    await session.write(update);
  });

  test('other fields than the sent ones: are not compared if the whole record is sent', async () => {
    const replacing = { ...settings, wire: { ...settings.wire, put: 'replace' as const } };
    const read = {
      ...Object.fromEntries(update.operation.body.map(({ responseName }) => [responseName, null])),
    };
    const { session, requests } = answering(
      { id: '42', name: 'Farms (changed by a rule)', phone: '2', contact_name: null },
      { ...read, id: '42', name: 'Farms' },
      { settings: replacing, unchecked: true },
    );
    await session.write(update);
    expect(requests.at(-1)?.body).toMatchObject({ name: 'Farms', phone: '2' });
  });
});

describe('a link', () => {
  const link: Call = {
    operation: operationOf('inventory_items', 'link-ingredient'),
    ids: ['42', '7'],
    body: { quantity: 2 },
  };

  test.each<[string, Row, boolean]>([
    ['without links', { id: '42' }, true],
    ['with the link', { id: '42', ingredients: [{ id: '7', pivot: { quantity: '2.0' } }] }, true],
    ['with the link without its numbers', { id: '42', ingredients: [{ id: '7' }] }, true],
    ['with other links', { id: '42', ingredients: [{ id: '8', pivot: { quantity: 2 } }] }, false],
    ['with another number', { id: '42', ingredients: [{ id: '7', pivot: { quantity: 3 } }] }, false],
  ])('a response %s: is done: %s', async (_, record, isDone) => {
    const work = answering(record).session.write(link);
    if (isDone) await work;
    else expect((await failureOf(work)).details.outcome).toBe('unknown');
  });
});

const actions = api.collections
  .flatMap((resource) => operations(resource))
  .filter(({ effect }) => effect === 'act');

describe('redeeming', () => {
  test('is the only action of the contract', () => {
    expect(actions.map(({ command }) => command)).toEqual(['loyalty-rewards redeem']);
  });

  const redeem: Call = {
    operation: operationOf('loyalty_rewards', 'redeem'),
    ids: ['42'],
    body: { order_id: 'o-1' },
  };
  const reward = (order: object) => ({ id: '42', code: 'X', ...order });

  test.each([{ order: { id: 'o-1' } }, { order_id: 'o-1' }])('a response with %j: is done', async (order) => {
    const { session, requests } = answering(reward(order));
    await session.write(redeem);
    expect(requests).toHaveLength(1);
  });

  test('a response without the order: the record is read once with it', async () => {
    const { session, requests } = answering(reward({}), reward({ order: { id: 'o-1' } }));
    await session.write(redeem);
    expect(linesOf(requests)).toEqual([
      'GET /loyalty_rewards/42?order_id=o-1',
      'GET /loyalty_rewards/42?include=order',
    ]);
  });

  test('a service that redeems by PUT: the reward was not redeemed, and the setting is named', async () => {
    for (const given of [{}, { order: null }]) {
      const { session } = answering(reward(given), reward({ order: null }));
      const failure = await failureOf(session.write(redeem));
      expect(failure.message).toBe(
        'The loyalty reward 42 was not redeemed: the service returned a success, but the record has order_id null instead of "o-1".',
      );
      expect(failure).toMatchObject({ category: 'refused', details: { outcome: 'not_sent' } });
      expect(failure.details.hint).toEqual(hintContaining('config set wire.redeem_method PUT'));
    }
  });

  test('a reward of another order: the setting is not named', async () => {
    const failure = await failureOf(answering(reward({ order: { id: 'o-2' } })).session.write(redeem));
    expect(failure.message).toContain('order_id "o-2" instead of "o-1"');
    expect(failure.details.hint).toBeUndefined();
  });

  test.each<[string, Row, Row | undefined]>([
    ['neither the response nor the record shows the order', reward({}), reward({})],
    ['the record can not be read', reward({}), undefined],
    ['the response shows no order, and the record can not be read', reward({ order: null }), undefined],
  ])('%s: the outcome is unknown', async (_, written, read) => {
    const { session, requests } = openTestSession(({ target }) =>
      target.includes('order_id=') ? { data: written } : read ? { data: read } : { status: 403, body: '{}' },
    );
    const failure = await failureOf(session.write(redeem));
    expect(failure).toMatchObject({ category: 'unavailable', details: { outcome: 'unknown' } });
    expect(failure.message).toContain('loyalty reward 42 with');
    expect(failure.details.hint).toEqual(hintContaining('wire.redeem_method PUT'));
    expect(linesOf(requests).filter((line) => line.includes('order_id='))).toHaveLength(1);
  });

  test('with PUT: is verified as well, without the setting', async () => {
    const withPut = { ...settings, wire: { ...settings.wire, redeemMethod: 'PUT' as const } };
    const { session } = openTestSession(() => ({ data: reward({ order: null }) }), { settings: withPut });
    const failure = await failureOf(session.write(redeem));
    expect([failure.details.outcome, failure.details.hint]).toEqual(['not_sent', undefined]);
  });
});
