import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { runBoh } from '../harness/run-boh.ts';

/** Starts a service that responds to every request with this status. `requests` are the received requests. */
async function serve(status: number): Promise<{ env: Record<string, string>; requests: string[] }> {
  const requests: string[] = [];
  const server = createServer(({ method, url }, response) => {
    requests.push(`${method} ${url}`);
    response.writeHead(status, { 'retry-after': '0' }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  // Without the history, a write is a single request.
  const env = { BOH_TOKEN: 'a-token', BOH_BASE_URL: baseUrl, BOH_HISTORY_JOURNAL: 'off' };
  return { env, requests };
}

test('boh api: sends a write only once, also if its method is GET', async () => {
  const { env, requests } = await serve(502);
  const redeem = await runBoh(['api', 'GET', '/loyalty_rewards/1?order_id=7'], { env });
  expect(redeem).toMatchObject({ exitCode: 8, stderr: expect.stringContaining('"outcome":"unknown"') });
  expect(requests).toEqual(['GET /loyalty_rewards/1?order_id=7']);

  requests.length = 0;
  const update = await runBoh(['api', 'PUT', '/taxes/1', '--data', '{"name":"VAT"}'], { env });
  expect(update).toMatchObject({ exitCode: 8, stderr: expect.stringContaining('"outcome":"unknown"') });
  expect(requests).toEqual(['PUT /taxes/1']);
});

test('boh api: retries a read that failed', async () => {
  const { env, requests } = await serve(521);
  expect(await runBoh(['api', 'GET', '/taxes/1'], { env })).toMatchObject({ exitCode: 8 });
  expect(requests).toHaveLength(4);
});
