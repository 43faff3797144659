import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { repetitions, reportTried } from '../harness/repetitions.ts';
import { failureOf, runBoh } from '../harness/run-boh.ts';
import { spawnBoh } from '../harness/spawn-boh.ts';
import { temporaryFolders } from '../settings/temporary-folder.ts';

const newFolder = temporaryFolders();

/** Starts a service that refuses every token except `good-token`. */
async function serve() {
  const counts = { refused: 0, accepted: 0 };
  const server = createServer(({ headers, url }, response) => {
    if (headers.authorization === 'Bearer good-token') {
      counts.accepted++;
      response.end(
        JSON.stringify(
          url === '/whoami' ? { data: { user: { id: '1' } } } : { data: [], meta: { total: 0 } },
        ),
      );
    } else {
      counts.refused++;
      response.writeHead(401).end('{"message":"Unauthenticated."}');
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const BOH_BASE_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const folder = newFolder();
  return { counts, folder, env: { BOH_BASE_URL, BOH_CONFIG_DIR: folder } };
}

const list = ['suppliers', 'list'];

test('a refused token: is not sent again by other runs, which report the reason', async () => {
  const { counts, env, folder } = await serve();
  const refusedEnv = { ...env, BOH_TOKEN: 'token-CANARY-4711' };
  expect(await runBoh(list, { env: refusedEnv })).toMatchObject({ exitCode: 3 });
  const second = await runBoh(['suppliers', 'create', '--name', 'Farms'], { env: refusedEnv });
  expect(second).toMatchObject({ exitCode: 3 });
  expect(failureOf(second).message).toMatch(
    /^The service rejected this token a moment ago\. To keep the service from blocking this machine, boh sends it again after \d+ s\./,
  );
  expect(counts.refused).toBe(1);
  // Another token, and the same token at another service, are tried.
  expect(await runBoh(list, { env: { ...env, BOH_TOKEN: 'good-token' } })).toMatchObject({ exitCode: 0 });
  const otherService = await serve();
  await runBoh(list, { env: { ...refusedEnv, BOH_BASE_URL: otherService.env.BOH_BASE_URL } });
  expect(otherService.counts.refused).toBe(1);
  const file = join(folder, 'cache', 'refused.json');
  expect(readFileSync(file, 'utf8')).not.toContain('CANARY');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(folder, 'cache')).filter((name) => name.startsWith('refused'))).toEqual([
    'refused.json',
  ]);
});

test('auth login and auth status: send a token that was refused before', async () => {
  const { counts, env } = await serve();
  const refusedEnv = { ...env, BOH_TOKEN: 'token-CANARY-4711' };
  await runBoh(list, { env: refusedEnv });
  await runBoh(['auth', 'status', '--check'], { env: refusedEnv });
  expect(counts.refused).toBe(2);
  await runBoh(['auth', 'login', '--with-token', '--profile', 'diner'], {
    env,
    stdin: 'token-CANARY-4711\n',
  });
  expect(counts.refused).toBe(3);
});

test('many processes with a refused token: only those that start at the same time are refused', async () => {
  const { counts, env } = await serve();
  const processesAtOnce = 12;
  const groups = Math.min(repetitions(2), 7);
  // The service blocks an IP address after sixty refusals.
  for (let group = 0; group < groups; group++) {
    const runs = Array.from({ length: processesAtOnce }, () =>
      spawnBoh(list, { env: { ...env, BOH_TOKEN: 'token-CANARY-4711' } }),
    );
    for (const run of await Promise.all(runs)) expect(run.exitCode).toBe(3);
  }
  expect(counts.refused).toBeLessThanOrEqual(processesAtOnce);
  reportTried({ tried: `${groups * processesAtOnce} processes, ${counts.refused} refusals` });
});
