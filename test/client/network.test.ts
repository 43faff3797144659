/** Tests the network transport and the retries of the client with real sockets. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, test, vi } from 'vitest';
import type { Client } from '../../src/account/client/client.ts';
import { networkTransport } from '../../src/account/client/network.ts';
import type { Call } from '../../src/account/client/request.ts';
import { Failure } from '../../src/base/errors.ts';
import { hintContaining } from '../harness/hint.ts';
import { observedWrites } from '../harness/new-customers.ts';
import { freezeTimers, waitForTurns } from '../harness/wait-until.ts';
import { operationOf } from './operations.ts';
import { jsonResponse, type Respond, startRawService, transportTo } from './raw-service.ts';
import { failureOf, transportErrorOf } from './rejection.ts';
import { createTestClient } from './test-client.ts';

const request = { method: 'GET', target: '/x', headers: {} };
const list: Call = { operation: operationOf('suppliers', 'list') };
const get: Call = { operation: operationOf('suppliers', 'get'), ids: ['42'] };
const create: Call = { operation: operationOf('suppliers', 'create'), body: { name: 'Farms' } };

/** Sends a write with observers, as all commands do. */
const write = (client: Client, call = create) => {
  const observed = observedWrites([], () => request);
  return observed.send(observed.toOutgoingWrite(call, {}), async () => ({
    recordResponse: await client.write(call),
  }));
};

describe('a request', () => {
  test('is sent unchanged, below the path of the base URL', async () => {
    const service = await startRawService((socket) => socket.write(jsonResponse({})));
    const target = '/v5/suppliers/..%2Fx?filter[tags.id]=a,b&filter[name]=%C3%84';
    const transport = transportTo(service, { path: '/base' });
    await transport({ method: 'GET', target, headers: { accept: 'application/json' } });
    await transport({ method: 'PUT', target: '/v5/suppliers/1/restore', headers: {} });
    const body = '{"name":"قهوة"}';
    await transport({
      method: 'POST',
      target: '/v5/suppliers',
      headers: { 'content-type': 'application/json' },
      body,
    });
    const [first = '', second = '', third = ''] = service.requests;
    expect(first).toMatch(
      /^GET \/base\/v5\/suppliers\/\.\.%2Fx\?filter\[tags\.id\]=a,b&filter\[name\]=%C3%84 HTTP\/1\.1\r\n/,
    );
    expect(second).toMatch(/^PUT \/base\/v5\/suppliers\/1\/restore HTTP\/1\.1\r\n.*content-length: 0\r\n/s);
    expect(Buffer.from(third, 'latin1').toString()).toMatch(new RegExp(`\r\n\r\n${body}$`));
  });

  test('uses one connection for all pages of a list', async () => {
    const service = await startRawService((socket, _, count) =>
      socket.write(jsonResponse({ data: [{ id: `${count}` }], meta: { last_page: 20, total: 20 } })),
    );
    const pages = await Array.fromAsync(createTestClient(transportTo(service)).pages(list));
    expect(pages).toHaveLength(20);
    expect(service.requests).toHaveLength(20);
    expect(service.connections).toBe(1);
  });
});

describe('a response', () => {
  test('has its status, lower-case header names, and a body without a byte order mark', async () => {
    const head = 'HTTP/1.1 299 Fine\r\nRetry-After: 1\r\nRETRY-AFTER: 2\r\n';
    const service = await startRawService((socket) =>
      socket.end(`${head}content-length: 9\r\n\r\n\uFEFF{"a":1`),
    );
    expect(await transportTo(service)(request)).toMatchObject({
      status: 299,
      headers: { 'retry-after': '2' },
      body: '{"a":1',
    });
  });

  test('may be chunked, and may follow interim responses', async () => {
    const service = await startRawService((socket) => {
      socket.write('HTTP/1.1 103 Early Hints\r\n\r\n');
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\n{"a\r\n4\r\n":1}\r\n0\r\n\r\n');
    });
    expect((await transportTo(service)(request)).body).toBe('{"a":1}');
  });
});

describe('an unusual response', () => {
  test.each([
    ['in one packet with the response', ['HTTP/1.1 100 Continue\r\n\r\n', '']],
    ['in its own packet, with headers', ['HTTP/1.1 100 Continue\r\nx: y\r\n\r\n', 'later']],
    ['three times', ['HTTP/1.1 100 Continue\r\n\r\n'.repeat(3), '']],
    ['after an early hint', ['HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n', '']],
  ])('"100 Continue" without a request for it (%s): is ignored', async (_, [interim = '', pause]) => {
    const service = await startRawService((socket) => {
      const response = jsonResponse({ data: { id: '42' } });
      socket.write(pause === '' ? interim + response : interim);
      if (pause !== '') void waitForTurns().then(() => socket.write(response));
    });
    const client = createTestClient(transportTo(service));
    for (let attempt = 0; attempt < 3; attempt++) {
      expect(await client.get(get)).toMatchObject({ record: { id: '42' } });
      expect(await client.write(create)).toMatchObject({ record: { id: '42' } });
    }
    expect(service.requests).toHaveLength(6);
    expect(service.connections).toBe(1);
  });

  test('a body that looks like "100 Continue": is returned unchanged', async () => {
    const service = await startRawService((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 25\r\n\r\n');
      void waitForTurns().then(() => socket.write('HTTP/1.1 100 Continue\r\n\r\n'));
    });
    expect((await transportTo(service)(request)).body).toBe('HTTP/1.1 100 Continue\r\n\r\n');
  });

  test("a connection that is closed after each response: doesn't end a run of deletes", async () => {
    const service = await startRawService((socket) =>
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'),
    );
    const client = createTestClient(transportTo(service));
    const remove = (id: string): Call => ({ operation: operationOf('suppliers', 'delete'), ids: [id] });
    for (let number = 0; number < 25; number++) await write(client, remove(`${number}`));
    expect(service.requests.map((text) => text.split(' ')[1])).toEqual(
      Array.from({ length: 25 }, (_, number) => `/suppliers/${number}`),
    );
  });

  test.each([
    ['Latin-1', Buffer.from('{"data":{"id":"42","name":"Caf\u00e9"}}', 'latin1')],
    ['cut inside a character', Buffer.from('{"data":{"id":"42","name":"\u0642"}}').fill(0xd9, 27, 29)],
    [
      'Windows-1256',
      Buffer.from([...Buffer.from('{"data":{"id":"42","name":"'), 0xde, 0xe5, ...Buffer.from('"}}')]),
    ],
  ])('a body with invalid UTF-8 (%s): fails', async (_, body) => {
    const service = await startRawService((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n`);
      socket.write(body);
    });
    expect(await failureOf(createTestClient(transportTo(service)).get(get))).toMatchObject({
      category: 'unavailable',
      exitCode: 8,
      message: 'The service returned text that is not UTF-8 (status 200).',
    });
  });
});

describe('a write', () => {
  test.each<[string, Respond]>([
    ['the connection is reset', (socket) => socket.resetAndDestroy()],
    ['the connection ends without a response', (socket) => socket.end()],
    ['its response is cut off in the headers', (socket) => socket.end('HTTP/1.1 201 Cre')],
    [
      'its response is cut off',
      (socket) => socket.end('HTTP/1.1 201 Created\r\ncontent-length: 99\r\n\r\n{"data":'),
    ],
    ['it gets a 502', (socket) => socket.write(jsonResponse({}, '502 Bad Gateway'))],
    ['it gets a 504', (socket) => socket.write(jsonResponse({}, '504 Timeout', 'retry-after: 1\r\n'))],
    ['it gets a success without a record', (socket) => socket.write(jsonResponse([]))],
    ['it gets a web page', (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\n<html>')],
  ])('is sent once if %s, and its outcome is unknown', async (_, response) => {
    const service = await startRawService(response);
    const failure = await failureOf(write(createTestClient(transportTo(service))));
    expect(service.requests).toHaveLength(1);
    expect(failure).toMatchObject({
      category: 'unavailable',
      message: expect.stringContaining('The outcome of `suppliers create` is unknown. It was not retried.'),
      details: { hint: hintContaining(/^To check: boh suppliers list --name Farms$/) },
    });
  });

  test('is sent once if the response takes too long, and its outcome is unknown', async () => {
    freezeTimers();
    const service = await startRawService(() => void vi.advanceTimersByTimeAsync(60_000));
    const failure = await failureOf(write(createTestClient(transportTo(service, { timeoutMs: 60_000 }))));
    expect(service.requests).toHaveLength(1);
    expect(failure.message).toMatch(/didn't send a complete response within .* The outcome of/);
  });

  test('that fails on a reused connection: is not repeated', async () => {
    const service = await startRawService((socket, _, count) => {
      if (count === 1) socket.write(jsonResponse({ data: { id: '42' } }));
      else socket.resetAndDestroy();
    });
    const client = createTestClient(transportTo(service));
    await client.get(get);
    await failureOf(write(client));
    expect(service.requests.filter((text) => text.startsWith('POST'))).toHaveLength(1);
  });

  test('is retried if it was not sent; the failure states that nothing was sent', async () => {
    const service = await startRawService(() => {});
    await service.close();
    const reasons: string[] = [];
    const failure = await failureOf(
      write(createTestClient(transportTo(service), { onWait: (reason) => reasons.push(reason) })),
    );
    expect(reasons).toHaveLength(3);
    expect(failure.message).toBe(`127.0.0.1:${service.port} refused the connection. Nothing was sent.`);
    expect(failure.details.hint).toEqual(hintContaining('base_url'));
  });
});

describe('a read', () => {
  test.each<[string, Respond]>([
    ['the connection is reset', (socket) => socket.resetAndDestroy()],
    [
      'its response is cut off',
      (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{"data":'),
    ],
    [
      'its response ends in a chunk',
      (socket) => socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n9\r\n{"d'),
    ],
  ])('is repeated if %s', async (_, breakConnection) => {
    const service = await startRawService((socket, request, count) => {
      if (count < 4) breakConnection(socket, request, count);
      else socket.write(jsonResponse({ data: { id: '42' } }));
    });
    expect(await createTestClient(transportTo(service)).get(get)).toMatchObject({ record: { id: '42' } });
    expect(service.requests).toHaveLength(4);
  });

  test('fails with one sentence if all attempts fail', async () => {
    const service = await startRawService((socket) => socket.resetAndDestroy());
    const failure = await failureOf(createTestClient(transportTo(service)).get(get));
    expect(failure.message).toMatch(
      /^The connection to 127\.0\.0\.1:\d+ was lost before the response was complete( \(ECONNRESET\))?\.$/,
    );
    expect(service.requests).toHaveLength(4);
  });
});

describe('an interruption', () => {
  const interrupted = new Failure('interrupted', 'Interrupted.', { exitCode: 130 });

  test('before sending: nothing is sent', async () => {
    const service = await startRawService(() => {});
    const client = createTestClient(transportTo(service), { signal: AbortSignal.abort(interrupted) });
    expect(await failureOf(write(client))).toMatchObject({
      category: 'interrupted',
      message: 'Interrupted.',
      details: { outcome: 'not_sent' },
    });
    expect(service.requests).toEqual([]);
  });

  test('of a sent write: the outcome is unknown', async () => {
    const controller = new AbortController();
    const service = await startRawService(() => controller.abort(interrupted));
    const failure = await failureOf(
      write(createTestClient(transportTo(service), { signal: controller.signal })),
    );
    expect(failure).toMatchObject({
      category: 'interrupted',
      exitCode: 130,
      message: 'Interrupted. The outcome of `suppliers create` is unknown. It was not retried.',
    });
    expect(service.requests).toHaveLength(1);
  });

  test('of a sent read: fails, and the read is not retried', async () => {
    const controller = new AbortController();
    const service = await startRawService(() => controller.abort(interrupted));
    const failure = await failureOf(
      createTestClient(transportTo(service), { signal: controller.signal }).get(get),
    );
    expect(failure).toMatchObject({ category: 'interrupted', exitCode: 130, message: 'Interrupted.' });
    expect(service.requests).toHaveLength(1);
  });

  test('while connecting: ends immediately, and nothing is sent', async () => {
    const controller = new AbortController();
    let closed: Promise<unknown> | undefined;
    const silentServer = createServer((socket) => {
      closed = once(
        socket.resume().on('error', () => {}),
        'close',
      );
      controller.abort(interrupted);
    });
    await new Promise<void>((resolve) => silentServer.listen(0, '127.0.0.1', resolve));
    const { port } = silentServer.address() as AddressInfo;
    const transport = networkTransport({ baseUrl: `https://127.0.0.1:${port}`, timeoutMs: 60_000, env: {} });
    expect(await transportErrorOf(transport(request, controller.signal))).toMatchObject({
      mayHaveArrived: false,
    });
    await closed;
    silentServer.close();
  });

  test('leaves the transport usable', async () => {
    const controller = new AbortController();
    const service = await startRawService((socket, _, count) =>
      count === 1 ? controller.abort(interrupted) : socket.write(jsonResponse({})),
    );
    const transport = transportTo(service);
    await transportErrorOf(transport(request, controller.signal));
    expect(await transport(request)).toMatchObject({ status: 200 });
  });
});
