import { describe, expect, test } from 'vitest';
import type { Call } from '../../src/account/client/request.ts';
import { type Envelope, metadataIn, recordIn, rowsIn } from '../../src/account/client/response.ts';
import { embeddedTransport } from '../../src/account/client/transport.ts';
import { hintContaining } from '../harness/hint.ts';
import { operationOf } from './operations.ts';
import { failureOf } from './rejection.ts';
import { createTestClient } from './test-client.ts';

const record = { id: '1', name: 'Farms' };

describe.each<[Envelope, unknown, unknown]>([
  ['data', { data: [record] }, { data: record }],
  ['items', { items: [record] }, record],
  ['items', { items: [record] }, { item: record }],
  ['none', [record], record],
])('an envelope of %s', (envelope, list, recordBody) => {
  test('is unwrapped from lists and records', () => {
    expect(rowsIn(list, envelope)).toEqual([record]);
    expect(recordIn(recordBody, envelope)).toEqual(record);
  });

  test('is required: other bodies contain no rows and no record', () => {
    for (const body of [null, 'text', 1, { data: 1 }, { items: {} }, [1], { data: ['x'] }]) {
      expect(rowsIn(body, envelope)).toBeUndefined();
    }
    for (const body of [null, 'text', 1, []]) expect(recordIn(body, envelope)).toBeUndefined();
  });
});

test.each<[Envelope, unknown, Record<string, string>, object]>([
  [
    'data',
    { meta: { total: '7', last_page: 2 }, links: { next: null } },
    {},
    { total: 7, lastPage: 2, hasNext: false },
  ],
  // Metadata next to the records is only read for other envelopes.
  ['data', { total: 7, next: 'x' }, { 'x-total-count': '9' }, { total: undefined, hasNext: undefined }],
  ['items', { items: [], total: 7, page_size: 20, next: 'x' }, {}, { total: 7, perPage: 20, hasNext: true }],
  [
    'items',
    { items: [], meta: { total_count: 7, total_pages: 3 } },
    {},
    { total: 7, lastPage: 3, hasNext: undefined },
  ],
  [
    'none',
    [],
    { 'x-total-count': '7', link: '<https://x/?page=2>; rel="next"' },
    { total: 7, hasNext: true },
  ],
  ['none', [], { link: '<https://x/?page=1>; rel="prev"' }, { hasNext: false }],
  ['none', [], {}, { total: undefined, lastPage: undefined, perPage: undefined, hasNext: undefined }],
])(
  'envelope %s: the body %j with the headers %j has the metadata %j',
  (envelope, body, headers, expected) => {
    expect(metadataIn(body, headers, envelope)).toMatchObject(expected);
  },
);

describe('a deployment with its own envelope and page parameter', () => {
  const list: Call = { operation: operationOf('suppliers', 'list') };

  function clientOf(envelope: Envelope, pages: readonly unknown[]) {
    const targets: string[] = [];
    const transport = embeddedTransport(({ target }) => {
      targets.push(target);
      const page = Number(/page_no=(\d+)/.exec(target)?.[1] ?? 1);
      return { status: 200, headers: {}, body: JSON.stringify(pages[page - 1] ?? pages.at(-1)) };
    });
    const wire = { filterStyle: 'bracket', redeemMethod: 'GET', envelope, pageParam: 'page_no' } as const;
    return { client: createTestClient(transport, { wire }), targets };
  }

  test('lists are read completely', async () => {
    const { client, targets } = clientOf('items', [
      { items: [{ id: '1' }], total: 2 },
      { items: [{ id: '2' }], total: 2 },
    ]);
    const pages = await Array.fromAsync(client.pages(list));
    expect(pages.flatMap(({ rows }) => rows)).toEqual([{ id: '1' }, { id: '2' }]);
    expect(targets).toEqual(['/suppliers', '/suppliers?page_no=2']);
  });

  test('any path is read page by page', async () => {
    const { client, targets } = clientOf('none', [[{ id: '1' }], []]);
    expect((await Array.fromAsync(client.rawPages('/other?x=1'))).flatMap(({ rows }) => rows)).toEqual([
      { id: '1' },
    ]);
    expect(targets).toEqual(['/other?x=1', '/other?x=1&page_no=2']);
  });

  test('a wrong setting is suggested as the cause of a failure', async () => {
    const { client } = clientOf('data', [[{ id: '1' }]]);
    expect(await failureOf(Array.fromAsync(client.pages(list)))).toMatchObject({
      category: 'unavailable',
      details: { hint: hintContaining('boh config set wire.envelope') },
    });
  });
});
