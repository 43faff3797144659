import { describe, expect, test } from 'vitest';
import type { Call } from '../../src/account/client/request.ts';
import type { OutgoingWrite, WriteOutcome } from '../../src/account/session/observed-writes.ts';
import { Failure } from '../../src/base/errors.ts';
import { operationOf } from '../client/operations.ts';
import { hintContaining } from '../harness/hint.ts';
import { openTestSession, type RecordedRequest, settings } from './test-session.ts';

const createSupplier: Call = { operation: operationOf('suppliers', 'create'), body: { name: 'Fresh Farms' } };
const createCount: Call = {
  operation: operationOf('inventory_counts', 'create'),
  body: { items: [{ id: '@SKU-1', quantity: 2 }], branch_id: 'b', status: 1 },
};

/** Responds like a service with one item and one user that accepts every write. */
function respond({ method, target, body }: RecordedRequest): object {
  if (target === '/whoami') return { data: { user: { id: 'user-1' } } };
  if (method === 'GET') return { data: [{ id: 'item-1', sku: 'SKU-1' }], links: { next: null } };
  return { data: { id: 'new', ...(body as object) } };
}

const linesOf = (requests: readonly RecordedRequest[]) =>
  requests.map(({ method, target }) => `${method} ${target}`);

test('write: approves, resolves names, adds the user and sends, in this order', async () => {
  const steps: string[] = [];
  const { session, requests } = openTestSession(
    (request) => {
      steps.push(`${request.method} ${request.target}`);
      return respond(request);
    },
    {
      approve: async () => void steps.push('approved'),
      observers: [
        { beforeWrite: () => void steps.push('beforeWrite'), afterSend: () => void steps.push('afterSend') },
      ],
    },
  );
  const result = await session.write(createCount);
  expect(steps).toEqual([
    'approved',
    'GET /inventory_items?filter[sku]=SKU-1',
    'GET /whoami',
    'beforeWrite',
    'POST /inventory_counts',
    'afterSend',
  ]);
  expect(Object.entries(requests.at(-1)?.body ?? {})).toEqual([
    ['status', 1],
    ['items', [{ id: 'item-1', quantity: 2 }]],
    ['branch_id', 'b'],
    ['creator_id', 'user-1'],
  ]);
  expect(result).toMatchObject({ recordResponse: { record: { id: 'new' } } });
});

test('approve: is called once for several writes', async () => {
  let approvalCount = 0;
  const { session } = openTestSession(respond, { approve: async () => void approvalCount++ });
  await session.write(createSupplier);
  await session.write(createSupplier);
  expect(approvalCount).toBe(1);
});

test('write with a creator: keeps it and does not request the account', async () => {
  const { session, requests } = openTestSession(respond);
  await session.write({ ...createCount, body: { ...createCount.body, creator_id: 'user-9' } });
  expect(linesOf(requests)).not.toContain('GET /whoami');
  expect(requests.at(-1)?.body).toMatchObject({ creator_id: 'user-9' });
});

test('unchecked: sends unknown fields', async () => {
  const { session, requests } = openTestSession(respond, { unchecked: true });
  await session.write({ ...createCount, body: { ...createCount.body, shoe_size: 43 } });
  expect(requests.at(-1)?.body).toMatchObject({ shoe_size: 43, creator_id: 'user-1' });
});

describe('write: sends nothing', () => {
  test('if the body is invalid, and reports all violations without connecting', async () => {
    const { session } = openTestSession(respond, { embedded: undefined });
    await expect(
      session.write({ ...createSupplier, body: { email: 7, shoe_size: 43 } }),
    ).rejects.toMatchObject({
      category: 'usage',
      details: {
        fields: { name: expect.anything(), email: expect.anything(), shoe_size: expect.anything() },
      },
    });
  });

  test('if the body of an update is empty', async () => {
    const { session } = openTestSession(respond);
    const write = session.write({ operation: operationOf('suppliers', 'update'), ids: ['1'], body: {} });
    await expect(write).rejects.toMatchObject({
      details: { fields: { _: ['Specify at least one field.'] } },
    });
  });

  test('in a dry run, except the requests that resolve names; offline not even these', async () => {
    const dryRun = openTestSession(respond, { dryRun: true });
    const { planned } = await dryRun.session.write(createCount);
    expect(planned).toMatchObject({
      method: 'POST',
      target: '/inventory_counts',
      body: expect.stringMatching(/"id":"item-1".*\(the signed-in user\)/),
    });
    expect(planned?.headers).not.toHaveProperty('authorization');
    expect(linesOf(dryRun.requests)).toEqual(['GET /inventory_items?filter[sku]=SKU-1']);

    const offline = openTestSession(respond, { dryRun: true, offline: true });
    expect((await offline.session.write(createCount)).planned?.body).toContain('@SKU-1');
    expect(offline.requests).toEqual([]);
  });

  test('if approve or beforeWrite throws', async () => {
    const failure = new Failure('usage', 'Stopped.');
    for (const options of [
      { approve: () => Promise.reject(failure) },
      { observers: [{ beforeWrite: () => Promise.reject(failure) }] },
    ]) {
      const { session, requests } = openTestSession(respond, options);
      await expect(session.write(createSupplier)).rejects.toBe(failure);
      expect(requests).toEqual([]);
    }
  });

  test('if the profile is protected and there is no approve function', async () => {
    const protection = { profile: 'live', businessName: 'Fresh Farms' };
    const { session, requests } = openTestSession(respond, { settings: { ...settings, protection } });
    await expect(session.write(createSupplier)).rejects.toMatchObject({
      category: 'usage',
      message: expect.stringContaining('Profile live is protected'),
    });
    expect(requests).toEqual([]);
  });
});

describe('observers of writes', () => {
  function openObserved(respond: (request: RecordedRequest) => object) {
    const reports: { write: OutgoingWrite; outcome: WriteOutcome }[] = [];
    const observers = [
      { afterSend: (write: OutgoingWrite, outcome: WriteOutcome) => void reports.push({ write, outcome }) },
    ];
    return { ...openTestSession(respond, { observers }), reports };
  }

  test('a successful write: observers receive its request and the returned record, but not the token', async () => {
    const { session, reports } = openObserved(respond);
    await session.write(createSupplier);
    expect(reports).toMatchObject([
      {
        write: { request: { method: 'POST', target: '/suppliers', body: '{"name":"Fresh Farms"}' } },
        outcome: { done: true, recordResponse: { record: { id: 'new' } } },
      },
    ]);
    expect(JSON.stringify(reports[0]?.write.request)).not.toContain('owner-token');
  });

  test('a refused write and a write with an unknown outcome: observers receive the failures', async () => {
    const refusedCase = openObserved(() => ({ status: 422, body: '{"errors":{"name":["No."]}}' }));
    await expect(refusedCase.session.write(createSupplier)).rejects.toMatchObject({ category: 'refused' });
    expect(refusedCase.reports).toMatchObject([
      { outcome: { done: false, failure: { details: { outcome: 'not_sent' } } } },
    ]);
    const unknownCase = openObserved(() => ({ status: 502, body: '' }));
    await expect(unknownCase.session.write(createSupplier)).rejects.toMatchObject({
      message: expect.stringContaining('is unknown. It was not retried'),
      details: { outcome: 'unknown', hint: hintContaining('boh suppliers list --name "Fresh Farms"') },
    });
    expect(unknownCase.reports).toMatchObject([
      { outcome: { done: false, failure: { details: { outcome: 'unknown' } } } },
    ]);
    expect(unknownCase.requests).toHaveLength(1);
  });

  test('raw writes: are reported, also outside the API document; reads are not', async () => {
    const { session, reports } = openObserved(respond);
    await session.raw({ method: 'PUT', target: '/suppliers/4%2F2', body: '{"name":"N"}' });
    await session.raw({ method: 'GET', target: '/loyalty_rewards/7?order_id=9' });
    await session.raw({ method: 'PATCH', target: '/not/documented', body: '{}' });
    await session.raw({ method: 'GET', target: '/suppliers/42' });
    expect(
      reports.map(({ write: { call, request } }) => [call?.operation.command, call?.ids, request.method]),
    ).toEqual([
      ['suppliers update', ['4/2'], 'PUT'],
      ['loyalty-rewards redeem', ['7'], 'GET'],
      [undefined, undefined, 'PATCH'],
    ]);
  });
});
