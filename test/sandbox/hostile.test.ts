/** Tests malicious requests: any bytes get a JSON response with a status below 500, and refused requests change nothing. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../src/api/contract/operation.ts';
import { api } from '../../src/api/resources/index.ts';
import { fc } from '../harness/fast-check.ts';
import { type Client, openClient, type TestResponse } from './client.ts';
import { existingId, pathOf } from './examples.ts';

let client: Client;
/** The IDs of example records by resource, found before a request renames a record. */
let idsByTarget: Map<string, string>;
beforeAll(async () => {
  client = await openClient();
  const targets = api.collections
    .flatMap(operations)
    .flatMap(({ params }) => params.map(({ target }) => target));
  idsByTarget = new Map([...new Set(targets)].map((target) => [target, existingId(client, target)]));
});
afterAll(() => client.sandbox.close());

const writes = api.collections
  .flatMap(operations)
  .filter(({ method, effect }) => method !== 'GET' && effect !== 'delete');
const contents = () => JSON.stringify(client.sandbox.status().records);

function expectRefused({ status, json }: TestResponse): void {
  expect(status).toBeGreaterThanOrEqual(400);
  expect(status).toBeLessThan(500);
  expect(json.message).toEqual(expect.any(String));
}

describe('bodies', () => {
  const bodies: [string, string | Uint8Array][] = [
    ['a truncated body', '{"name": "x'],
    ['an array', '[{"name":"x"}]'],
    ['a number', '5'],
    ['null', 'null'],
    ['a duplicate key', '{"name":"x","name":"y"}'],
    ['a duplicate key, once escaped', '{"name":"x","na\\u006de":"y"}'],
    ['a nested duplicate key', '{"tags":[{"id":"a","id":"b"}]}'],
    ['invalid UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d])],
    ['a prototype', '{"__proto__":{"name":"x"}}'],
    ['a constructor', '{"constructor":1,"toString":2}'],
    ['100,000 nested arrays', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
    ['100,000 nested objects', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
    ['10 MB', JSON.stringify({ name: 'x'.repeat(10_000_000) })],
    ['a megabyte of quotes', '"'.repeat(1_000_000)],
    ['a megabyte of escaped quotes', `"${'\\"'.repeat(500_000)}`],
    ['a megabyte of backslashes', `{"a":"${'\\'.repeat(1_000_000)}`],
    ['a number of 400 digits', `{"dial_code":${'9'.repeat(400)}}`],
    ['infinity', '{"dial_code":1e999}'],
    ['an integer above 2^53', '{"dial_code":9007199254740993,"minimum_level":9007199254740993}'],
    ['HTML', '<html></html>'],
    ['NUL', '{"name":"a\\u0000b"}'],
  ];

  it.each(bodies)('with %s are refused by every create', (_, body) => {
    const before = contents();
    for (const operation of writes.filter(({ effect }) => effect === 'create')) {
      expectRefused(client.send('POST', operation.path, body));
    }
    expect(contents()).toBe(before);
  });

  it('with many fields get a message for each', () => {
    const fields = Array.from({ length: 5000 }, (_, number) => [`field_${number}`, number]);
    const { status, json } = client.post('/tags', { ...Object.fromEntries(fields), name: 'x', type: 1 });
    expect([status, Object.keys(json.errors)]).toEqual([422, fields.map(([name]) => name)]);
  });

  it('of any shape get a response', () => {
    fc.assert(
      fc.property(fc.constantFrom(...writes), fc.json({ maxDepth: 4 }), (operation, body) => {
        const ids = operation.params.map(({ target }) => idsByTarget.get(target) ?? '');
        const { status, json } = client.send(operation.method, pathOf(operation, ids), body);
        expect(status).toBeLessThan(500);
        if (status >= 400) expect(json.message).toEqual(expect.any(String));
      }),
      { numRuns: 300 },
    );
  });

  it('with values of any shape get a response, and are stored completely or not at all', () => {
    const value = fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      fc.constantFrom(1, '1', true, null, [], {}, '2026-01-01', [{ id: 'x' }]),
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...writes.filter(({ body }) => body.length > 0)),
        fc.array(value, { minLength: 30, maxLength: 30 }),
        (operation, values) => {
          const body = Object.fromEntries(operation.body.map(({ name }, index) => [name, values[index]]));
          const ids = operation.params.map(({ target }) => idsByTarget.get(target) ?? '');
          const path = pathOf(operation, ids);
          const before = client.get(pathOf(operation, ids).split('/').slice(0, 3).join('/')).json;
          const { status } = client.send(operation.method, path, JSON.stringify(body));
          expect(status).toBeLessThan(500);
          if (status >= 400) expect(client.get(path.split('/').slice(0, 3).join('/')).json).toEqual(before);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('URLs', () => {
  it('with 1,000 filters are refused', () => {
    const query = Array.from({ length: 1000 }, (_, number) => `filter[name]=${number}`).join('&');
    expectRefused(client.get(`/customers?${query}`));
  });

  it('with any characters get a response', () => {
    const part = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 20 }).map((text) => encodeURIComponent(text.toWellFormed())),
      fc.string({ maxLength: 20 }),
      fc.constantFrom(
        'customers',
        'suppliers',
        'restore',
        'items',
        '..',
        '%00',
        '%2f',
        "'; DROP TABLE users; --",
      ),
    );
    const target = fc.tuple(
      fc.array(part, { maxLength: 5 }),
      fc.array(fc.tuple(part, part), { maxLength: 3 }),
    );
    fc.assert(
      fc.property(
        fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH', ''),
        target,
        (method, [path, query]) => {
          const pairs = query.map((pair) => pair.join('=')).join('&');
          const { status } = client.send(method, `/${path.join('/')}?${pairs}`);
          expect(status).toBeLessThan(500);
        },
      ),
      { numRuns: 500 },
    );
  });

  it("with names of JavaScript's object properties are refused", () => {
    const names = Object.getOwnPropertyNames(Object.prototype);
    for (const { path } of api.collections) {
      for (const name of names) {
        for (const query of [
          `sort=${name}`,
          `sort=-${name}`,
          `include=${name}`,
          `filter[${name}]=1`,
          `${name}=1`,
        ]) {
          expect([path, query, client.get(`${path}?${query}`).status]).toEqual([path, query, 400]);
        }
        expect([path, name, client.get(`${path}/${name}`).status]).toEqual([path, name, 404]);
        expect([path, name, client.get(`${path}/${name}/${name}`).status]).toEqual([path, name, 404]);
      }
    }
    for (const name of names) expect([name, client.get(`/${name}`).status]).toEqual([name, 404]);
    const settings = Object.fromEntries(names.map((name) => [name, 1]));
    expect(() => client.sandbox.changeSettings(settings)).toThrow('Unknown setting constructor.');
  });

  it('with any filter value get a response', () => {
    const pathFilters = api.collections.flatMap(({ path, filters }) =>
      filters.map(({ name }) => [path, name] as const),
    );
    const text = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.string({ unit: 'binary' }),
      fc.constantFrom('"', "'", '*', 'AND', '%', '_', '(', '^a', '-', 'NEAR(a b)', '2026-11-20', 'true', '1'),
    );
    fc.assert(
      fc.property(fc.constantFrom(...pathFilters), text, ([path, name], value) => {
        const { status } = client.get(`${path}?filter[${name}]=${encodeURIComponent(value.toWellFormed())}`);
        expect([200, 400]).toContain(status);
      }),
      { numRuns: 500 },
    );
  });
});

it('an authorization header with any value: the request is refused with 401', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (authorization) => {
      const request = { method: 'GET', target: '/customers', headers: { authorization }, body: '' };
      expect(client.sandbox.handle(request).status).toBe(401);
    }),
  );
});
