import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { Failure } from '../../src/base/errors.ts';
import type { Call } from '../../src/client/request.ts';
import { maxWaitMs } from '../../src/client/retry.ts';
import { fc } from '../harness/fast-check.ts';
import { clientOver } from './client-over.ts';
import { operationOf } from './operations.ts';
import { json, startRawService, transportTo } from './raw-service.ts';
import { failureOf } from './rejection.ts';
import { stillClock } from './still-clock.ts';

const list: Call = { operation: operationOf('suppliers', 'list') };
const get: Call = { operation: operationOf('suppliers', 'get'), ids: ['42'] };

/** Ways in which a service fails for a moment. Each takes the answer that it would have given. */
const passing: Record<string, (socket: Socket, answer: string) => void> = {
  'a 429 with seconds': (socket) => socket.write(json({}, '429 Too Many Requests', 'retry-after: 2\r\n')),
  'a 429 with a date': (socket) =>
    socket.write(
      json(
        {},
        '429 Too Many',
        `date: ${new Date().toUTCString()}\r\nretry-after: ${new Date(Date.now() + 9000).toUTCString()}\r\n`,
      ),
    ),
  'a 429 without a time': (socket) => socket.write(json({}, '429 Too Many Requests')),
  'a 429 with a negative time': (socket) =>
    socket.write(json({}, '429 Too Many Requests', 'retry-after: -5\r\n')),
  'a 429 with garbage': (socket) =>
    socket.write(json({}, '429 Too Many Requests', 'retry-after: soon 5\r\n')),
  'a 500': (socket) => socket.write(json({ message: 'Server error.' }, '500 Internal Server Error')),
  'a 503 with a web page': (socket) =>
    socket.write('HTTP/1.1 503 Busy\r\ncontent-length: 13\r\n\r\n<html></html>'),
  'a 524': (socket) => socket.write(json({}, '524 A Timeout Occurred')),
  'a 408 and the end': (socket) => socket.end(json({}, '408 Request Timeout', 'connection: close\r\n')),
  'a reset': (socket) => socket.resetAndDestroy(),
  'no answer': (socket) => socket.end(),
  'half an answer': (socket, answer) => socket.end(answer.slice(0, answer.length / 2)),
  'a reset inside the body': (socket, answer) => {
    socket.write(answer.slice(0, -5));
    setTimeout(() => socket.resetAndDestroy(), 2);
  },
};

/** Ways to give an answer that is right. */
const unusual: Record<string, (socket: Socket, answer: string) => unknown> = {
  'as it is': (socket, answer) => socket.write(answer),
  'and the end of the connection': (socket, answer) => socket.end(answer),
  'after a 100': (socket, answer) => socket.write(`HTTP/1.1 100 Continue\r\n\r\n${answer}`),
  'in small pieces': async (socket, answer) => {
    const size = Math.ceil(answer.length / 4);
    for (let part = 0; part < 4; part++) {
      // One after the other: timers that are late keep to no order.
      if (part > 0) await sleep(3);
      socket.write(answer.slice(part * size, (part + 1) * size));
    }
  },
};

test('temporary faults: a list is complete, and no wait is longer than five minutes', async () => {
  const faults = fc.constantFrom(...Object.keys(passing));
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 12 }),
      // Before each page there are up to three faults, which is what a read survives.
      fc.array(fc.array(faults, { maxLength: 3 }), { minLength: 12, maxLength: 12 }),
      fc.array(fc.constantFrom(...Object.keys(unusual)), { minLength: 12, maxLength: 12 }),
      async (pages, faultsOf, ways) => {
        const due = faultsOf.map((names) => [...names]);
        const clock = stillClock(0);
        const service = await startRawService((socket, request) => {
          const page = Number(/[?&]page=(\d+)/.exec(request)?.[1] ?? 1);
          const data = Array.from({ length: 10 }, (_, at) => ({ id: `${page}-${at}` }));
          const answer = json({ data, meta: { last_page: pages, total: pages * 10 } });
          const fault = due[page - 1]?.shift();
          const way = unusual[ways[page - 1] ?? ''] ?? (() => {});
          (fault === undefined ? way : (passing[fault] ?? way))(socket, answer);
        });
        const client = clientOver(transportTo(service), { clock });
        const rows = (await Array.fromAsync(client.pages(list))).flatMap((page) => page.rows);
        await service.close();
        expect(rows).toHaveLength(pages * 10);
        expect(Math.max(0, ...clock.waits)).toBeLessThanOrEqual(maxWaitMs);
      },
    ),
  );
});

/** What ends a read without a retry, with its message. */
const permanent: [string, (socket: Socket) => void, RegExp][] = [
  [
    'a web page with 200',
    (socket) => socket.write(whole('<!doctype html><title>Maintenance</title>')),
    /a web page instead of JSON/,
  ],
  ['an empty body', (socket) => socket.write(whole('')), /an empty body instead of JSON/],
  [
    'half of some JSON, as if it were whole',
    (socket) => socket.write(whole('{"data":[{"id":"1"},{"id"')),
    /damaged or incomplete/,
  ],
  [
    'JSON nested 100,000 deep',
    (socket) => socket.write(whole(`{"data":${'['.repeat(100_000)}${']'.repeat(100_000)}}`)),
    /nested too deep/,
  ],
  [
    'the same record twice',
    (socket) => socket.write(json({ data: [{ id: '1' }, { id: '1' }] })),
    /contains the record 1 twice/,
  ],
  [
    'something else than a list',
    (socket) => socket.write(json({ data: { id: '1' } })),
    /contains no list of records/,
  ],
  ['no JSON at all', (socket) => socket.write(whole('OK')), /text instead of JSON/],
  [
    'bytes that are no text',
    (socket) => socket.write(Buffer.concat([Buffer.from(whole('')), gzipSync('x')])),
    /not HTTP|was lost|instead of JSON/,
  ],
  ['a protocol of its own', (socket) => socket.end('SSH-2.0-OpenSSH\r\n'), /is not HTTP/],
  [
    '101 Switching Protocols',
    (socket) => socket.end('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    /./,
  ],
  [
    'an endless page of nothing but blanks',
    (socket) => pour(socket, ' '.repeat(65_536)),
    /too long, and was not read completely/,
  ],
  [
    'an endless list',
    (socket) => pour(socket, `{"id":"1"},`.repeat(6_000), '{"data":['),
    /too long, and was not read completely/,
  ],
  ['a gzip bomb without a request', (socket) => socket.write(bomb()), /gzip encoding/],
];

describe('a read: ends with exit 8 and one sentence:', () => {
  test.each(permanent)('%s', async (_, answer, sentence) => {
    const service = await startRawService((socket) => answer(socket));
    const failure = await failureOf(Array.fromAsync(clientOver(transportTo(service)).pages(list)));
    expect(failure).toMatchObject({
      category: 'unavailable',
      exitCode: 8,
      message: expect.stringMatching(sentence),
    });
    expect(failure.message).toMatch(/^[^\n]{10,300}[.)]$/);
  });
});

test('any bytes as an answer: end in a record or a failure in time', async () => {
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
      const outcome: unknown = await clientOver(transportTo(service, { timeoutMs: 300 }))
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

function whole(body: string): string {
  return `HTTP/1.1 200 OK\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** Writes the same without an end, as fast as it is taken. */
function pour(socket: Socket, text: string, first = ''): void {
  socket.write(`HTTP/1.1 200 OK\r\n\r\n${first}`);
  const more = () => {
    while (!socket.destroyed && socket.write(text));
  };
  socket.on('drain', more);
  more();
}

/** 50 MB in 50 KB. */
function bomb(): Buffer {
  const packed = gzipSync(Buffer.alloc(50 * 1024 * 1024));
  return Buffer.concat([
    Buffer.from(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${packed.length}\r\n\r\n`),
    packed,
  ]);
}
