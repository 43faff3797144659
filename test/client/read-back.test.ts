import { describe, expect, test } from 'vitest';
import type { Call } from '../../src/client/request.ts';
import { embeddedTransport } from '../../src/client/transport.ts';
import { hinted } from '../harness/hint.ts';
import { clientOver } from './client-over.ts';
import { operationOf } from './operations.ts';
import { failureOf } from './rejection.ts';

const create: Call = { operation: operationOf('suppliers', 'create'), body: { name: 'Farms' } };
const update: Call = { operation: operationOf('suppliers', 'update'), ids: ['42'], body: { name: 'Farms' } };
const link: Call = {
  operation: operationOf('suppliers', 'link-item'),
  ids: ['42', '7'],
  body: { order_unit: 'box', order_to_storage_factor: 1 },
};

/** Answers a write with the given answer, and a read with the record. */
function service(status: number, headers: Record<string, string> = {}, body = '', read = 200) {
  const asked: string[] = [];
  const transport = embeddedTransport(({ method, target }) => {
    asked.push(`${method} ${target}`);
    if (method === 'GET') return { status: read, headers: {}, body: '{"data":{"id":"42","name":"Farms"}}' };
    return { status, headers, body };
  });
  return { asked, client: clientOver(transport, { apiPrefix: '/v5' }) };
}

const record = { record: { id: '42', name: 'Farms' } };

describe('a write whose answer lacks the record: the record is read', () => {
  test.each([
    '/v5/suppliers/42',
    '/suppliers/42/',
    'https://api.example.com/v5/suppliers/42?x=1',
    'https://elsewhere.example/suppliers/42',
  ])('by its Location %s', async (location) => {
    const { client, asked } = service(201, { location });
    expect(await client.write(create)).toMatchObject(record);
    expect(asked).toEqual(['POST /v5/suppliers', 'GET /v5/suppliers/42']);
  });

  test('by its Location, if the body is plain text', async () => {
    const { client } = service(201, { location: '/suppliers/42' }, '"Created."');
    expect(await client.write(create)).toMatchObject(record);
  });

  test.each([200, 204])('by its own id, after %i without a body', async (status) => {
    const { client, asked } = service(status);
    expect(await client.write(update)).toMatchObject(record);
    expect(await client.write(link)).toMatchObject(record);
    expect(asked).toEqual([
      'PUT /v5/suppliers/42',
      'GET /v5/suppliers/42',
      'POST /v5/suppliers/42/items/7',
      'GET /v5/suppliers/42?include=items',
    ]);
  });

  test('not if the answer contains it', async () => {
    const { client, asked } = service(
      201,
      { location: '/suppliers/1' },
      '{"data":{"id":"42","name":"Farms"}}',
    );
    expect(await client.write(create)).toMatchObject(record);
    expect(asked).toEqual(['POST /v5/suppliers']);
  });
});

describe("a record that can't be read after its write: the write is done", () => {
  test.each<[string, Record<string, string>]>([
    ['nothing says where it is', {}],
    ['its Location is another kind of thing', { location: '/jobs/42' }],
    ['its Location is no address', { location: 'http://[' }],
  ])('if %s', async (_, headers) => {
    const { client, asked } = service(201, headers);
    expect(await failureOf(client.write(create))).toMatchObject({
      category: 'unreported',
      exitCode: 9,
      message: "The supplier was created, but the service didn't return its ID.",
      details: { outcome: 'done', hint: hinted(/^To find it: boh suppliers list$/) },
    });
    expect(asked).toEqual(['POST /v5/suppliers']);
  });

  test('if the read fails', async () => {
    const { client } = service(201, { location: '/suppliers/42' }, '', 403);
    expect(await failureOf(client.write(create))).toMatchObject({
      category: 'unreported',
      message: expect.stringMatching(/^The supplier was created \(42\), but it could not be read back: /),
      details: { outcome: 'done', hint: hinted(/^To show it: boh suppliers get 42$/) },
    });
  });
});
