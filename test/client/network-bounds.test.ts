/** Tests the limits of the network transport with real sockets and a misbehaving service. */
import { type AddressInfo, createServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, test, vi } from 'vitest';
import { networkTransport } from '../../src/account/client/network.ts';
import type { Call } from '../../src/account/client/request.ts';
import { freezeTimers } from '../harness/wait-until.ts';
import { operationOf } from './operations.ts';
import { type Respond, startRawService, transportTo } from './raw-service.ts';
import { failureOf, transportErrorOf } from './rejection.ts';
import { createTestClient } from './test-client.ts';

const request = { method: 'GET', target: '/x', headers: {} };
const get: Call = { operation: operationOf('suppliers', 'get'), ids: ['42'] };

describe('the time limit', () => {
  test.each<[string, Respond]>([
    ['no response', () => {}],
    ['headers without a body', (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n')],
    [
      'an endless body that arrives slowly',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        const drip = setInterval(() => socket.write(' '), 5);
        socket.on('close', () => clearInterval(drip));
      },
    ],
  ])('applies to %s', async (_, respond) => {
    freezeTimers();
    const { promise: responded, resolve } = Promise.withResolvers<void>();
    const service = await startRawService((...args) => {
      respond(...args);
      resolve();
    });
    const failing = transportErrorOf(transportTo(service, { timeoutMs: 60_000 })(request));
    let isOver = false;
    void failing.then(() => {
      isOver = true;
    });
    await responded;
    await vi.advanceTimersByTimeAsync(59_000);
    expect(isOver).toBe(false);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await failing).toMatchObject({
      message: expect.stringMatching(/didn't send a complete response within/),
      hint: 'To wait longer: --timeout SECONDS',
      mayHaveArrived: true,
      isPermanent: false,
    });
  });

  test('applies to a connection that is never established, and nothing is sent', async () => {
    const service = await startRawService(() => {});
    // The service accepts connections, but never responds to the TLS handshake.
    const transport = networkTransport({
      baseUrl: `https://127.0.0.1:${service.port}`,
      timeoutMs: 60,
      env: {},
    });
    expect(await transportErrorOf(transport(request))).toMatchObject({
      message: expect.stringMatching(/didn't accept the connection within/),
      mayHaveArrived: false,
    });
    expect(service.requests).toEqual([]);
  });
});

describe('the memory limit', () => {
  test('a response of 200 MB: is canceled and not requested again', async () => {
    let bytesSent = 0;
    const service = await startRawService((socket) => {
      const chunk = Buffer.alloc(1024 * 1024, ' ');
      const writeMore = () => {
        for (
          let more = true;
          more && bytesSent < 200 * chunk.length && !socket.destroyed;
          bytesSent += chunk.length
        )
          more = socket.write(chunk);
      };
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${200 * chunk.length}\r\n\r\n`);
      socket.on('drain', writeMore);
      writeMore();
    });
    const failure = await failureOf(createTestClient(transportTo(service)).get(get));
    expect(failure).toMatchObject({
      category: 'unavailable',
      exitCode: 8,
      message: expect.stringContaining('is too long, and was not read completely'),
    });
    expect(service.requests).toHaveLength(1);
    expect(bytesSent).toBeLessThan(64 * 1024 * 1024);
  });

  test('a compressed response: is refused and not decompressed', async () => {
    const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024));
    const service = await startRawService((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`);
      socket.end(bomb);
    });
    const failure = await failureOf(createTestClient(transportTo(service)).get(get));
    expect(failure).toMatchObject({ category: 'unavailable', message: expect.stringContaining('gzip') });
    expect(service.requests).toHaveLength(1);
  });

  test('endless headers: are canceled', async () => {
    const service = await startRawService((socket) =>
      socket.write(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(1024 * 1024)}`),
    );
    expect(await transportErrorOf(transportTo(service)(request))).toMatchObject({
      message: expect.stringContaining('headers'),
      isPermanent: true,
    });
  });

  test('JSON nested 100,000 deep: fails with one sentence', async () => {
    const body = `{"data":{"id":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`;
    const service = await startRawService((socket) =>
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`),
    );
    expect(await failureOf(createTestClient(transportTo(service)).get(get))).toMatchObject({
      category: 'unavailable',
      message: expect.stringContaining('nested too deep'),
    });
  });
});

test.each(['220 ftp.example.com ready\r\n', 'SSH-2.0-OpenSSH_9.9\r\n', '\u0000\u0001'])(
  'a service that sends %j: is reported as not HTTP',
  async (greeting) => {
    const service = await startRawService((socket) => socket.end(greeting));
    const error = await transportErrorOf(transportTo(service)(request));
    expect(error).toMatchObject({
      message: `The response of 127.0.0.1:${service.port} is not HTTP.`,
      isPermanent: true,
    });
  },
);

test('a service without TLS: is reported, and nothing is sent', async () => {
  const received: Buffer[] = [];
  const plainServer = createServer((socket) => {
    socket.on('error', () => {}).on('data', (chunk: Buffer) => received.push(chunk));
    socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
  });
  await new Promise<void>((resolve) => plainServer.listen(0, '127.0.0.1', resolve));
  const { port } = plainServer.address() as AddressInfo;
  const transport = networkTransport({ baseUrl: `https://127.0.0.1:${port}`, timeoutMs: 600_000, env: {} });
  expect(await transportErrorOf(transport(request))).toMatchObject({
    message: expect.stringMatching(
      /^No secure connection to 127\.0\.0\.1:\d+ could be established \(ERR_SSL_/,
    ),
    mayHaveArrived: false,
    isPermanent: true,
  });
  plainServer.close();
  expect(Buffer.concat(received).toString('latin1')).not.toContain('GET');
});
