/** Accepts every record, with a delay before each response: `post-server.ts LATENCY_MS`. Prints the URL of the server. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';

const latencyMs = Number(process.argv[2]);
const whoami = JSON.stringify({
  data: { user: { id: 'user-1' }, business: { id: 'business-1', name: 'Bench' } },
});
let recordCount = 0;

const server = createServer(async (request, response: ServerResponse) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  if (latencyMs > 0) await setTimeout(latencyMs);
  response.setHeader('content-type', 'application/json');
  if (request.method === 'GET') return response.end(whoami);
  const id = `record-${recordCount++}`;
  const record = body.startsWith('{') ? JSON.parse(body) : {};
  // The stripe CLI reads `id`, boh reads `data.id`.
  return response.end(JSON.stringify({ id, data: { ...record, id } }));
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
