import { describe, expect, test } from 'vitest';
import { type RequestInfo, refusal } from '../../src/account/client/refusal.ts';
import { failureRecord } from '../../src/base/errors.ts';
import { fc } from '../harness/fast-check.ts';
import { hintContaining } from '../harness/hint.ts';
import { operationOf } from './operations.ts';

const request: RequestInfo = {
  method: 'PUT',
  path: '/suppliers/42',
  subject: 'supplier 42',
  operation: operationOf('suppliers', 'update'),
};

const response = (status: number, body: unknown = '', headers: Record<string, string> = {}) => ({
  status,
  headers,
  body: typeof body === 'string' ? body : JSON.stringify(body),
});

const page = '<!DOCTYPE html><html><body>Sorry</body></html>';

describe('the category', () => {
  test.each([
    [301, 'unavailable'],
    [400, 'refused'],
    [401, 'not_signed_in'],
    [403, 'not_allowed'],
    [404, 'not_found'],
    [405, 'refused'],
    [407, 'unavailable'],
    [408, 'unavailable'],
    [409, 'refused'],
    [422, 'refused'],
    [429, 'rate_limited'],
    [500, 'unavailable'],
    [503, 'unavailable'],
    [599, 'unavailable'],
  ])('of a %i is %s, with a web page as with JSON', (status, category) => {
    for (const body of [{ message: 'No.' }, page, '', '{', 'null', '[]', '"x"']) {
      const failure = refusal(response(status, body), request);
      expect(failure).toMatchObject({
        category,
        details: { status, request: { method: 'PUT', path: '/suppliers/42' } },
      });
      expect(failure.message).not.toContain('html');
    }
  });
});

describe('the message', () => {
  test('of a request outside the contract names it as sent', () => {
    const rawRequest: RequestInfo = { method: 'GET', path: '/v5/x', subject: '/x' };
    expect(refusal(response(409), rawRequest).message).toBe('The service refused GET /x (409).');
    expect(refusal(response(403), rawRequest).message).toBe("The token isn't allowed to use GET /x.");
    expect(refusal(response(403, page), rawRequest).message).toContain(
      'blocked the request to use GET /x (403',
    );
  });

  test('of a 401 says how to sign in', () => {
    const { message, details } = refusal(response(401, { message: 'Unauthenticated.' }), request);
    expect(message).toBe('The service rejected the token: Unauthenticated.');
    expect(details.hint).toEqual(hintContaining('boh auth login'));
  });

  test('of a 403 names the missing scope', () => {
    expect(refusal(response(403, { message: 'This action is unauthorized.' }), request).message).toBe(
      "The token isn't allowed to update supplier 42: it needs the scope inventory.settings.write: This action is unauthorized.",
    );
  });

  test('of a 403 names all alternative scopes, and those of the sent fields', () => {
    const create = operationOf('payment_methods', 'create');
    expect(
      refusal(response(403), { ...request, subject: 'payment method', operation: create }).message,
    ).toContain('it needs the scope admin.write or orders.limited.pay');
    const update = operationOf('customers', 'update');
    const fields = ['name', 'house_account_limit'];
    expect(
      refusal(response(403), { ...request, subject: 'customer 7', operation: update, fields }).message,
    ).toBe(
      "The token isn't allowed to update customer 7: it needs the scope customers.write; house_account_limit needs customers.accounts.write.",
    );
  });

  test('of a 403 with a web page names no scope', () => {
    const { message, details } = refusal(response(403, page), request);
    expect(message).toContain('A proxy or firewall');
    expect(message).not.toContain('scope');
    expect(details.hint).toContain('an hour');
  });

  test('of a 404 names the record, and the command that lists others', () => {
    const { message, details } = refusal(response(404, { message: 'Not found.' }), request);
    expect(message).toBe('Supplier 42 not found.');
    expect(details.hint).toEqual(
      hintContaining(/^To list suppliers: boh suppliers list\. To find one by name, write @NAME\.$/),
    );
  });

  test('of a 404 for a restore: says that the record may not be deleted, and how to list deleted records', () => {
    const restore = { ...request, method: 'PUT' as const, operation: operationOf('suppliers', 'restore') };
    const { message, details } = refusal(response(404, { message: 'Not found.' }), restore);
    expect(message).toBe("Supplier 42 doesn't exist or isn't deleted.");
    expect(details.hint).toEqual(
      hintContaining(/^To list deleted suppliers: boh suppliers list --is-deleted$/),
    );
  });

  test('of a 404 for a whole list, or with a web page, names the URL', () => {
    const list = {
      method: 'GET',
      path: '/v4/suppliers?page=2',
      subject: 'suppliers',
      operation: operationOf('suppliers', 'list'),
    };
    for (const { message, details } of [refusal(response(404), list), refusal(response(404, page), list)]) {
      expect(message).toBe('The service has no suppliers at /v4/suppliers.');
      expect(details.hint).toEqual(hintContaining('api_prefix'));
    }
    expect(refusal(response(404, page), request).details.hint).toEqual(hintContaining('base_url'));
  });

  test('of a 404 outside the contract names the path', () => {
    expect(refusal(response(404), { method: 'GET', path: '/v5/x', subject: '/x' }).message).toBe(
      'Not found: /v5/x',
    );
  });

  test('of a 422 lists the messages of each field', () => {
    const errors = {
      name: ['The name field is required.'],
      'tags.0.id': 'Unknown.',
      code: [{ rule: 'unique' }, 7, null],
    };
    const failure = refusal(response(422, { message: 'The given data was invalid.', errors }), request);
    expect(failure.message).toBe(
      'The service refused to update supplier 42 (422): The given data was invalid.',
    );
    expect(failure.details.fields).toEqual({
      name: ['The name field is required.'],
      'tags.0.id': ['Unknown.'],
      code: ['{"rule":"unique"}', '7', 'null'],
    });
  });

  test.each([
    [{}, 'Try again in a few minutes.'],
    [{ 'retry-after': '90' }, 'Try again in 90 seconds.'],
    [{ 'retry-after': 'garbage' }, 'Try again in a few minutes.'],
    [{ 'retry-after': '0' }, 'Try again in a few minutes.'],
    [
      { 'retry-after': 'Fri, 20 Nov 2026 10:00:00 GMT', date: 'Fri, 20 Nov 2026 08:00:00 GMT' },
      'Try again in 2 hours.',
    ],
  ])('of a 429 or a 503 with %j says when to try again', (headers, hint) => {
    expect(refusal(response(429, '', headers), request).details.hint).toBe(hint);
    expect(refusal(response(503, page, headers), request).details.hint).toBe(hint);
  });

  test('of a 429 or a 503 has the seconds for programs, if the service sends them', () => {
    const seconds = (status: number, headers = {}) =>
      failureRecord(refusal(response(status, '', headers), request)).retry_after;
    expect(seconds(429, { 'retry-after': '90' })).toBe(90);
    expect(seconds(503, { 'retry-after': '1.2' })).toBe(2);
    expect(seconds(429)).toBeUndefined();
    expect(seconds(422, { 'retry-after': '90' })).toBeUndefined();
  });

  test('of a 429 with a very long wait says so', () => {
    expect(refusal(response(429, '', { 'retry-after': '1000000000' }), request).message).toBe(
      'Rate limit exceeded. The service allows requests again in 11575 days.',
    );
  });

  test.each([301, 302, 303, 307, 308])(
    'of a %i names the host of the redirect, and not its address',
    (status) => {
      const { message, details } = refusal(
        response(status, '', { location: 'https://evil.example:8443/x?token=1' }),
        request,
      );
      expect(message).toContain(`redirect (${status}) to evil.example:8443. boh doesn't follow redirects`);
      expect(message).not.toContain('token=1');
      expect(details.hint).toEqual(hintContaining('base_url'));
      expect(refusal(response(status, '', { location: '/elsewhere' }), request).message).toContain(
        `redirect (${status}). boh doesn't follow redirects`,
      );
    },
  );

  test("of a 304 doesn't mention redirects", () => {
    expect(refusal(response(304), request).message).toContain('unexpected status (304)');
  });

  test('of a link names both records', () => {
    const link = {
      ...request,
      subject: 'item 7 of supplier 42',
      operation: operationOf('suppliers', 'link-item'),
    };
    expect(refusal(response(409), link).message).toBe(
      'The service refused to link item 7 of supplier 42 (409).',
    );
  });
});

describe('a hostile body', () => {
  test('with fields named like members of JavaScript objects is reported like any other', () => {
    const body = '{"errors":{"__proto__":["a"],"constructor":["b"],"toString":[{"toString":1}]}}';
    expect(Object.entries(refusal(response(422, body), request).details.fields ?? {})).toEqual([
      ['__proto__', ['a']],
      ['constructor', ['b']],
      ['toString', ['{"toString":1}']],
    ]);
  });

  test('is shortened, and the message says so', () => {
    const messages = Array(30).fill('x'.repeat(600));
    const errors = Object.fromEntries(
      Array.from({ length: 200 }, (_, index) => [`field_${index}`, messages]),
    );
    const { message, details } = refusal(response(422, { message: 'm'.repeat(100_000), errors }), request);
    expect(message.length).toBeLessThan(1000);
    expect(Object.keys(details.fields ?? {})).toHaveLength(101);
    expect(details.fields?._).toEqual(['and 100 more']);
    expect(JSON.stringify(details.fields).length).toBeLessThan(1_500_000);
  });

  test('that is nested 100,000 deep is not parsed', () => {
    const body = `{"message":"m","errors":{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`;
    expect(refusal(response(422, body), request).details.fields).toBeUndefined();
  });

  test('of any shape is a failure, never a crash', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 300, max: 599 }),
        fc.json(),
        fc.dictionary(fc.string(), fc.string()),
        (status, body, headers) => {
          expect(refusal(response(status, body, headers), request).message).toMatch(/\S/);
        },
      ),
    );
  });
});
