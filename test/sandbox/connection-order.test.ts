/** Tests that requests of one connection wait for earlier ones, and that reading stops while requests wait. */
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { ConnectionOrder } from '../../src/sandbox/server/listen.ts';
import { waitForTurns, waitUntil } from '../harness/wait-until.ts';

const requestCount = 4000;

it('requests sent without waiting for responses: only the first few are read at a time', async () => {
  const order = new ConnectionOrder();
  let readCount = 0;
  const completedRequests: number[] = [];
  const pendingResponses: ServerResponse[] = [];
  let isPaused = true;
  const server = createServer((incoming, outgoing) => {
    readCount += 1;
    order.run({ incoming, outgoing }, () => {
      completedRequests.push(Number(incoming.url?.slice(1)));
      if (isPaused) pendingResponses.push(outgoing);
      else setImmediate(() => outgoing.end('x'));
    });
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  const padding = 'x'.repeat(8000);
  const lines = Array.from({ length: requestCount }, (_, index) => {
    const end = index === requestCount - 1 ? 'Connection: close\r\n' : '';
    return `GET /${index} HTTP/1.1\r\nHost: localhost\r\nX: ${padding}\r\n${end}\r\n`;
  });
  // These bytes exceed the socket buffers of the operating system.
  socket.write(lines.join(''));
  let received = '';
  socket.on('data', (data) => {
    received += data;
  });
  await waitUntil(() => expect(pendingResponses).toHaveLength(1));
  await waitForTurns(500);
  expect(readCount).toBeLessThan(100);
  isPaused = false;
  for (const outgoing of pendingResponses) outgoing.end('x');
  await new Promise((resolve) => socket.once('close', resolve));
  expect(completedRequests).toEqual(Array.from({ length: requestCount }, (_, index) => index));
  expect(received.split('HTTP/1.1 200').length - 1).toBe(requestCount);
});
