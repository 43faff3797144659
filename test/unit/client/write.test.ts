import { describe, expect, test } from 'vitest';
import type { Client } from '../../../src/client/client.ts';
import type { Call } from '../../../src/client/request.ts';
import { TransportError } from '../../../src/client/transport.ts';
import { performWrite, type WriteOptions } from '../../../src/client/write.ts';
import { Failure } from '../../../src/errors.ts';
import { operationOf } from './operations.ts';

/** Writes down what is done, in order. */
function play(call: Call, given: Partial<WriteOptions> = {}, write: Client['write'] = async () => undefined) {
  const done: string[] = [];
  const sent: Call[] = [];
  const client = {
    requestFor: ({ body }: Call) => ({
      method: 'POST',
      target: '/x',
      headers: {},
      body: JSON.stringify(body),
    }),
    write: async (it: Call) => {
      done.push('write');
      sent.push(it);
      return write(it);
    },
  } as Client;
  const options: WriteOptions = {
    dryRun: false,
    unchecked: false,
    guards: [async () => void done.push('first guard'), async () => void done.push('second guard')],
    resolve: async (it) => {
      done.push('resolve');
      return it;
    },
    signedInUser: async () => {
      done.push('whoami');
      return 'user-1';
    },
    ...given,
  };
  const makeClient = async () => {
    done.push('client');
    return client;
  };
  return { done, sent, outcome: performWrite(makeClient, call, options) };
}

const supplier: Call = { operation: operationOf('suppliers', 'create'), body: { name: 'Fresh Farms' } };
const count: Call = {
  operation: operationOf('inventory_counts', 'create'),
  body: { items: [{ id: '1', quantity: 2 }], branch_id: 'b', status: 1 },
};

test('a write is checked, guarded, resolved, completed and sent, in this order', async () => {
  const { done, sent, outcome } = play(count);
  await outcome;
  expect(done).toEqual(['client', 'first guard', 'second guard', 'resolve', 'whoami', 'write']);
  expect(Object.entries(sent[0]?.body ?? {})).toEqual([
    ['status', 1],
    ['items', [{ id: '1', quantity: 2 }]],
    ['branch_id', 'b'],
    ['creator_id', 'user-1'],
  ]);
});

test('a creator that is given stays, and nobody is asked who is signed in', async () => {
  const { done, sent, outcome } = play({ ...count, body: { ...count.body, creator_id: 'user-9' } });
  await outcome;
  expect(done).not.toContain('whoami');
  expect(sent[0]?.body).toMatchObject({ creator_id: 'user-9' });
});

test('fields that the contract doesn’t know are sent as they are where the check is left out', async () => {
  const { sent, outcome } = play({ ...count, body: { ...count.body, shoe_size: 43 } }, { unchecked: true });
  await outcome;
  expect(sent[0]?.body).toMatchObject({ shoe_size: 43, creator_id: 'user-1' });
});

describe('nothing is sent', () => {
  test('when the input is wrong: every violation is told, and not even a client is needed', async () => {
    const { done, outcome } = play({ ...supplier, body: { email: 7, shoe_size: 43 } });
    await expect(outcome).rejects.toMatchObject({
      category: 'usage',
      details: {
        fields: { name: expect.anything(), email: expect.anything(), shoe_size: expect.anything() },
      },
    });
    expect(done).toEqual([]);
  });

  test('when an update holds nothing', async () => {
    const { outcome } = play({ operation: operationOf('suppliers', 'update'), ids: ['1'], body: {} });
    await expect(outcome).rejects.toMatchObject({ details: { fields: { _: ['give at least one field'] } } });
  });

  test('in a dry run, which asks nobody anything', async () => {
    const { done, outcome } = play(count, { dryRun: true });
    await expect(outcome).resolves.toMatchObject({
      planned: { target: '/x', body: expect.stringContaining('(the signed-in user)') },
    });
    expect(done).toEqual(['client']);
  });

  test('when a guard stops it', async () => {
    const stop = new Failure('usage', 'This profile is protected.');
    const { done, outcome } = play(supplier, { guards: [() => Promise.reject(stop)] });
    await expect(outcome).rejects.toBe(stop);
    expect(done).toEqual(['client']);
  });
});

test('a write that broke half-way says that its fate is unknown, and that it was not repeated', async () => {
  const { done, outcome } = play(supplier, {}, async () => {
    throw new Failure('unavailable', 'It broke.', {
      cause: new TransportError('It broke.', { mayHaveArrived: true }),
    });
  });
  await expect(outcome).rejects.toMatchObject({
    category: 'unavailable',
    message: expect.stringContaining('not known; it was not repeated'),
    details: { hint: "See whether it was: boh suppliers list --name 'Fresh Farms'" },
  });
  expect(done.filter((step) => step === 'write')).toHaveLength(1);
});
