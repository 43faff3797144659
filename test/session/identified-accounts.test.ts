/** The account of a token is requested once and remembered. Until it is known, nothing is written. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { runBoh } from '../harness/run-boh.ts';
import { temporaryFolders } from '../settings/temporary-folder.ts';

const newFolder = temporaryFolders();

/** The status of responses to whoami. */
let whoamiStatus = 200;
const requests: string[] = [];
const server = createServer((request, response) => {
  const path = String(request.url).split('?')[0];
  requests.push(`${request.method} ${path}`);
  const isWhoami = path === '/whoami';
  const status = isWhoami ? whoamiStatus : 200;
  // A failure asks for a pause that is too long to wait for.
  const headers = { 'content-type': 'application/json', ...(status !== 200 && { 'retry-after': '3600' }) };
  const tag = { id: '1', name: 'Cold', type: 1, deleted_at: null };
  const data = isWhoami ? { user: { id: 'u' }, business: { id: '7', name: 'Bakery' } } : tag;
  response.writeHead(status, headers).end(JSON.stringify({ data }));
});

beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => void server.close());
beforeEach(() => {
  whoamiStatus = 200;
  requests.length = 0;
});

function openAccount() {
  const { port } = server.address() as AddressInfo;
  const env = { BOH_CONFIG_DIR: newFolder(), BOH_BASE_URL: `http://127.0.0.1:${port}`, BOH_TOKEN: 'a-token' };
  return (line: string) => runBoh(line.split(' '), { env });
}

test('an account that was requested before: is known to all commands, also if whoami fails', async () => {
  const boh = openAccount();
  expect((await boh('tags create --name Cold --type 1')).exitCode).toBe(0);
  expect(requests).toEqual(['GET /whoami', 'POST /tags']);
  whoamiStatus = 503;
  const second = await boh('tags create --name Cold --type 1');
  expect(second.exitCode, second.stderr).toBe(0);
  const { stdout } = await boh('history -o json');
  expect(JSON.parse(stdout).map(({ business }: { business: string }) => business)).toEqual([
    'Bakery',
    'Bakery',
  ]);
  expect(requests).toEqual(['GET /whoami', 'POST /tags', 'POST /tags']);
});

test('an account that the service fails to report: nothing is sent, and no history is shown', async () => {
  const boh = openAccount();
  whoamiStatus = 503;
  const result = await boh('tags create --name Cold --type 1');
  expect([result.exitCode, result.stderr]).toEqual([8, expect.stringContaining('"outcome":"not_sent"')]);
  expect((await boh('history')).exitCode).toBe(8);
  expect(requests.filter((request) => request !== 'GET /whoami')).toEqual([]);
});
