import { type AddressInfo, createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { startMeasured } from '../harness/measured-boh.ts';

const megabyte = 1024 * 1024;

/** Writes the piece repeatedly, as fast as it is read, until the other end closes. */
function writeRepeatedly(socket: Socket, head: string, piece: string, count: number): void {
  socket.write(head);
  let remaining = count;
  const writeMore = () => {
    while (remaining > 0 && !socket.destroyed) {
      remaining--;
      if (!socket.write(piece)) return;
    }
  };
  socket.on('drain', writeMore);
  writeMore();
}

const rows = `{"id":"1","name":"${'x'.repeat(1000)}"},`.repeat(1000);
const gzipBomb = gzipSync(Buffer.alloc(500 * megabyte));

const hostileResponses: [string, (socket: Socket) => void][] = [
  [
    '200 MB of JSON',
    (socket) =>
      writeRepeatedly(
        socket,
        `HTTP/1.1 200 OK\r\ncontent-length: ${200 * megabyte}\r\n\r\n{"data":[`,
        rows,
        200,
      ),
  ],
  [
    'JSON without an end',
    (socket) => writeRepeatedly(socket, 'HTTP/1.1 200 OK\r\n\r\n{"data":[', rows, 1_000_000),
  ],
  [
    'a gzip bomb',
    (socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${gzipBomb.length}\r\n\r\n`);
      socket.write(gzipBomb);
    },
  ],
  [
    '30 MB of brackets',
    (socket) =>
      writeRepeatedly(
        socket,
        `HTTP/1.1 200 OK\r\ncontent-length: ${30 * megabyte}\r\n\r\n`,
        '['.repeat(megabyte),
        30,
      ),
  ],
  [
    'headers without an end',
    (socket) => writeRepeatedly(socket, 'HTTP/1.1 200 OK\r\nx: ', 'y'.repeat(65_536), 1_000_000),
  ],
  [
    'a body that arrives very slowly',
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      const drip = setInterval(() => socket.write(' '), 20);
      socket.on('close', () => clearInterval(drip));
    },
  ],
  ['no response', () => {}],
];

test.each(hostileResponses)(
  '%s: takes little memory, and ends with exit code 8 and an error message',
  async (_, respond) => {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => respond(socket));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    // One try, so that the memory of a single response is measured.
    const words = ['customers', 'get', '1', '--timeout', '1', '--deadline', '4', '-o', 'json'];
    const { child, usage } = startMeasured(words, { port });
    const exit = new Promise<number | null>((resolve) => child.on('close', resolve));
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    expect({ exitCode: await exit, stdout }).toEqual({ exitCode: 8, stdout: '' });
    expect(stderr).toMatch(/\{"error":\{"category":"unavailable","exit_code":8/);
    expect(usage().peakMb).toBeLessThan(320);
  },
);
