import { describe, expect, test } from 'vitest';
import type { Call } from '../../src/account/client/request.ts';
import { embeddedTransport } from '../../src/account/client/transport.ts';
import { hintContaining } from '../harness/hint.ts';
import { operationOf } from './operations.ts';
import { failureOf } from './rejection.ts';
import { createTestClient } from './test-client.ts';

const create: Call = { operation: operationOf('suppliers', 'create'), body: { name: 'Farms' } };
const update: Call = { operation: operationOf('suppliers', 'update'), ids: ['42'], body: { name: 'Farms' } };
const link: Call = {
  operation: operationOf('suppliers', 'link-item'),
  ids: ['42', '7'],
  body: { order_unit: 'box', order_to_storage_factor: 1 },
};

/** Creates a service that responds to writes with this status and body, and to reads with the record. */
function service(status: number, headers: Record<string, string> = {}, body = '', readStatus = 200) {
  const requests: string[] = [];
  const transport = embeddedTransport(({ method, target }) => {
    requests.push(`${method} ${target}`);
    if (method === 'GET')
      return { status: readStatus, headers: {}, body: '{"data":{"id":"42","name":"Farms"}}' };
    return { status, headers, body };
  });
  return { asked: requests, client: createTestClient(transport, { apiPrefix: '/v5' }) };
}

const record = { record: { id: '42', name: 'Farms' } };

describe('a write whose response has no record: the record is read', () => {
  test.each([
    '/v5/suppliers/42',
    '/suppliers/42/',
    'https://api.example.com/v5/suppliers/42?x=1',
    'https://elsewhere.example/suppliers/42',
  ])('by its Location %s', async (location) => {
    const { client, asked: requests } = service(201, { location });
    expect(await client.write(create)).toMatchObject(record);
    expect(requests).toEqual(['POST /v5/suppliers', 'GET /v5/suppliers/42']);
  });

  test('by its Location if the body is text', async () => {
    const { client } = service(201, { location: '/suppliers/42' }, '"Created."');
    expect(await client.write(create)).toMatchObject(record);
  });

  test.each([200, 204])('by its ID after a %i without a body', async (status) => {
    const { client, asked: requests } = service(status);
    expect(await client.write(update)).toMatchObject(record);
    expect(await client.write(link)).toMatchObject(record);
    expect(requests).toEqual([
      'PUT /v5/suppliers/42',
      'GET /v5/suppliers/42',
      'POST /v5/suppliers/42/items/7',
      'GET /v5/suppliers/42?include=items',
    ]);
  });

  test('only if the response has none', async () => {
    const { client, asked: requests } = service(
      201,
      { location: '/suppliers/1' },
      '{"data":{"id":"42","name":"Farms"}}',
    );
    expect(await client.write(create)).toMatchObject(record);
    expect(requests).toEqual(['POST /v5/suppliers']);
  });
});

describe("a write whose record can't be read: fails as unreported with the outcome done", () => {
  test.each<[string, Record<string, string>]>([
    ['the response has no Location', {}],
    ['its Location is another resource', { location: '/jobs/42' }],
    ['its Location is not a URL', { location: 'http://[' }],
  ])('if %s', async (_, headers) => {
    const { client, asked: requests } = service(201, headers);
    expect(await failureOf(client.write(create))).toMatchObject({
      category: 'unreported',
      exitCode: 9,
      message: "The supplier was created, but the service didn't return its ID.",
      details: { outcome: 'done', hint: hintContaining(/^To find it: boh suppliers list$/) },
    });
    expect(requests).toEqual(['POST /v5/suppliers']);
  });

  test('if the read fails', async () => {
    const { client } = service(201, { location: '/suppliers/42' }, '', 403);
    expect(await failureOf(client.write(create))).toMatchObject({
      category: 'unreported',
      message: expect.stringMatching(/^The supplier was created \(42\), but it could not be read back: /),
      details: { outcome: 'done', hint: hintContaining(/^To show it: boh suppliers get 42$/) },
    });
  });
});
