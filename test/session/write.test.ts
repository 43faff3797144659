import { describe, expect, test } from 'vitest';
import { Failure } from '../../src/base/errors.ts';
import type { Call } from '../../src/client/request.ts';
import type { OutgoingWrite, WriteOutcome } from '../../src/session/observed-writes.ts';
import { operationOf } from '../client/operations.ts';
import { hinted } from '../harness/hint.ts';
import { type Asked, sessionOver, settings } from './open.ts';

const supplier: Call = { operation: operationOf('suppliers', 'create'), body: { name: 'Fresh Farms' } };
const count: Call = {
  operation: operationOf('inventory_counts', 'create'),
  body: { items: [{ id: '@SKU-1', quantity: 2 }], branch_id: 'b', status: 1 },
};

/** Knows one item and who is signed in, and takes whatever is written. */
function service({ method, target, body }: Asked): object {
  if (target === '/whoami') return { data: { user: { id: 'user-1' } } };
  if (method === 'GET') return { data: [{ id: 'item-1', sku: 'SKU-1' }], links: { next: null } };
  return { data: { id: 'new', ...(body as object) } };
}

const requests = (asked: readonly Asked[]) => asked.map(({ method, target }) => `${method} ${target}`);

test('a write is checked, approved, resolved, completed and sent, in this order', async () => {
  const steps: string[] = [];
  const { session, asked } = sessionOver(
    (one) => {
      steps.push(`${one.method} ${one.target}`);
      return service(one);
    },
    {
      approve: async () => void steps.push('approved'),
      observers: [
        { beforeBatch: () => void steps.push('before'), afterSend: () => void steps.push('after') },
      ],
    },
  );
  const written = await session.write(count);
  expect(steps).toEqual([
    'approved',
    'GET /inventory_items?filter[sku]=SKU-1',
    'GET /whoami',
    'before',
    'POST /inventory_counts',
    'after',
  ]);
  expect(Object.entries(asked.at(-1)?.body ?? {})).toEqual([
    ['status', 1],
    ['items', [{ id: 'item-1', quantity: 2 }]],
    ['branch_id', 'b'],
    ['creator_id', 'user-1'],
  ]);
  expect(written).toMatchObject({ recordResponse: { record: { id: 'new' } } });
});

test('approval is requested once for any number of writes', async () => {
  let asked = 0;
  const { session } = sessionOver(service, { approve: async () => void asked++ });
  await session.write(supplier);
  await session.write(supplier);
  expect(asked).toBe(1);
});

test("a given creator is kept, and the account isn't requested", async () => {
  const { session, asked } = sessionOver(service);
  await session.write({ ...count, body: { ...count.body, creator_id: 'user-9' } });
  expect(requests(asked)).not.toContain('GET /whoami');
  expect(asked.at(-1)?.body).toMatchObject({ creator_id: 'user-9' });
});

test('unknown fields are sent unchanged without the checks', async () => {
  const { session, asked } = sessionOver(service, { unchecked: true });
  await session.write({ ...count, body: { ...count.body, shoe_size: 43 } });
  expect(asked.at(-1)?.body).toMatchObject({ shoe_size: 43, creator_id: 'user-1' });
});

describe('nothing is sent', () => {
  test('if the input is invalid: all violations are reported, without a service', async () => {
    const { session } = sessionOver(service, { embedded: undefined });
    await expect(session.write({ ...supplier, body: { email: 7, shoe_size: 43 } })).rejects.toMatchObject({
      category: 'usage',
      details: {
        fields: { name: expect.anything(), email: expect.anything(), shoe_size: expect.anything() },
      },
    });
  });

  test('if an update contains nothing', async () => {
    const { session } = sessionOver(service);
    const nothing = session.write({ operation: operationOf('suppliers', 'update'), ids: ['1'], body: {} });
    await expect(nothing).rejects.toMatchObject({ details: { fields: { _: ['give at least one field'] } } });
  });

  test('in a dry run, except to resolve names; offline not even then', async () => {
    const dry = sessionOver(service, { dryRun: true });
    const { planned } = await dry.session.write(count);
    expect(planned).toMatchObject({
      method: 'POST',
      target: '/inventory_counts',
      body: expect.stringMatching(/"id":"item-1".*\(the signed-in user\)/),
    });
    expect(planned?.headers).not.toHaveProperty('authorization');
    expect(requests(dry.asked)).toEqual(['GET /inventory_items?filter[sku]=SKU-1']);

    const offline = sessionOver(service, { dryRun: true, offline: true });
    expect((await offline.session.write(count)).planned?.body).toContain('@SKU-1');
    expect(offline.asked).toEqual([]);
  });

  test('if the user declines, or an observer stops it', async () => {
    const stop = new Failure('usage', 'Not here.');
    for (const options of [
      { approve: () => Promise.reject(stop) },
      { observers: [{ beforeBatch: () => Promise.reject(stop) }] },
    ]) {
      const { session, asked } = sessionOver(service, options);
      await expect(session.write(supplier)).rejects.toBe(stop);
      expect(asked).toEqual([]);
    }
  });

  test('to a protected profile if no user can be asked', async () => {
    const protection = { profile: 'live', businessName: 'Fresh Farms' };
    const { session, asked } = sessionOver(service, { settings: { ...settings, protection } });
    await expect(session.write(supplier)).rejects.toMatchObject({
      category: 'usage',
      message: expect.stringContaining('Profile live is protected'),
    });
    expect(asked).toEqual([]);
  });
});

describe('observers are notified of every write', () => {
  function observed(answer: (asked: Asked) => object) {
    const heard: { write: OutgoingWrite; outcome: WriteOutcome }[] = [];
    const observers = [
      { afterSend: (write: OutgoingWrite, outcome: WriteOutcome) => void heard.push({ write, outcome }) },
    ];
    return { ...sessionOver(answer, { observers }), heard };
  }

  test('that succeeds, with its ids, its body and the returned record', async () => {
    const { session, heard } = observed(service);
    await session.write(supplier);
    expect(heard).toMatchObject([
      {
        write: { request: { method: 'POST', target: '/suppliers', body: '{"name":"Fresh Farms"}' } },
        outcome: { done: true, recordResponse: { record: { id: 'new' } } },
      },
    ]);
    expect(JSON.stringify(heard[0]?.write.request)).not.toContain('owner-token');
  });

  test('that is refused, and that has an unknown outcome', async () => {
    const refused = observed(() => ({ status: 422, body: '{"errors":{"name":["No."]}}' }));
    await expect(refused.session.write(supplier)).rejects.toMatchObject({ category: 'refused' });
    expect(refused.heard).toMatchObject([
      { outcome: { done: false, failure: { details: { outcome: 'not_sent' } } } },
    ]);
    const unknown = observed(() => ({ status: 502, body: '' }));
    await expect(unknown.session.write(supplier)).rejects.toMatchObject({
      message: expect.stringContaining('is unknown. It was not retried'),
      details: { outcome: 'unknown', hint: hinted('boh suppliers list --name "Fresh Farms"') },
    });
    expect(unknown.heard).toMatchObject([
      { outcome: { done: false, failure: { details: { outcome: 'unknown' } } } },
    ]);
    expect(unknown.asked).toHaveLength(1);
  });

  test('of a raw request too, also outside the contract', async () => {
    const { session, heard } = observed(service);
    await session.raw({ method: 'PUT', target: '/suppliers/4%2F2', body: '{"name":"N"}' });
    await session.raw({ method: 'GET', target: '/loyalty_rewards/7?order_id=9' });
    await session.raw({ method: 'PATCH', target: '/unheard/of', body: '{}' });
    await session.raw({ method: 'GET', target: '/suppliers/42' });
    expect(
      heard.map(({ write: { call, request } }) => [call?.operation.command, call?.ids, request.method]),
    ).toEqual([
      ['suppliers update', ['4/2'], 'PUT'],
      ['loyalty-rewards redeem', ['7'], 'GET'],
      [undefined, undefined, 'PATCH'],
    ]);
  });
});
