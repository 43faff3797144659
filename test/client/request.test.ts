import { describe, expect, test } from 'vitest';
import { pathFor, requestFor } from '../../src/account/client/request.ts';
import { Failure } from '../../src/base/errors.ts';
import { fc } from '../harness/fast-check.ts';
import { operationOf } from './operations.ts';

const context = {
  apiPrefix: '/v5',
  wire: { filterStyle: 'bracket', redeemMethod: 'GET' },
  userAgent: 'boh/1.2.3',
  token: { reveal: () => 'the-token' },
} as const;

const failureOf = (act: () => unknown) => {
  try {
    act();
  } catch (error) {
    if (error instanceof Failure) return { category: error.category, message: error.message };
    throw error;
  }
  throw new Error('No failure was thrown.');
};

describe('a request', () => {
  test('has the Bearer token and the user agent', () => {
    const { headers } = requestFor({ operation: operationOf('suppliers', 'list') }, context);
    expect(headers).toEqual({
      accept: 'application/json',
      'user-agent': 'boh/1.2.3',
      authorization: 'Bearer the-token',
    });
  });

  test('without a token, as in a dry run: has no authorization header', () => {
    const { headers } = requestFor(
      { operation: operationOf('suppliers', 'list') },
      { ...context, token: undefined },
    );
    expect(headers).not.toHaveProperty('authorization');
  });

  test('has a path with the prefix and the encoded IDs', () => {
    const call = {
      operation: operationOf('suppliers', 'link-item'),
      ids: ['a+b', 'ق'],
      body: { order_unit: 'box' },
    };
    expect(requestFor(call, context)).toMatchObject({
      method: 'POST',
      target: '/v5/suppliers/a%2Bb/items/%D9%82',
      body: '{"order_unit":"box"}',
      headers: { 'content-type': 'application/json' },
    });
  });

  test('without a documented body: has none', () => {
    const request = requestFor({ operation: operationOf('suppliers', 'restore'), ids: ['1'] }, context);
    expect(request).toMatchObject({ method: 'PUT', target: '/v5/suppliers/1/restore', body: undefined });
    expect(request.headers).not.toHaveProperty('content-type');
  });

  test("to redeem a reward: is the documented GET, or the deployment's PUT", () => {
    const call = {
      operation: operationOf('loyalty_rewards', 'redeem'),
      ids: ['7'],
      body: { order_id: 'o/1' },
    };
    expect(requestFor(call, context)).toMatchObject({
      method: 'GET',
      target: '/v5/loyalty_rewards/7?order_id=o%2F1',
      body: undefined,
    });
    const put = { ...context, wire: { ...context.wire, redeemMethod: 'PUT' } } as const;
    expect(requestFor(call, put)).toMatchObject({
      method: 'PUT',
      target: '/v5/loyalty_rewards/7',
      body: '{"order_id":"o/1"}',
    });
  });

  test('with a body that is nested too deeply: is refused', () => {
    let deep: unknown = [];
    for (let level = 0; level < 100_000; level++) deep = [deep];
    const call = { operation: operationOf('suppliers', 'create'), body: { name: deep } };
    expect(failureOf(() => requestFor(call, context)).category).toBe('usage');
  });
});

describe('an ID', () => {
  const get = operationOf('suppliers', 'get');

  test.each([
    ['of 10 KB', 'x'.repeat(10_240), 'longer than 1024'],
    ['that is empty', '', 'is empty'],
  ])('%s: is refused as a usage failure', (_, id, reason) => {
    expect(failureOf(() => pathFor(get, [id]))).toEqual({
      category: 'usage',
      message: expect.stringContaining(reason),
    });
  });

  test.each([
    ...['../tags/1', '..', '.', '..;', '..;x', '/', 'a/b', 'a\\b', '..\\tags', '?x=1', 'a?', '#', 'a#b'],
    ...['%2f', 'a%2Fb', '..%2Ftags', '%5c', '%5C', '%252f', '%2e%2e', '%3f', '%23', '%00', '%0a'],
    ...[' ', 'a b', ' a', 'a ', 'a\tb', 'a\u00a0b', 'a\u2028b', '\u3000', '\ufeff'],
    ...['a\0b', 'a\u001b[2J', 'a\nb', '\u007f', '\u0085', 'a\u202eb', 'a\u200bb', '\ud800'],
  ])("%j: is refused, because a proxy could lead to another path, and isn't changed", (id) => {
    expect(failureOf(() => pathFor(get, [id]))).toEqual({
      category: 'usage',
      message: `${JSON.stringify(id)} isn't a valid ID.`,
    });
  });

  test.each([
    ['...', '...'],
    ['a..b', 'a..b'],
    ['100%', '100%25'],
    ['a;b:c@d+e', 'a%3Bb%3Ac%40d%2Be'],
    ['قهوة', '%D9%82%D9%87%D9%88%D8%A9'],
  ])('%s: is encoded as %s', (id, part) => {
    expect(pathFor(get, [id])).toBe(`/suppliers/${part}`);
  });

  test('that is missing: is refused', () => {
    expect(failureOf(() => pathFor(operationOf('suppliers', 'unlink-item'), ['1'])).message).toBe(
      'An ID is empty.',
    );
  });

  test('that contains a placeholder: is encoded', () => {
    const unlink = operationOf('suppliers', 'unlink-item');
    const [first, second] = unlink.params.map(({ name }) => `{${name}}`);
    expect(pathFor(unlink, [second ?? '', first ?? ''])).toBe(
      `/suppliers/${encodeURIComponent(second ?? '')}/items/${encodeURIComponent(first ?? '')}`,
    );
  });

  test('of any text: is refused as a usage failure or is one segment of the path', () => {
    const unlink = operationOf('suppliers', 'unlink-item');
    const id = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom(..."./\\%2eE?#{}$&`'") }),
    );
    fc.assert(
      fc.property(id, id, (supplier, item) => {
        let path: string;
        try {
          path = pathFor(unlink, [supplier, item]);
        } catch (error) {
          expect(error).toMatchObject({ category: 'usage' });
          return;
        }
        const parts = new URL(path, 'https://api.example').pathname.split('/');
        expect(parts).toEqual([
          '',
          'suppliers',
          encodeURIComponent(supplier),
          'items',
          encodeURIComponent(item),
        ]);
      }),
      { numRuns: 1000 },
    );
  });
});
