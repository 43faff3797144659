/** Tests responses to a write that are not its record: the outcome is unknown, and the write is not sent again. */
import { describe, expect, test } from 'vitest';
import type { Call } from '../../src/account/client/request.ts';
import { embeddedTransport } from '../../src/account/client/transport.ts';
import { operationOf } from './operations.ts';
import { failureOf } from './rejection.ts';
import { createTestClient } from './test-client.ts';

const create: Call = { operation: operationOf('suppliers', 'create'), body: { name: 'Farms' } };
const update: Call = { operation: operationOf('suppliers', 'update'), ids: ['42'], body: { name: 'Farms' } };
const remove: Call = { operation: operationOf('suppliers', 'delete'), ids: ['42'] };
const restore: Call = { operation: operationOf('suppliers', 'restore'), ids: ['42'] };
const link: Call = {
  operation: operationOf('inventory_items', 'link-ingredient'),
  ids: ['42', '7'],
  body: { quantity: 2 },
};
const unlink: Call = { operation: operationOf('inventory_items', 'unlink-ingredient'), ids: ['42', '7'] };
const redeem: Call = {
  operation: operationOf('loyalty_rewards', 'redeem'),
  ids: ['42'],
  body: { order_id: 'o' },
};
const calls = { create, update, remove, restore, link, unlink, redeem };
type Name = keyof typeof calls;
const withRecord: Name[] = ['create', 'update', 'link', 'redeem'];
const withoutRecord: Name[] = ['remove', 'restore', 'unlink'];

function service(status: number, body: unknown, headers: Record<string, string> = {}) {
  const requests: string[] = [];
  const transport = embeddedTransport(({ method, target }) => {
    requests.push(`${method} ${target}`);
    return { status, headers, body: typeof body === 'string' ? body : JSON.stringify(body) };
  });
  return { asked: requests, client: createTestClient(transport) };
}

describe('a response of 202', () => {
  const bodies: [string, unknown][] = [
    ['a job', { data: { job_id: 'j-1' } }],
    ['an empty body', ''],
    ['the record', { data: { id: '42', name: 'Farms' } }],
    ['text', 'Queued.'],
  ];
  for (const [what, body] of bodies)
    test.each([...withRecord, ...withoutRecord])(
      `with ${what}: the outcome of %s is unknown`,
      async (name) => {
        const { client, asked: requests } = service(202, body, { location: '/suppliers/42' });
        const failure = await failureOf(client.write(calls[name]));
        expect(failure).toMatchObject({
          category: 'unavailable',
          details: { status: 202, unexpectedResponse: {} },
        });
        expect(failure.message).toMatch(/^The service accepted the request \(202\)/);
        expect(requests).toHaveLength(1);
      },
    );

  test('is quoted on one line, shortened and without secrets', async () => {
    const user: Call = { operation: operationOf('users', 'create'), body: { name: 'Y', lang: 'en' } };
    const body = { job_id: 'j-1', user: { pin: '98765' }, note: 'x'.repeat(500) };
    const { message } = await failureOf(service(202, body).client.write(user));
    expect(message).toContain('{"job_id":"j-1"');
    expect(message).not.toContain('98765');
    expect(message.length).toBeLessThan(260);
    const { message: queuedMessage } = await failureOf(service(202, 'In the\nqueue').client.write(create));
    expect(queuedMessage).toContain('(In the queue)');
  });
});

describe('a success without the record', () => {
  test.each<[unknown, string]>([
    [{}, 'JSON that contains no record: {}'],
    [{ data: [] }, 'JSON that contains no record: {"data":[]}'],
    [{ data: null }, 'JSON that contains no record: {"data":null}'],
    [{ data: [{ id: '42' }] }, 'JSON that contains no record: {"data":[{"id":"42"}]}'],
    [{ job_id: 'j-1' }, 'JSON that contains no record: {"job_id":"j-1"}'],
    [{ data: {} }, 'something other than the supplier: {}'],
    [{ data: { name: 'Farms' } }, 'something other than the supplier: {"name":"Farms"}'],
    [{ data: { id: null, name: 'Farms' } }, 'something other than the supplier: {"id":null,"name":"Farms"}'],
    [{ data: { id: '', name: 'Farms' } }, 'something other than the supplier: {"id":"","name":"Farms"}'],
    [{ data: { job_id: 'j-1' } }, 'something other than the supplier: {"job_id":"j-1"}'],
    [
      { data: { id: 'j-1', state: 'queued' } },
      'something other than the supplier: {"id":"j-1","state":"queued"}',
    ],
  ])('%j', async (body, what) => {
    for (const [call, status] of [
      [create, 201],
      [create, 200],
      [update, 200],
    ] as const) {
      const failure = await failureOf(service(status, body).client.write(call));
      expect(failure).toMatchObject({
        category: 'unavailable',
        message: `The service returned ${what} (status ${status}).`,
        details: { unexpectedResponse: {} },
      });
    }
  });

  test.each(withRecord.filter((name) => name !== 'create'))('%s: the record of another ID', async (name) => {
    const failure = await failureOf(
      service(200, { data: { id: '41', created_at: null } }).client.write(calls[name]),
    );
    expect(failure.message).toContain('the record 41 instead of the');
    expect(failure.message).toMatch(/ 42 \(status \d+\)\.$/);
    expect(failure.details.unexpectedResponse).toEqual({});
  });

  test.each(withoutRecord)('%s: a record of another id', async (name) => {
    const failure = await failureOf(
      service(200, { data: { id: '41', created_at: null } }).client.write(calls[name]),
    );
    expect(failure.message).toContain('the record 41 instead of the');
  });
});

test.each<[Name, object, string]>([
  ['remove', { deleted_at: null }, 'the supplier 42 as not deleted'],
  ['restore', { deleted_at: '2026-11-20 12:00:00' }, 'the supplier 42 as still deleted'],
  ['unlink', { ingredients: [{ id: '7' }] }, 'the inventory item 42 as still linked'],
])('%s: a record that shows no effect (%j) is unexpected', async (name, fields, what) => {
  const failure = await failureOf(
    service(200, { data: { id: '42', name: 'Farms', ...fields } }).client.write(calls[name]),
  );
  expect(failure).toMatchObject({ category: 'unavailable', details: { unexpectedResponse: {} } });
  expect(failure.message).toContain(what);
});

describe('a documented answer', () => {
  test.each<[Name, number, unknown]>([
    ['create', 200, { data: { id: '7' } }],
    ['create', 201, { data: { id: 7, name: 'Farms' } }],
    ['create', 201, { data: { id: '7', name: 'Farms', shoe_size: 43 } }],
    ['update', 200, { data: { id: '42', name: 'Farms' } }],
    ['update', 200, { data: { id: 42, name: 'Farms' } }],
    ['remove', 204, ''],
    ['remove', 200, {}],
    ['remove', 200, { message: 'Deleted.' }],
    ['remove', 200, { data: { id: '42', deleted_at: '2026-11-20 12:00:00' } }],
    ['restore', 200, ''],
    ['restore', 200, { data: [] }],
    ['restore', 200, { data: { id: '42', deleted_at: null } }],
    ['unlink', 200, { data: { id: '42', name: 'Dough' } }],
    ['unlink', 200, { data: { id: '42', ingredients: [{ id: '8' }] } }],
    ['unlink', 200, { data: { id: '7', name: 'Flour' } }],
    ['redeem', 200, { data: { id: '42', code: 'X' } }],
  ])('%s answered with %i %j', async (name, status, body) => {
    await service(status, body).client.write(calls[name]);
  });

  test('with any envelope', async () => {
    const transport = embeddedTransport(() => ({
      status: 200,
      headers: {},
      body: '{"id":"42","name":"Farms"}',
    }));
    const client = createTestClient(transport, {
      wire: { filterStyle: 'bracket', redeemMethod: 'GET', envelope: 'none' },
    });
    expect(await client.write(update)).toMatchObject({ record: { id: '42' } });
    expect((await failureOf(client.write({ ...update, ids: ['43'] }))).message).toContain('the record 42');
  });
});

test('a record that is read after a write: must have the ID of the written record', async () => {
  const transport = embeddedTransport(({ method }) => ({
    status: 200,
    headers: {},
    body: method === 'GET' ? '{"data":{"id":"41","name":"Other"}}' : '',
  }));
  expect(await failureOf(createTestClient(transport).write(update))).toMatchObject({
    category: 'unreported',
    message: expect.stringContaining(
      'The supplier was updated (42), but it could not be read back: The service returned the record 41 instead of the supplier 42',
    ),
    details: { outcome: 'done' },
  });
});
