import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { Call } from '../../src/account/client/request.ts';
import { maxWaitMs } from '../../src/account/client/retry.ts';
import type { Failure } from '../../src/base/errors.ts';
import { fc } from '../harness/fast-check.ts';
import { fakeClock } from './fake-clock.ts';
import { operationOf } from './operations.ts';
import { jsonResponse, startRawService, transportTo } from './raw-service.ts';
import { failureOf } from './rejection.ts';
import { createTestClient } from './test-client.ts';

const list: Call = { operation: operationOf('suppliers', 'list') };
const get: Call = { operation: operationOf('suppliers', 'get'), ids: ['42'] };

/** Temporary faults of a service. Each gets the response that it replaces. */
const temporaryFaults: Record<string, (socket: Socket, response: string) => void> = {
  'a 429 with seconds': (socket) =>
    socket.write(jsonResponse({}, '429 Too Many Requests', 'retry-after: 2\r\n')),
  'a 429 with a date': (socket) =>
    socket.write(
      jsonResponse(
        {},
        '429 Too Many',
        `date: ${new Date().toUTCString()}\r\nretry-after: ${new Date(Date.now() + 9000).toUTCString()}\r\n`,
      ),
    ),
  'a 429 without a time': (socket) => socket.write(jsonResponse({}, '429 Too Many Requests')),
  'a 429 with a negative time': (socket) =>
    socket.write(jsonResponse({}, '429 Too Many Requests', 'retry-after: -5\r\n')),
  'a 429 with garbage': (socket) =>
    socket.write(jsonResponse({}, '429 Too Many Requests', 'retry-after: soon 5\r\n')),
  'a 500': (socket) => socket.write(jsonResponse({ message: 'Server error.' }, '500 Internal Server Error')),
  'a 503 with a web page': (socket) =>
    socket.write('HTTP/1.1 503 Busy\r\ncontent-length: 13\r\n\r\n<html></html>'),
  'a 524': (socket) => socket.write(jsonResponse({}, '524 A Timeout Occurred')),
  'a 408 and the end': (socket) =>
    socket.end(jsonResponse({}, '408 Request Timeout', 'connection: close\r\n')),
  'a reset': (socket) => socket.resetAndDestroy(),
  'the end of the connection': (socket) => socket.end(),
  'half a response': (socket, response) => socket.end(response.slice(0, response.length / 2)),
  'a reset inside the body': (socket, response) => {
    socket.write(response.slice(0, -5));
    setTimeout(() => socket.resetAndDestroy(), 2);
  },
};

/** Unusual ways to send a valid response. */
const unusualResponses: Record<string, (socket: Socket, response: string) => unknown> = {
  'in one piece': (socket, response) => socket.write(response),
  'followed by the end of the connection': (socket, response) => socket.end(response),
  'after a 100': (socket, response) => socket.write(`HTTP/1.1 100 Continue\r\n\r\n${response}`),
  'in small pieces': async (socket, response) => {
    const size = Math.ceil(response.length / 4);
    for (let part = 0; part < 4; part++) {
      // Sequentially, because the order of late timers is undefined.
      if (part > 0) await sleep(3);
      socket.write(response.slice(part * size, (part + 1) * size));
    }
  },
};

test('temporary faults: the list is complete, and no wait is longer than five minutes', async () => {
  const faults = fc.constantFrom(...Object.keys(temporaryFaults));
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 12 }),
      // A read succeeds after up to three faults.
      fc.array(fc.array(faults, { maxLength: 3 }), { minLength: 12, maxLength: 12 }),
      fc.array(fc.constantFrom(...Object.keys(unusualResponses)), { minLength: 12, maxLength: 12 }),
      async (pages, faultsOf, responseKinds) => {
        const pendingFaults = faultsOf.map((names) => [...names]);
        const clock = fakeClock(0);
        const service = await startRawService((socket, request) => {
          const page = Number(/[?&]page=(\d+)/.exec(request)?.[1] ?? 1);
          const data = Array.from({ length: 10 }, (_, index) => ({ id: `${page}-${index}` }));
          const response = jsonResponse({ data, meta: { last_page: pages, total: pages * 10 } });
          const fault = pendingFaults[page - 1]?.shift();
          const sendResponse = unusualResponses[responseKinds[page - 1] ?? ''] ?? (() => {});
          (fault === undefined ? sendResponse : (temporaryFaults[fault] ?? sendResponse))(socket, response);
        });
        const client = createTestClient(transportTo(service), { clock });
        const rows = (await Array.fromAsync(client.pages(list))).flatMap((page) => page.rows);
        await service.close();
        expect(rows).toHaveLength(pages * 10);
        expect(Math.max(0, ...clock.waits)).toBeLessThanOrEqual(maxWaitMs);
      },
    ),
  );
});

/** Faults that end a read without a retry, and their messages. */
const permanentFaults: [string, (socket: Socket) => void, RegExp][] = [
  [
    'a web page with 200',
    (socket) => socket.write(httpResponse('<!doctype html><title>Maintenance</title>')),
    /a web page instead of JSON/,
  ],
  ['an empty body', (socket) => socket.write(httpResponse('')), /an empty body instead of JSON/],
  [
    'half of a JSON text with a matching length',
    (socket) => socket.write(httpResponse('{"data":[{"id":"1"},{"id"')),
    /damaged or incomplete/,
  ],
  [
    'JSON nested 100,000 deep',
    (socket) => socket.write(httpResponse(`{"data":${'['.repeat(100_000)}${']'.repeat(100_000)}}`)),
    /nested too deep/,
  ],
  [
    'the same record twice',
    (socket) => socket.write(jsonResponse({ data: [{ id: '1' }, { id: '1' }] })),
    /contains the record 1 twice/,
  ],
  [
    'a record instead of a list',
    (socket) => socket.write(jsonResponse({ data: { id: '1' } })),
    /contains no list of records/,
  ],
  ['text that is not JSON', (socket) => socket.write(httpResponse('OK')), /text instead of JSON/],
  [
    'binary data',
    (socket) => socket.write(Buffer.concat([Buffer.from(httpResponse('')), gzipSync('x')])),
    /not HTTP|was lost|instead of JSON/,
  ],
  ['another protocol', (socket) => socket.end('SSH-2.0-OpenSSH\r\n'), /is not HTTP/],
  [
    '101 Switching Protocols',
    (socket) => socket.end('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    /./,
  ],
  [
    'an endless page of spaces',
    (socket) => writeEndlessly(socket, ' '.repeat(65_536)),
    /too long, and was not read completely/,
  ],
  [
    'an endless list',
    (socket) => writeEndlessly(socket, `{"id":"1"},`.repeat(6_000), '{"data":['),
    /too long, and was not read completely/,
  ],
  ['a gzip bomb without a request', (socket) => socket.write(gzipBomb()), /gzip encoding/],
];

describe('a read', () => {
  test.each(permanentFaults)(
    'with %s: fails with exit code 8 and one sentence',
    async (_, response, message) => {
      const service = await startRawService((socket) => response(socket));
      const failure = await failureOf(Array.fromAsync(createTestClient(transportTo(service)).pages(list)));
      expect(failure).toMatchObject({
        category: 'unavailable',
        exitCode: 8,
        message: expect.stringMatching(message),
      });
      expect(failure.message).toMatch(/^[^\n]{10,300}[.)]$/);
    },
  );
});

test('any bytes as a response: a record or a failure within the time limit', async () => {
  const line = fc.oneof(
    fc.string(),
    fc.constantFrom(
      'HTTP/1.1 200 OK',
      'content-length: 5',
      'transfer-encoding: chunked',
      '',
      '{"data":{"id":"1"}}',
      '5',
      '0',
    ),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 8 }), async (lines) => {
      const service = await startRawService((socket) => socket.end(lines.join('\r\n')));
      const outcome: unknown = await createTestClient(transportTo(service, { timeoutMs: 300 }))
        .get(get)
        .catch((error: unknown) => error);
      await service.close();
      if (outcome instanceof Error) {
        expect([
          'unavailable',
          'refused',
          'not_found',
          'rate_limited',
          'not_signed_in',
          'not_allowed',
        ]).toContain((outcome as Failure).category);
      }
    }),
  );
});

function httpResponse(body: string): string {
  return `HTTP/1.1 200 OK\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** Writes the same text endlessly, as fast as it is read. */
function writeEndlessly(socket: Socket, text: string, first = ''): void {
  socket.write(`HTTP/1.1 200 OK\r\n\r\n${first}`);
  const more = () => {
    while (!socket.destroyed && socket.write(text));
  };
  socket.on('drain', more);
  more();
}

/** Returns a response of 50 KB that is decompressed to 50 MB. */
function gzipBomb(): Buffer {
  const compressed = gzipSync(Buffer.alloc(50 * 1024 * 1024));
  return Buffer.concat([
    Buffer.from(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${compressed.length}\r\n\r\n`),
    compressed,
  ]);
}
