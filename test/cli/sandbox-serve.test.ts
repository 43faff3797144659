/** Runs `boh sandbox serve` as scripts do: it prints one line when it is ready, serves the named sandbox, and exits with 0. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runBoh } from '../harness/run-boh.ts';
import { home, spawnBoh } from '../harness/spawn-boh.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { serveBoh } from './served-boh.ts';

/** Returns a function that runs boh on the same sandbox file in this process, which is faster than a new process. */
const bohFor =
  (name: string) =>
  (...argv: string[]) =>
    runBoh(argv, { env: { BOH_CONFIG_DIR: home, BOH_SANDBOX: name } });
const serve = (...args: string[]) => serveBoh(args, { BOH_CONFIG_DIR: home });

describe('boh sandbox serve', () => {
  it('prints the URLs and the credentials as one line of JSON', async () => {
    const served = await serve('--memory');
    expect(Object.keys(JSON.parse(served.line))).toEqual([
      'base_url',
      'authorize_url',
      'client_id',
      'client_secret',
      'token',
      'control_url',
      'control_token',
    ]);
    expect(served.base_url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const { data } = (await (await served.get('/whoami')).json()) as { data: Record<string, unknown> };
    expect([data.is_owner, (data.scopes as string[]).length]).toEqual([true, 21]);
    expect((await served.get('/openapi.json')).status).toBe(200);
    expect(await served.stop('SIGINT')).toBe(0);
  });

  it('-o table: prints a sentence with the URL', async () => {
    const argv = ['sandbox', 'serve', '--memory', '--port', '0', '-o', 'table'];
    const { stdout, exitCode } = await spawnBoh(argv, { killOnOutput: '\n' });
    expect(stdout).toMatch(/^The sandbox in memory is ready at http:\/\/127\.0\.0\.1:\d+\n$/);
    expect(exitCode).toBe(0);
  });

  it('SIGTERM while the inspector is open: exits with 0', async () => {
    const served = await serve('--memory');
    const stream = await served.get('/inspector/stream');
    expect(await served.stop('SIGTERM')).toBe(0);
    await stream.body?.cancel().catch(() => {});
  });

  it('SIGTERM while a request is delayed: exits with 0 and does not execute the request', async () => {
    const file = join(home, 'slow.yaml');
    writeFileSync(file, 'rules:\n  - {route: POST /suppliers, fault: latency, milliseconds: 60000}\n');
    const served = await serve('--name', 'slow', '--faults', file);
    let stderr = '';
    served.child.stderr?.setEncoding('utf8').on('data', (text) => {
      stderr += text;
    });
    const pendingRequest = request(`${served.base_url}/suppliers`, {
      method: 'POST',
      headers: { authorization: `Bearer ${served.token}`, 'content-type': 'application/json' },
    });
    const pendingResponse = once(pendingRequest, 'response') as Promise<[IncomingMessage]>;
    // The delayed request reaches the service before the next one.
    await new Promise<void>((resolve) => pendingRequest.end('{"name": "Too Late"}', resolve));
    await served.get('/suppliers');
    expect(await served.stop('SIGTERM')).toBe(0);
    const [response] = await pendingResponse;
    const note = 'Created the sandbox "slow" with the demo business.\n';
    expect([response.statusCode, stderr]).toEqual([503, note]);
    const { stdout } = await bohFor('slow')('--sandbox', 'suppliers', 'list', '--name', 'Too Late');
    expect(JSON.parse(stdout)).toEqual([]);
  });

  it('shares its data with --sandbox of the same name, in both directions', async () => {
    const boh = bohFor('shared');
    const served = await serve('--name', 'shared');
    const createResult = await boh('--sandbox', 'suppliers', 'create', '--name', 'Both Ways');
    const { id } = JSON.parse(createResult.stdout);
    expect((await served.get(`/suppliers/${id}`)).status).toBe(200);
    const remote = { BOH_BASE_URL: served.base_url, BOH_TOKEN: served.token };
    await runBoh(['suppliers', 'update', id, '--name', 'Renamed'], { env: remote });
    const { stdout } = await boh('--sandbox', 'suppliers', 'get', id);
    expect(JSON.parse(stdout).name).toBe('Renamed');
  });

  it('accepts its token after a reset or a restore by another process', async () => {
    const boh = bohFor('again');
    const served = await serve('--name', 'again');
    const total = async () =>
      ((await (await served.get('/customers')).json()) as { meta: { total: number } }).meta.total;
    await boh('sandbox', 'snapshot', 'save', 'full');
    await boh('sandbox', 'reset', '--yes', '--empty');
    expect(await total()).toBe(0);
    await boh('sandbox', 'snapshot', 'restore', 'full', '--yes');
    expect(await total()).toBe(200);
  });

  it('follows faults that another process sets', async () => {
    const boh = bohFor('faulty');
    const served = await serve('--name', 'faulty');
    await boh(
      'sandbox',
      'faults',
      'set',
      '--rule',
      '{"route": "GET /taxes", "fault": "status", "status": 503}',
    );
    expect((await served.get('/taxes')).status).toBe(503);
    await boh('sandbox', 'faults', 'clear');
    expect((await served.get('/taxes')).status).toBe(200);
  });

  it('--faults: reads faults from a file, and refuses an invalid file before it serves', async () => {
    const file = join(home, 'faults.yaml');
    writeFileSync(file, 'rules:\n  - {route: GET /taxes, fault: html, status: 502}\n');
    const served = await serve('--memory', '--faults', file);
    expect((await served.get('/taxes')).status).toBe(502);
    writeFileSync(file, 'rules:\n  - {fault: flood}\n');
    const { exitCode, stdout, stderr } = await runBoh(['sandbox', 'serve', '--memory', '--faults', file]);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain('rules.0.fault');
  });

  it('--name URL: the commands control a sandbox in memory, with its control token', async () => {
    const tokens = {
      BOH_SANDBOX_TOKEN: 'a-token-of-the-tests',
      BOH_SANDBOX_CONTROL_TOKEN: 'a-token-of-the-control',
    };
    const served = await serveBoh(['--memory'], { BOH_CONFIG_DIR: home, ...tokens });
    expect(served.line).not.toContain('a-token-of');
    const get = (path: string) =>
      fetch(served.base_url + path, { headers: { authorization: `Bearer ${tokens.BOH_SANDBOX_TOKEN}` } });
    const run = (...argv: string[]) =>
      runBoh(['sandbox', ...argv], { env: { ...tokens, BOH_SANDBOX_URL: served.base_url } });
    const json = async (...argv: string[]) => JSON.parse((await run(...argv)).stdout);
    expect((await get('/tags')).status).toBe(200);
    await get('/nothing');
    expect(await json('requests', '--path', '/tags', '--count', '1', '--wait', '5s')).toMatchObject([
      { operation: 'tags list', status: 200 },
    ]);
    const differing = await run('requests', '--method', 'POST', '--count', '1');
    expect([differing.exitCode, differing.stderr]).toEqual([6, expect.stringContaining('found 0')]);
    await run('requests', '--clear');
    expect(await json('requests')).toEqual([]);
    expect(await json('clock', 'freeze', '2030-01-01')).toMatchObject({ now: '2030-01-01 00:00:00' });
    expect(await json('settings', 'wire.page_size=2')).toMatchObject({ 'wire.page_size': 2 });
    await run('snapshot', 'save', 'start');
    await run('reset', '--empty', '--branches', '1', '--yes');
    expect(Object.values((await json('dump', 'customers')) as object)).toEqual([[]]);
    await run('snapshot', 'restore', 'start', '--yes');
    expect(await json('status')).toMatchObject({
      name: served.base_url,
      records: { customers: { active: 200 } },
    });
    expect(await json('snapshot', 'list')).toMatchObject([{ name: 'start' }]);
    const rule = '{"route": "GET /taxes", "fault": "status", "status": 503}';
    await run('faults', 'set', '--rule', rule);
    expect((await get('/taxes')).status).toBe(503);
    const wrong = (env: Record<string, string>) =>
      runBoh(['sandbox', 'reset', '--yes', '--name', served.base_url], { env });
    const results = [await wrong({}), await wrong({ BOH_SANDBOX_CONTROL_TOKEN: 'wrong' })];
    expect(results.map(({ exitCode }) => exitCode)).toEqual([3, 3]);
    expect((await json('dump', 'customers')).customers).toHaveLength(202);
  });

  it('--empty: creates a sandbox without the demo business, and refuses one that exists', async () => {
    const served = await serve('--name', 'empty', '--empty', '--clock', '2030-01-01');
    const { data } = (await (await served.get('/customers')).json()) as { data: unknown[] };
    expect(data).toEqual([]);
    expect(new Date(String((await served.get('/customers')).headers.get('date'))).getUTCFullYear()).toBe(
      2030,
    );
    const env = { BOH_CONFIG_DIR: home };
    const { exitCode, stderr } = await runBoh(['sandbox', 'serve', '--name', 'empty', '--empty'], { env });
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('--empty is only for a new sandbox.')]);
  });

  it('--variant strict: refuses empty requests, unknown fields and unknown words', async () => {
    const served = await serveBoh(
      ['--memory', '--like', 'foodics-v5', '--variant', 'strict'],
      {},
      { isStrict: false },
    );
    const post = async (path: string, body: string) => {
      const headers = { authorization: `Bearer ${served.token}`, 'content-type': 'application/json' };
      return (await fetch(`${served.base_url}/v5${path}`, { method: 'POST', headers, body })).status;
    };
    expect(await post('/suppliers', '{}')).toBe(400);
    expect(await post('/suppliers', '')).toBe(400);
    expect(await post('/tags', '{"name": "x", "type": 1, "unknown": 1}')).toBe(422);
    expect(await post('/tags', '{"name": "x", "type": 99}')).toBe(422);
    expect(await post('/tags', '{"name": "x", "type": 1}')).toBe(201);
  });

  it('BOH_SANDBOX_TOKEN: a short token is refused', async () => {
    const env = { BOH_SANDBOX_TOKEN: 'short' };
    const { exitCode, stderr } = await runBoh(['sandbox', 'serve', '--memory'], { env });
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('BOH_SANDBOX_TOKEN must have 16')]);
  });

  it('--api-prefix: serves below a prefix', async () => {
    const served = await serve('--memory', '--api-prefix', '/v5');
    expect((await served.get('/v5/whoami')).status).toBe(200);
    const env = { BOH_BASE_URL: served.base_url, BOH_TOKEN: served.token, BOH_API_PREFIX: '/v5' };
    expect((await runBoh(['whoami'], { env })).exitCode).toBe(0);
  });

  it('accepts what Laravel services accept, and lists ignored fields with -v', async () => {
    const lenient = await serveBoh(['--memory', '-v'], { BOH_CONFIG_DIR: home }, { isStrict: false });
    let stderr = '';
    lenient.child.stderr?.setEncoding('utf8').on('data', (text) => {
      stderr += text;
    });
    const create = ({ base_url, token }: { base_url: string; token: string }) =>
      fetch(`${base_url}/suppliers`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'A', 'ex\u001btra': 1 }),
      });
    expect((await create(lenient)).status).toBe(201);
    expect((await lenient.get('/suppliers?per_page=500&include=tags,')).status).toBe(200);
    await lenient.stop();
    expect(stderr).toMatch(/^POST \/suppliers: ignored unknown fields: ex\S*tra\n$/);
    expect(stderr).not.toContain('\u001b');
    const strict = await serve('--memory');
    expect((await create(strict)).status).toBe(422);
    expect((await strict.get('/suppliers?per_page=500')).status).toBe(400);
  });

  it('requests: a stored setting and --variant go before the default', async () => {
    await bohFor('stored-strict')('sandbox', 'settings', 'wire.requests=strict');
    const status = async (...args: string[]) =>
      (await (await serveBoh(args, { BOH_CONFIG_DIR: home }, { isStrict: false })).get('/taxes?per_page=5'))
        .status;
    expect(await status('--name', 'stored-strict')).toBe(400);
    expect(await status('--name', 'stored-strict', '--variant', 'wire.requests=lenient')).toBe(200);
    expect(await status('--memory', '--variant', 'wire.requests=strict')).toBe(400);
  });

  it('--like: serves the resources and the behavior of a preset, under its prefix', async () => {
    const served = await serve('--memory', '--like', 'foodics-v5');
    const orders = await served.get('/v5/orders?sort=-reference');
    const { data, meta } = (await orders.json()) as { data: { reference: number }[]; meta: object };
    expect([data[0]?.reference, meta]).toMatchObject([222, { links: expect.any(Array) }]);
    expect(orders.headers.get('x-ratelimit-limit')).toBe('90');
    const document = (await (await fetch(`${served.base_url}/openapi.json`)).json()) as { paths: object };
    expect(Object.keys(document.paths)).toContain('/orders');
    const env = { BOH_BASE_URL: served.base_url, BOH_TOKEN: served.token, BOH_LIKE: 'foodics-v5' };
    expect((await runBoh(['branches', 'list'], { env })).stdout).toContain('Riverside');
  });

  it('--variant, a stored setting and --api-prefix: go before --like', async () => {
    await bohFor('stored-like')(
      'sandbox',
      'settings',
      'wire.requests_per_minute=7',
      'wire.page_links=absent',
    );
    const args = ['--like', 'foodics-v5', '--api-prefix', '/v9', '--variant', 'wire.page_links=shown'];
    const served = await serve('--name', 'stored-like', ...args);
    const response = await served.get('/v9/taxes');
    expect(response.headers.get('x-ratelimit-limit')).toBe('7');
    expect(await response.json()).toMatchObject({ meta: { links: expect.any(Array) } });
  });

  it('--webhook: posts changes of clients, and orders of other processes', async () => {
    const events: { event: string; signature: string | string[] | undefined }[] = [];
    const receiver = createServer(async (incoming, outgoing) => {
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk);
      const { event } = JSON.parse(Buffer.concat(chunks).toString());
      events.push({ event, signature: incoming.headers['x-webhook-signature'] });
      outgoing.end();
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void receiver.close());
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
    const env = { BOH_CONFIG_DIR: home, BOH_WEBHOOK_SECRET: 'secret' };
    const served = await serveBoh(['--name', 'webhook', '--webhook', url], env);
    const remote = { BOH_BASE_URL: served.base_url, BOH_TOKEN: served.token };
    const argv = ['customers', 'create', '--name', 'A', '--dial-code', '966', '--phone', '570000001'];
    expect((await runBoh(argv, { env: remote })).exitCode).toBe(0);
    const { exitCode } = await bohFor('webhook')('sandbox', 'order', '--customer', '@A', '--total', '20');
    expect(exitCode).toBe(0);
    await waitUntil(() => expect(events).toHaveLength(2));
    expect(events).toEqual([
      { event: 'customer.created', signature: expect.stringMatching(/^[0-9a-f]{64}$/) },
      { event: 'order.created', signature: expect.stringMatching(/^[0-9a-f]{64}$/) },
    ]);
    expect(await served.stop()).toBe(0);
  });

  it('--redirect-uri: is used by an authorization request without one', async () => {
    const redirectUri = 'https://app.example/callback';
    const args = ['--memory', '--auto-approve', '--redirect-uri', redirectUri];
    const served = await serveBoh(args, { BOH_CONFIG_DIR: home }, { isStrict: false });
    const url = `${served.authorize_url}?client_id=${served.client_id}&state=s`;
    const { status, headers } = await fetch(url, { redirect: 'manual' });
    expect([status, headers.get('location')]).toEqual([
      302,
      expect.stringMatching(`^${redirectUri}\\?code=`),
    ]);
  });

  it.each([
    [['--redirect-uri', 'app.example'], 'app.example'],
    [['--like', 'foodics-v6'], 'Did you mean "foodics-v5"?'],
    [['--port', '70000'], "70000 isn't a port"],
    [['--port', 'x'], "x isn't a port"],
    [['--name', '../x'], "isn't a valid name"],
    [['--name', 'x', '--memory'], "--memory can't be combined with --name."],
    [['--durable', '--memory'], "--durable can't be combined with --memory."],
  ])('%j: is refused', async (args, message) => {
    const { exitCode, stdout, stderr } = await runBoh(['sandbox', 'serve', ...args]);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
  });
});
