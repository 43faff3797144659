/** Requests of one connection wait for earlier ones, and reading stops while requests wait. */
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { ConnectionOrder } from '../../src/sandbox/server/listen.ts';
import { waitForTurns, waitUntil } from '../harness/wait-until.ts';

const requests = 4000;

it('requests sent without waiting for responses: only the first few are read at a time', async () => {
  const order = new ConnectionOrder();
  let seen = 0;
  const done: number[] = [];
  const held: ServerResponse[] = [];
  let isHeld = true;
  const server = createServer((incoming, outgoing) => {
    seen += 1;
    order.run({ incoming, outgoing }, () => {
      done.push(Number(incoming.url?.slice(1)));
      if (isHeld) held.push(outgoing);
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
  const lines = Array.from({ length: requests }, (_, index) => {
    const end = index === requests - 1 ? 'Connection: close\r\n' : '';
    return `GET /${index} HTTP/1.1\r\nHost: localhost\r\nX: ${padding}\r\n${end}\r\n`;
  });
  // More than the system buffers between two programs.
  socket.write(lines.join(''));
  let answers = '';
  socket.on('data', (data) => {
    answers += data;
  });
  await waitUntil(() => expect(held).toHaveLength(1));
  await waitForTurns(500);
  expect(seen).toBeLessThan(100);
  isHeld = false;
  for (const outgoing of held) outgoing.end('x');
  await new Promise((resolve) => socket.once('close', resolve));
  expect(done).toEqual(Array.from({ length: requests }, (_, index) => index));
  expect(answers.split('HTTP/1.1 200').length - 1).toBe(requests);
});
