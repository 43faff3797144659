import { mkdtempSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { home } from '../harness/home-folder.ts';
import { openClient, type TestResponse } from './client.ts';
import { type ServedClient, serve } from './served.ts';

const controlToken = 'the-control-token';

/** A served sandbox whose control is used by its paths. */
interface ControlledServer extends ServedClient {
  /** Sends a control request, and returns its status and JSON. */
  control(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<TestResponse>;
}

async function serveControlled(options: Parameters<typeof serve>[0] = {}): Promise<ControlledServer> {
  const applied: unknown[] = [];
  const server = await serve({
    control: {
      token: controlToken,
      env: { BOH_CONFIG_DIR: mkdtempSync(join(home, 'control-')) },
      services: {
        applyContents: async (_, manifests) => void applied.push(...manifests),
        idOf: async (_, __, id) => id,
      },
      bodyTimeoutMs: 50,
      maxSandboxes: 5,
    },
    ...options,
  });
  return {
    ...server,
    async control(method, path, body, headers = {}) {
      const response = await fetch(`${server.baseUrl}${path}`, {
        method,
        headers: { authorization: `Bearer ${controlToken}`, ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return { status: response.status, headers: {}, json: await response.json() };
    },
  };
}

/** Returns the records of a list. */
async function listOf(response: Promise<Response>): Promise<unknown[]> {
  return ((await (await response).json()) as { data: unknown[] }).data;
}

const inMemory = async () => serveControlled({ client: await openClient({ file: ':memory:' }) });

describe.each([
  ['in a file', serveControlled],
  ['in memory', inMemory],
])('the control of a sandbox %s', (_, start) => {
  it('reset and snapshots: replace all data, and tokens stay valid', async () => {
    const { control, request } = await start();
    const names = async () => (await listOf(request('/tags'))).length;
    const before = await names();
    expect(await control('POST', '/_boh/snapshots', { name: 'full' })).toMatchObject({ status: 200 });
    expect(await control('POST', '/_boh/reset', { from: 'empty' })).toMatchObject({
      status: 200,
      json: { from: 'empty' },
    });
    expect(await names()).toBe(0);
    expect((await control('POST', '/_boh/snapshots/full/restore')).status).toBe(200);
    expect(await names()).toBe(before);
    expect((await control('GET', '/_boh/snapshots')).json).toMatchObject([{ name: 'full' }]);
    await control('POST', '/_boh/reset', { from: 'empty' });
    await control('POST', '/_boh/reset', { from: 'full' });
    expect(await names()).toBe(before);
    expect((await control('POST', '/_boh/reset')).json).toEqual({ from: 'demo' });
    expect((await control('DELETE', '/_boh/snapshots/full')).status).toBe(200);
    expect((await control('POST', '/_boh/snapshots/full/restore')).status).toBe(404);
    expect((await control('POST', '/_boh/snapshots', { name: '../x' })).status).toBe(422);
  });

  it('clock, faults and settings: are changed and read', async () => {
    const { control, request } = await start();
    const frozen = await control('PUT', '/_boh/clock', { freeze: '2030-01-01' });
    expect(frozen.json).toMatchObject({ now: '2030-01-01 00:00:00', is_frozen: true });
    expect((await control('PUT', '/_boh/clock', { advance: '26h' })).json.now).toBe('2030-01-02 02:00:00');
    expect((await control('PUT', '/_boh/clock', { advance: '1h', freeze: true })).status).toBe(422);
    expect((await control('DELETE', '/_boh/clock')).json).toMatchObject({
      is_frozen: false,
      ahead_seconds: 0,
    });
    await control('PUT', '/_boh/faults', { rules: [{ fault: 'status', status: 503 }] });
    expect((await request('/tags')).status).toBe(503);
    expect((await control('GET', '/_boh/faults')).json.rules).toHaveLength(1);
    await control('DELETE', '/_boh/faults');
    expect((await request('/tags')).status).toBe(200);
    const invalid = await control('PUT', '/_boh/faults', { rules: [{ fault: 'status', status: 200 }] });
    expect(invalid).toMatchObject({
      status: 422,
      json: { errors: { 'rules.0.status': [expect.any(String)] } },
    });
    expect((await control('PATCH', '/_boh/settings', { 'wire.page_size': 3 })).json['wire.page_size']).toBe(
      3,
    );
    expect(await listOf(request('/customers'))).toHaveLength(3);
    expect((await control('PATCH', '/_boh/settings', { unknown: 3 })).status).toBe(422);
  });
});

describe('the requests of a served sandbox', () => {
  it('are listed with status, operation and duration, without secrets', async () => {
    const { control, request, client } = await serveControlled();
    await request('/tags?page=1');
    await request('/tags', {
      method: 'POST',
      body: '{"name":"New","type":1}',
      headers: { 'content-type': 'application/json' },
    });
    await request('/nothing');
    const { json } = await control('GET', '/_boh/requests');
    expect(json.count).toBe(3);
    expect(json.requests).toMatchObject([
      { method: 'GET', target: '/tags?page=1', status: 200, operation: 'tags list' },
      { method: 'POST', status: 201, operation: 'tags create' },
      { target: '/nothing', status: 404, operation: '' },
    ]);
    expect(json.requests[0].milliseconds).toBeGreaterThan(0);
    expect(JSON.stringify(json)).not.toContain(client.token);
    expect((await control('GET', '/_boh/requests?method=POST&path=/tags&status=201')).json.count).toBe(1);
    await control('DELETE', '/_boh/requests');
    expect((await control('GET', '/_boh/requests')).json.count).toBe(0);
  });

  it('count: waits for exactly this number', async () => {
    const { control, request } = await serveControlled();
    const waiting = control('GET', '/_boh/requests?path=/tags/*&count=1&wait=30s');
    await request('/tags/none');
    expect((await waiting).json.count).toBe(1);
    await request('/tags/none');
    expect(await control('GET', '/_boh/requests?path=/tags/*&count=1&wait=30s')).toMatchObject({
      status: 409,
      json: { message: 'Expected 1 requests /tags/* within 30s, found 2.' },
    });
    expect((await control('GET', '/_boh/requests?count=5')).status).toBe(409);
    expect((await control('GET', '/_boh/requests?method=PUT&count=0&wait=0.05s')).status).toBe(200);
  });
});

describe('sandboxes beside the first one', () => {
  it('have their own records, clock, faults and requests', async () => {
    const { baseUrl, control, request } = await serveControlled();
    await control('POST', '/_boh/snapshots', { name: 'start' });
    const created = await Promise.all(
      ['demo', 'empty', 'start'].map(
        async (from) => (await control('POST', '/_boh/sandboxes', { from })).json,
      ),
    );
    const [demo, empty, copy] = created;
    expect(demo.base_url).toBe(`${baseUrl}/s/${demo.id}`);
    expect(demo.control_url).toBe(`${demo.base_url}/_boh`);
    const getFrom = async ({ base_url, token }: typeof demo, path: string): Promise<TestResponse['json']> =>
      (await fetch(base_url + path, { headers: { authorization: `Bearer ${token}` } })).json();
    expect((await getFrom(empty, '/customers')).data).toEqual([]);
    expect((await getFrom(demo, '/customers')).data).toHaveLength(50);
    expect((await getFrom(copy, '/customers')).links.next).toContain(`/s/${copy.id}/customers?`);
    // A token is valid in its own sandbox only.
    expect(await getFrom({ ...empty, token: demo.token }, '/customers')).toEqual({
      message: 'Unauthenticated.',
    });
    await control('PUT', `/s/${demo.id}/_boh/faults`, { rules: [{ fault: 'status', status: 503 }] });
    await control('PUT', `/s/${demo.id}/_boh/clock`, { freeze: '2031-01-01' });
    expect((await getFrom(demo, '/customers')).message).toContain('Simulated');
    expect((await getFrom(empty, '/customers')).data).toEqual([]);
    expect((await control('GET', `/s/${empty.id}/_boh/clock`)).json.is_frozen).toBe(false);
    expect((await control('GET', `/s/${demo.id}/_boh/requests`)).json.count).toBe(2);
    expect((await control('GET', '/_boh/requests')).json.count).toBe(0);
    await control('POST', `/s/${demo.id}/_boh/reset`, { from: 'empty' });
    expect((await getFrom(demo, '/customers')).data).toEqual([]);
    expect(await listOf(request('/customers'))).toHaveLength(50);
    expect((await control('GET', '/_boh/sandboxes')).json).toHaveLength(3);
    expect((await control('POST', `/s/${demo.id}/_boh/sandboxes`)).status).toBe(422);
    expect((await control('DELETE', `/_boh/sandboxes/${demo.id}`)).status).toBe(200);
    expect((await fetch(`${demo.base_url}/customers`)).status).toBe(404);
    expect((await control('DELETE', `/_boh/sandboxes/${demo.id}`)).status).toBe(404);
    expect((await control('POST', '/_boh/sandboxes', { from: 'nothing' })).status).toBe(404);
  });
});

describe('the document of the control', () => {
  it('describes every operation with its input', async () => {
    const { control } = await serveControlled();
    const { json } = await control('GET', '/_boh/openapi.json');
    expect(json.servers).toEqual([{ url: '/_boh' }]);
    expect(json.paths['/requests'].get.parameters).toContainEqual({
      name: 'wait',
      in: 'query',
      required: false,
      schema: expect.objectContaining({ type: 'string' }),
    });
    expect(json.paths['/snapshots/{name}/restore'].post.parameters[0]).toMatchObject({
      name: 'name',
      in: 'path',
    });
    expect(
      json.paths['/faults'].put.requestBody.content['application/json'].schema.properties.rules,
    ).toBeDefined();
  });
});

describe('attacks on the control', () => {
  const change = { from: 'empty' };
  const headersOf = (authorization: string | undefined, more: Record<string, string> = {}) => ({
    ...(authorization !== undefined && { authorization }),
    ...more,
  });

  it('without the control token: are refused and change nothing', async () => {
    const { baseUrl, client, request } = await serveControlled();
    const other = client.sandbox.createToken({ scopes: [] });
    const before = client.sandbox.status().records;
    const tokens = [
      ...[
        undefined,
        '',
        'Bearer ',
        'Bearer',
        `bearer ${controlToken}`,
        `Basic ${controlToken}`,
        controlToken,
      ],
      ...[`Bearer ${controlToken}x`, `Bearer ${controlToken.slice(1)}`, `Bearer ${client.token}`],
      ...[
        `Bearer ${other}`,
        `Bearer ${controlToken}, Bearer ${controlToken}`,
        'Bearer undefined',
        'Bearer null',
      ],
    ];
    const paths = ['/_boh/reset', '/_boh/sandboxes', '/_boh/snapshots', '/_boh/apply', '/_boh/openapi.json'];
    for (const authorization of tokens) {
      for (const path of paths.slice(0, authorization === undefined ? undefined : 2)) {
        const method = path.endsWith('.json') ? 'GET' : 'POST';
        const body = method === 'POST' ? JSON.stringify(change) : null;
        const response = await fetch(baseUrl + path, { method, headers: headersOf(authorization), body });
        expect([path, authorization, response.status]).toEqual([path, authorization, 401]);
      }
    }
    expect(client.sandbox.status().records).toEqual(before);
    expect((await request('/tags')).status).toBe(200);
  });

  it('with another host or origin: are refused and change nothing', async () => {
    const { baseUrl, client } = await serveControlled();
    const { host, port } = new URL(baseUrl);
    const before = client.sandbox.status().records;
    const hosts = [
      'evil.example',
      `evil.example:${port}`,
      '127.0.0.1.evil.example',
      'localhost@evil.example',
      '[::2]',
    ];
    const origins = [
      'http://evil.example',
      'null',
      'https://127.0.0.1',
      `http://localhost:${port}`,
      'file://',
    ];
    const raw = (path: string, headers: Record<string, string>) =>
      rawStatus(Number(port), [
        `POST ${path} HTTP/1.1`,
        ...Object.entries({ host, authorization: `Bearer ${controlToken}`, ...headers }).map((pair) =>
          pair.join(': '),
        ),
        'content-length: 16',
        'connection: close',
        '',
        JSON.stringify(change),
      ]);
    for (const wrong of hosts) expect(await raw('/_boh/reset', { host: wrong })).toBe(421);
    for (const origin of origins) expect(await raw('/_boh/reset', { origin })).toBe(403);
    expect(await raw('http://evil.example/_boh/reset', {})).toBe(421);
    expect(client.sandbox.status().records).toEqual(before);
  });

  it('with tricks in the path: reach no operation', async () => {
    const { baseUrl, client } = await serveControlled();
    const { host, port } = new URL(baseUrl);
    const before = client.sandbox.status().records;
    const paths = [
      ...[
        '/_boh',
        '/_boh/',
        '/_boh//reset',
        '/_boh/reset/',
        '/_boh/./reset',
        '/_boh/../_boh/reset',
        '/_BOH/reset',
      ],
      ...[
        '/_boh/%72eset/x',
        '/%5fboh/reset',
        '/_boh%2freset',
        '//_boh/reset',
        '/s/_boh/reset',
        '/s/../_boh/reset',
      ],
      ...[
        '/s//_boh/reset',
        '/s/x/_boh/reset',
        '/_boh/reset%00',
        '/_boh/snapshots/../../etc/restore',
        '/_boh\\reset',
      ],
      ...['/_boh/snapshots//restore', '/_boh/__proto__', '/_boh/constructor', '/customers/../_boh/reset'],
    ];
    for (const path of paths) {
      const status = await rawStatus(Number(port), [
        `POST ${path} HTTP/1.1`,
        ...[
          `host: ${host}`,
          `authorization: Bearer ${controlToken}`,
          'content-length: 16',
          'connection: close',
        ],
        '',
        JSON.stringify(change),
      ]);
      expect([path, status]).toEqual([path, expect.toBeOneOf([400, 404, 405])]);
    }
    expect(client.sandbox.status().records).toEqual(before);
  });

  it('with bodies that are too long, slow, or no JSON: end soon and change nothing', async () => {
    const { baseUrl, client, control } = await serveControlled();
    const { host, port } = new URL(baseUrl);
    const before = client.sandbox.status().records;
    const post = async (body: string | Uint8Array<ArrayBuffer>, more: Record<string, string> = {}) => {
      const headers = headersOf(`Bearer ${controlToken}`, more);
      const response = await fetch(`${baseUrl}/_boh/reset`, { method: 'POST', headers, body }).catch(
        () => undefined,
      );
      return response?.status ?? 'disconnected';
    };
    expect(await post('x'.repeat(100 * 1_048_576))).toBeOneOf([413, 'disconnected']);
    expect(await post(JSON.stringify({ from: 'x'.repeat(2_000_000) }))).toBe(413);
    for (const body of [
      '{',
      '[]',
      'null',
      '"text"',
      '{"from":"empty","from":"demo"}',
      '{"from":1}',
      '{"form":"empty"}',
    ])
      expect([body, await post(body)]).toEqual([body, expect.toBeOneOf([400, 422])]);
    expect(await post(`${'['.repeat(100)}${']'.repeat(100)}`)).toBe(400);
    expect(await post(Buffer.from([0xff, 0xfe]))).toBe(400);
    expect(await post('x', { 'content-encoding': 'gzip' })).toBe(415);
    const slow = [
      'POST /_boh/reset HTTP/1.1',
      ...[`host: ${host}`, `authorization: Bearer ${controlToken}`, 'content-length: 16', '', '{"from"'],
    ];
    expect(await rawStatus(Number(port), slow)).toBeUndefined();
    expect((await control('PUT', '/_boh/clock', { freeze: '9999-01-01' })).status).toBe(422);
    expect((await control('GET', '/_boh/requests?wait=1000w&count=0&path=x')).status).toBe(422);
    expect(client.sandbox.status().records).toEqual(before);
  });

  it('with thousands of sandboxes: are refused above a limit', async () => {
    const { control, client } = await serveControlled();
    const statuses: number[] = [];
    for (let count = 0; count < 8; count++)
      statuses.push((await control('POST', '/_boh/sandboxes', { from: 'empty' })).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 409, 409, 409]);
    expect(client.sandbox.status().records.customers?.active).toBe(200);
  });
});

/** Sends lines as they are, and returns the status of the response; undefined if the server disconnects. */
function rawStatus(port: number, lines: readonly string[]): Promise<number | undefined> {
  return new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1', () => socket.write(lines.join('\r\n')));
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(text === '' ? undefined : Number(text.split(' ')[1])));
  });
}
