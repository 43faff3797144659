/** Tests how a served sandbox handles invalid requests and requests for paths outside the API. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { demoClient } from '../../src/sandbox/oauth/clients.ts';
import { isLocalHost } from '../../src/sandbox/server/listen.ts';
import { serve } from './served.ts';

const jsonHeaders = { 'content-type': 'application/json' };

/** Sends bytes and returns everything that is received until the server closes the connection. */
async function sendBytes(baseUrl: string, bytes: string): Promise<string> {
  const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1');
  socket.write(bytes);
  return text(socket);
}

describe('a served sandbox', () => {
  it('returns the same records as the sandbox within the process', async () => {
    const { client, request } = await serve();
    const response = await request('/suppliers');
    const { data } = client.get('/suppliers').json;
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(((await response.json()) as { data: unknown }).data).toEqual(data);
  });

  it('serves the API under its prefix, and the exchange of codes without it', async () => {
    const { request } = await serve({ apiPrefix: '/v5' });
    expect((await request('/v5/whoami')).status).toBe(200);
    expect((await request('/whoami')).status).toBe(404);
    expect((await request('/oauth/token', { method: 'POST' })).status).toBe(400);
    expect((await request('/v5/oauth/token', { method: 'POST' })).status).toBe(404);
  });

  it('serves its OpenAPI document', async () => {
    const { request, baseUrl } = await serve();
    expect(await (await request('/openapi.json')).json()).toEqual({
      openapi: '3.1.0',
      servers: [{ url: baseUrl }],
    });
  });

  it.each([
    ['127.0.0.1', true],
    ['127.0.0.1:4010', true],
    ['localhost:1', true],
    ['LOCALHOST', true],
    ['[::1]:80', true],
    ['evil.example', false],
    ['127.0.0.1.evil.example', false],
    ['localhost.evil.example:80', false],
    ['evil.example#localhost', false],
    ['', false],
    [undefined, false],
  ])('Host header %s: is accepted: %s', (host, isAccepted) => {
    expect(isLocalHost(host)).toBe(isAccepted);
  });

  it('refuses a Host header with another name that resolves to this machine', async () => {
    const { baseUrl } = await serve();
    const response = await sendBytes(
      baseUrl,
      'GET /whoami HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n',
    );
    expect(response).toMatch(/^HTTP\/1\.1 421 /);
    expect(response).toContain(
      'The sandbox only accepts the hosts 127.0.0.1 and localhost, and those of --allow-host.',
    );
  });

  it('--allow-host: accepts these hosts, with any port', async () => {
    const { baseUrl } = await serve({ host: '0.0.0.0', allowedHosts: ['sandbox', 'tests.internal'] });
    expect(baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const statusOf = async (host: string) =>
      (await sendBytes(baseUrl, `GET /whoami HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)).slice(
        9,
        12,
      );
    const accepted = ['sandbox', 'Sandbox:4010', 'tests.internal:80', 'localhost'];
    const refused = ['sandbox.evil.example', 'sandbo', 'x-sandbox', '0.0.0.0', 'sandbox:x', 'evil@sandbox'];
    expect(await Promise.all(accepted.map(statusOf))).toEqual(accepted.map(() => '401'));
    expect(await Promise.all(refused.map(statusOf))).toEqual(refused.map(() => '421'));
  });

  it('/health: needs no token and no known host', async () => {
    const { baseUrl } = await serve();
    const text = await sendBytes(
      baseUrl,
      'GET /health HTTP/1.1\r\nHost: 10.0.0.7\r\nConnection: close\r\n\r\n',
    );
    expect([text.slice(9, 12), text.split('\r\n\r\n')[1]]).toEqual(['200', '{"status":"ok"}']);
  });

  const otherAddress = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;

  it.skipIf(otherAddress === undefined)(
    'from another machine: serves the API, without pages and sign-in',
    async () => {
      const { baseUrl, client } = await serve({ host: '0.0.0.0', allowedHosts: [otherAddress ?? ''] });
      const url = `http://${otherAddress}:${new URL(baseUrl).port}`;
      const headers = { authorization: `Bearer ${client.token}` };
      expect((await fetch(`${url}/whoami`, { headers })).status).toBe(200);
      expect((await fetch(`${url}/openapi.json`)).status).toBe(200);
      for (const path of ['/', '/?x', '/inspector/stream', '/authorize', '/authorize?client_id=boh-sandbox'])
        expect([path, (await fetch(url + path)).status]).toEqual([path, 403]);
      for (const path of ['/oauth/token', '/oauth/token?x'])
        expect([path, (await fetch(url + path, { method: 'POST' })).status]).toEqual([path, 403]);
    },
  );

  it('keeps idle connections for minutes', async () => {
    const { request } = await serve();
    expect((await request('/tags')).headers.get('keep-alive')).toBe('timeout=300');
  });

  it.each([
    ['a body of 10 MB', { body: Buffer.alloc(10_000_000, ' ') }, 413],
    ['a body of 10 MB that is JSON', { body: JSON.stringify({ name: 'x'.repeat(10_000_000) }) }, 413],
    ['a body that is invalid UTF-8', { body: Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]) }, 400],
    ['truncated JSON', { body: '{"name": ' }, 400],
    ['a duplicate key', { body: '{"name": "a", "name": "b"}' }, 400],
    ['a JSON array', { body: '[1]' }, 400],
    ['an empty body', { body: '' }, 422],
    ['a number above 2^53', { body: '{"name": "a", "code": 9007199254740993}' }, 422],
  ])('refuses %s and keeps running', async (_, init, status) => {
    const { request, unexpectedErrors, client } = await serve();
    const before = client.get('/suppliers').json.meta.total;
    const response = await request('/suppliers', { method: 'POST', headers: jsonHeaders, ...init });
    expect(response.status).toBe(status);
    expect(await response.json()).toHaveProperty('message');
    expect(client.get('/suppliers').json.meta.total).toBe(before);
    expect(unexpectedErrors).toEqual([]);
  });

  it("refuses a chunked body that doesn't end", async () => {
    const { request } = await serve();
    const chunk = new Uint8Array(1_000_000).fill(0x20);
    let remainingChunks = 12;
    const body = new ReadableStream({
      pull: (controller) => (remainingChunks-- > 0 ? controller.enqueue(chunk) : controller.close()),
    });
    const init = { method: 'POST', headers: jsonHeaders, body, duplex: 'half' } as RequestInit;
    expect((await request('/suppliers', init)).status).toBe(413);
  });

  it.each([
    ['1,000 filters', `/customers?${Array.from({ length: 1000 }, (_, n) => `filter[n${n}]=x`).join('&')}`],
    ['a URL of 100 KB', `/customers/${'x'.repeat(100_000)}`],
    ['a single percent sign', '/customers/%'],
    ['a NUL', '/customers/%00'],
    ['an encoded parent folder', '/customers/..%2f..%2fusers'],
  ])('refuses %s', async (_, path) => {
    const { request, unexpectedErrors } = await serve();
    const response = await request(path);
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect(response.status).toBeLessThan(500);
    expect(await response.json()).toHaveProperty('message');
    expect(unexpectedErrors).toEqual([]);
  });

  it.each([
    ['bytes that are not HTTP', 'HELLO\r\n\r\n', 400],
    ['headers of 300 KB', `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(300_000)}\r\n\r\n`, 431],
  ])('responds to %s with a JSON error', async (_, bytes, status) => {
    const { baseUrl } = await serve();
    const response = await sendBytes(baseUrl, bytes);
    expect(response).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(JSON.parse(response.split('\r\n\r\n')[1] ?? '')).toHaveProperty('message');
  });

  it('reports that the disk is full for a write, and keeps reading', async () => {
    const { request, client, unexpectedErrors } = await serve();
    client.sandbox.database.script('PRAGMA max_page_count = 1');
    const body = JSON.stringify({ name: 'x'.repeat(500_000) });
    const response = await request('/suppliers', { method: 'POST', headers: jsonHeaders, body });
    expect([response.status, response.headers.get('x-boh-outcome'), await response.json()]).toEqual([
      503,
      'not_sent',
      { message: expect.stringContaining('the disk is full') },
    ]);
    expect((await request('/suppliers')).status).toBe(200);
    expect(unexpectedErrors).toEqual([]);
  });

  it('sends retry-after while another process has locked the file', async () => {
    const { request, client, unexpectedErrors } = await serve({ busyTimeoutMs: 50 });
    const { database } = client.sandbox;
    const otherConnection = new DatabaseSync(database.file);
    otherConnection.exec('BEGIN IMMEDIATE');
    const codeParameters = { grant_type: 'authorization_code', code: 'c', redirect_uri: 'r' };
    const clientParameters = { client_id: demoClient.id, client_secret: demoClient.secret };
    for (const path of ['/suppliers', '/oauth/token']) {
      const body = JSON.stringify({ name: 'x', ...codeParameters, ...clientParameters });
      const response = await request(path, { method: 'POST', headers: jsonHeaders, body });
      const headers = ['retry-after', 'x-boh-outcome'].map((name) => response.headers.get(name));
      expect([response.status, ...headers]).toEqual([503, '1', 'not_sent']);
    }
    otherConnection.close();
    expect(unexpectedErrors).toEqual([]);
  });

  it('survives a client that disconnects in the middle of a body', async () => {
    const { baseUrl, request, unexpectedErrors } = await serve();
    const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1');
    socket.write('POST /suppliers HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{"name":');
    await once(socket, 'connect');
    socket.destroy();
    await once(socket, 'close');
    expect((await request('/whoami')).status).toBe(200);
    expect(unexpectedErrors).toEqual([]);
  });

  it.each(['/suppliers', '/suppliers?filter[name]=Fresh', '/nowhere', '/whoami', '/openapi.json', '/'])(
    'HEAD %s: sends the headers of GET without the body',
    async (target) => {
      const { request } = await serve();
      const [getResponse, headResponse] = [await request(target), await request(target, { method: 'HEAD' })];
      const contentTypeOf = (response: Response) => response.headers.get('content-type');
      expect([headResponse.status, contentTypeOf(headResponse), await headResponse.text()]).toEqual([
        getResponse.status,
        contentTypeOf(getResponse),
        '',
      ]);
      const length = headResponse.headers.get('content-length');
      if (length !== null) expect(Number(length)).toBe(Buffer.byteLength(await getResponse.text()));
    },
  );

  it('HEAD of an action: is refused and changes nothing', async () => {
    const { request, client } = await serve();
    const readOrder = () => client.get('/loyalty_rewards/loyalty-reward-1').json.data.order;
    const redeemPath = '/loyalty_rewards/loyalty-reward-1?order_id=order-1';
    expect((await request(redeemPath, { method: 'HEAD' })).status).toBe(400);
    expect(readOrder()).toBe(null);
    expect((await request(redeemPath)).status).toBe(200);
    expect(readOrder()).toEqual({ id: 'order-1' });
  });

  it('refuses compressed bodies', async () => {
    const { request, client } = await serve();
    const headers = { ...jsonHeaders, 'content-encoding': 'gzip' };
    const before = client.get('/suppliers').json.meta.total;
    for (const target of ['/suppliers', '/oauth/token']) {
      const body = gzipSync('{"name":"Compressed"}');
      const response = await request(target, { method: 'POST', headers, body });
      expect([response.status, await response.json()]).toEqual([
        415,
        { message: expect.stringContaining('content-encoding gzip') },
      ]);
    }
    const uncompressedRequest = {
      method: 'POST',
      headers: { ...jsonHeaders, 'content-encoding': 'identity' },
      body: '{"name":"Uncompressed"}',
    };
    expect((await request('/suppliers', uncompressedRequest)).status).toBe(201);
    expect(client.get('/suppliers').json.meta.total).toBe(before + 1);
  });

  it('sends the allowed methods of a path with a 405', async () => {
    const { request } = await serve();
    const response = await request('/oauth/token', { method: 'DELETE' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
  });

  it('reports that a port is in use', async () => {
    const { baseUrl } = await serve();
    const { port } = new URL(baseUrl);
    await expect(serve({ port: Number(port) })).rejects.toThrow(`Port ${port} is already in use.`);
  });
});
