/** A service that takes every record: post-server.ts MILLISECONDS, so long before each answer. Says its address on stdout. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';

const latency = Number(process.argv[2]);
const whoami = JSON.stringify({
  data: { user: { id: 'user-1' }, business: { id: 'business-1', name: 'Bench' } },
});
let made = 0;

const server = createServer(async (request, response: ServerResponse) => {
  let sent = '';
  for await (const chunk of request) sent += chunk;
  if (latency > 0) await setTimeout(latency);
  response.setHeader('content-type', 'application/json');
  if (request.method === 'GET') return response.end(whoami);
  const id = `record-${made++}`;
  const record = sent.startsWith('{') ? JSON.parse(sent) : {};
  // One program looks for the id outside, the other one inside.
  return response.end(JSON.stringify({ id, data: { ...record, id } }));
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
