import { describe, expect, test } from 'vitest';
import type { Call } from '../../src/account/client/request.ts';
import { operationOf } from './operations.ts';
import { jsonResponse, startRawService, transportTo } from './raw-service.ts';
import { failureOf } from './rejection.ts';
import { createTestClient, sampleToken } from './test-client.ts';

const list: Call = { operation: operationOf('suppliers', 'list') };
const create: Call = { operation: operationOf('suppliers', 'create'), body: { name: 'CANARY' } };

const statuses = [301, 302, 303, 307, 308];

/** The Location of a redirect, given the port of another service. */
const redirectTargets: [string, (port: number) => string][] = [
  ['another port', (port) => `http://127.0.0.1:${port}/suppliers`],
  ['another host', (port) => `http://localhost:${port}/suppliers`],
  ['another scheme', (port) => `https://127.0.0.1:${port}/suppliers`],
  ['a URL without a scheme', (port) => `//127.0.0.1:${port}/suppliers`],
  ['a URL with a user name', (port) => `http://127.0.0.1@localhost:${port}/suppliers`],
  ['a path of the same service', () => '/elsewhere'],
];

describe.each(redirectTargets)('a redirect to %s', (_, locationOf) => {
  test.each(statuses)('with %i: nothing is sent to the new URL', async (status) => {
    const otherService = await startRawService((socket) =>
      socket.write(jsonResponse({ data: [{ id: 'stolen' }] })),
    );
    const location = locationOf(otherService.port);
    const service = await startRawService((socket) =>
      socket.write(jsonResponse({}, `${status} Moved`, `location: ${location}\r\n`)),
    );
    const client = createTestClient(transportTo(service));
    for (const work of [Array.fromAsync(client.pages(list)), client.write(create)]) {
      expect(await failureOf(work)).toMatchObject({
        category: 'unavailable',
        message: expect.stringContaining("boh doesn't follow redirects"),
      });
    }
    // One read and one write; neither is repeated.
    expect(service.requests).toHaveLength(2);
    expect(otherService.connections).toBe(0);
    expect(otherService.requests.join()).not.toContain(sampleToken);
  });
});

test('a next link to another host: is not followed', async () => {
  const otherService = await startRawService((socket) =>
    socket.write(jsonResponse({ data: [{ id: 'stolen' }] })),
  );
  const next = `http://127.0.0.1:${otherService.port}/suppliers?page=2`;
  const service = await startRawService((socket, request) => {
    const page = Number(/[?&]page=(\d)/.exec(request)?.[1] ?? 1);
    socket.write(
      jsonResponse({
        data: [{ id: `${page}` }],
        links: { next: page < 3 ? next : null },
        meta: { total: 3 },
      }),
    );
  });
  const pages = await Array.fromAsync(createTestClient(transportTo(service)).pages(list));
  expect(pages.flatMap(({ rows }) => rows)).toEqual([{ id: '1' }, { id: '2' }, { id: '3' }]);
  expect(otherService.connections).toBe(0);
});
