/** Imports at a service that executes writes, but returns an empty 200 response for them. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { serveSandbox } from '../harness/served-sandbox.ts';
import { spawnBoh } from '../harness/spawn-boh.ts';

/** Starts a service that returns an empty body for writes, and no records in lists of customers unless `isListed`. */
async function startSilentService({ isListed }: { isListed: boolean }) {
  const folder = mkdtempSync(join(tmpdir(), 'boh-silent-'));
  const served = await serveSandbox();
  const writes: string[] = [];
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    const isRead = method === 'GET';
    const body = isRead ? undefined : await text(request);
    if (!isRead) writes.push(`${method} ${url}`);
    const upstream = await fetch(served.baseUrl + url, {
      method,
      headers: { authorization: String(headers.authorization), 'content-type': 'application/json' },
      ...(body && { body }),
    });
    const responseBody = await upstream.text();
    response.writeHead(upstream.status, { 'content-type': 'application/json' });
    const isHidden = !isListed && url.startsWith('/customers');
    response.end(isRead ? (isHidden ? '{"data":[],"meta":{"total":0}}' : responseBody) : '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  });
  const rows = Array.from({ length: 5 }, (_, index) => `Silent ${index},88${index}`);
  writeFileSync(join(folder, 'rows.csv'), `name,phone\n${rows.join('\n')}\n`);
  const env = {
    BOH_CONFIG_DIR: folder,
    BOH_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    BOH_TOKEN: served.token,
  };
  const line = (...flags: string[]) => ['customers', 'import', join(folder, 'rows.csv'), ...flags, '--yes'];
  const countRecords = async () => {
    const response = await served.get('/customers?filter[name]=Silent');
    return ((await response.json()) as { data: unknown[] }).data.length;
  };
  const failedFile = join(folder, 'failed.csv');
  return { boh: (...words: string[]) => spawnBoh(words, { env }), line, writes, countRecords, failedFile };
}

test.each([
  ['by their key', ['--key', 'phone']],
  ['by all their values without a key', ['--mode', 'create']],
])(
  'import of rows whose creation is not reported: finds them %s, and counts them as done',
  async (_, flags) => {
    const { boh, line, countRecords } = await startSilentService({ isListed: true });
    const result = await boh(...line(...flags));
    const rows = result.stdout
      .trim()
      .split('\n')
      .map((row) => JSON.parse(row));
    expect([result.exitCode, rows.map(({ outcome, id }) => [outcome, typeof id])]).toEqual([
      0,
      Array.from({ length: 5 }, () => ['done', 'string']),
    ]);
    expect(await countRecords()).toBe(5);
  },
);

test('rows of an import that lists do not contain: have an unknown outcome, are not sent again, and are not failed rows', async () => {
  const { boh, line, countRecords, writes, failedFile } = await startSilentService({ isListed: false });
  const result = await boh(...line('--mode', 'create', '--failed', failedFile));
  expect(result.exitCode).toBe(9);
  const rows = result.stdout
    .trim()
    .split('\n')
    .map((row) => JSON.parse(row));
  expect(new Set(rows.map(({ outcome }) => outcome))).toEqual(new Set(['unknown']));
  expect([writes.length, await countRecords()]).toEqual([5, 5]);
  expect(existsSync(failedFile)).toBe(false);
});
