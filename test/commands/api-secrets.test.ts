/** Secrets in requests of `boh api` are in no output and no file, even if the service repeats the request. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runBoh } from '../harness/run-boh.ts';

const folder = mkdtempSync(join(tmpdir(), 'boh-api-secrets-'));
let status = 200;
const service = createServer(async (request, response) => {
  const { method, url, headers } = request;
  const requestText = `${method} ${url} ${JSON.stringify(headers)} ${await text(request)}`;
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ message: requestText, errors: { [requestText]: [requestText] } }));
});
beforeAll(() => new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve)));
afterAll(() => {
  service.close();
  service.closeAllConnections();
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
});

const token = 'CANARY-token-8814';
const bodies = [
  { grant_type: 'authorization_code', code: 'CANARY-code', client_secret: 'CANARY-client' },
  { nested: [{ refresh_token: 'CANARY-refresh', id_token: 'CANARY-id' }], token: 'CANARY-other' },
  { pin: 'CANARY-pin', user: { password: 'CANARY "pass\\word' }, code_verifier: 'CANARY-verifier' },
];
const paths = ['/users/7', '/not/known', '/users/7?pin=CANARY-query&access_token=CANARY-access'];

async function boh(...line: string[]): Promise<string> {
  const { port } = service.address() as AddressInfo;
  const env = { BOH_CONFIG_DIR: folder, BOH_BASE_URL: `http://127.0.0.1:${port}`, BOH_TOKEN: token };
  const { exitCode, stdout, stderr } = await runBoh([...line, '--yes'], { env });
  expect(exitCode, stderr).not.toBe(1);
  return stdout + stderr;
}

function storedText(path = folder): string {
  return readdirSync(path, { withFileTypes: true })
    .map((entry) => join(path, entry.name) + (entry.isDirectory() ? storedText(join(path, entry.name)) : ''))
    .concat(
      readdirSync(path, { withFileTypes: true }).flatMap((entry) =>
        entry.isFile() ? readFileSync(join(path, entry.name), 'latin1') : [],
      ),
    )
    .join('\n');
}

describe.each([422, 400, 404, 500, 403])('a response with status %i that repeats the request', (code) => {
  test('no output and no file contains the secrets of the request', async () => {
    status = code;
    let output = '';
    for (const path of paths) {
      for (const body of bodies) {
        for (const flags of [[], ['--verbose'], ['--dry-run']])
          output += await boh('api', 'PUT', path, '--data', JSON.stringify(body), ...flags);
      }
    }
    // Reads are retried after a 500. They run at the same time, so that their waits overlap.
    const reads = [
      ...paths.map((path) => ['api', 'GET', path, '--query', 'filter[pin]=CANARY-filter']),
      ['users', 'list', '--filter', 'pin=CANARY-list'],
    ];
    output += (await Promise.all(reads.map((words) => boh(...words, '--verbose')))).join('');
    output += await boh('history', '-o', 'json');
    output += await boh('history', 'export');
    expect(output.match(/.*CANARY.*/g)).toBeNull();
    expect(storedText().match(/CANARY[\w-]*/g)).toBeNull();
  });
});

test('a token in a successful response: is redacted in the output', async () => {
  status = 200;
  expect(await boh('api', 'PUT', '/not/known', '--data', '{"name":"x"}')).not.toContain(token);
  expect(await boh('api', 'GET', '/not/known', '--verbose')).not.toContain(token);
});
