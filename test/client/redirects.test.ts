import { describe, expect, test } from 'vitest';
import type { Call } from '../../src/client/request.ts';
import { clientOver, sampleToken } from './client-over.ts';
import { operationOf } from './operations.ts';
import { json, startRawService, transportTo } from './raw-service.ts';
import { failureOf } from './rejection.ts';

const list: Call = { operation: operationOf('suppliers', 'list') };
const create: Call = { operation: operationOf('suppliers', 'create'), body: { name: 'CANARY' } };

const statuses = [301, 302, 303, 307, 308];

/** Where a redirect leads, from the port of another service. */
const places: [string, (port: number) => string][] = [
  ['another port', (port) => `http://127.0.0.1:${port}/suppliers`],
  ['another host', (port) => `http://localhost:${port}/suppliers`],
  ['another scheme', (port) => `https://127.0.0.1:${port}/suppliers`],
  ['whatever scheme there is', (port) => `//127.0.0.1:${port}/suppliers`],
  ['a user in the address', (port) => `http://127.0.0.1@localhost:${port}/suppliers`],
  ['a path of its own', () => '/elsewhere'],
];

describe.each(places)('a redirect to %s', (_, locationOf) => {
  test.each(statuses)('%i sends nothing to the new address', async (status) => {
    const theirs = await startRawService((socket) => socket.write(json({ data: [{ id: 'stolen' }] })));
    const location = locationOf(theirs.port);
    const ours = await startRawService((socket) =>
      socket.write(json({}, `${status} Moved`, `location: ${location}\r\n`)),
    );
    const client = clientOver(transportTo(ours));
    for (const work of [Array.fromAsync(client.pages(list)), client.write(create)]) {
      expect(await failureOf(work)).toMatchObject({
        category: 'unavailable',
        message: expect.stringContaining("boh doesn't follow redirects"),
      });
    }
    // One read and one write, neither of them repeated.
    expect(ours.requests).toHaveLength(2);
    expect(theirs.connections).toBe(0);
    expect(theirs.requests.join()).not.toContain(sampleToken);
  });
});

test('a next link to another host is never followed', async () => {
  const theirs = await startRawService((socket) => socket.write(json({ data: [{ id: 'stolen' }] })));
  const next = `http://127.0.0.1:${theirs.port}/suppliers?page=2`;
  const ours = await startRawService((socket, request) => {
    const page = Number(/[?&]page=(\d)/.exec(request)?.[1] ?? 1);
    socket.write(
      json({ data: [{ id: `${page}` }], links: { next: page < 3 ? next : null }, meta: { total: 3 } }),
    );
  });
  const pages = await Array.fromAsync(clientOver(transportTo(ours)).pages(list));
  expect(pages.flatMap(({ rows }) => rows)).toEqual([{ id: '1' }, { id: '2' }, { id: '3' }]);
  expect(theirs.connections).toBe(0);
});
