/** How a served sandbox handles requests that aren't for the API or are invalid. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { demoClient } from '../../src/sandbox/oauth/clients.ts';
import { isLocalHost } from '../../src/sandbox/server/listen.ts';
import { serve } from './served.ts';

const json = { 'content-type': 'application/json' };

/** Sends raw bytes and returns everything received until the other side closes. */
async function raw(baseUrl: string, bytes: string): Promise<string> {
  const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1');
  socket.write(bytes);
  return text(socket);
}

describe('a served sandbox', () => {
  it('answers like the sandbox within a process', async () => {
    const { client, ask } = await serve();
    const answer = await ask('/suppliers');
    const { data } = client.get('/suppliers').json;
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(((await answer.json()) as { data: unknown }).data).toEqual(data);
  });

  it('serves the API under its prefix, and the exchange of codes without it', async () => {
    const { ask } = await serve({ apiPrefix: '/v5' });
    expect((await ask('/v5/whoami')).status).toBe(200);
    expect((await ask('/whoami')).status).toBe(404);
    expect((await ask('/oauth/token', { method: 'POST' })).status).toBe(400);
    expect((await ask('/v5/oauth/token', { method: 'POST' })).status).toBe(404);
  });

  it('serves its OpenAPI document', async () => {
    const { ask, baseUrl } = await serve();
    expect(await (await ask('/openapi.json')).json()).toEqual({
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
  ])('accepts the host %s: %s', (host, expected) => {
    expect(isLocalHost(host)).toBe(expected);
  });

  it('refuses requests for a foreign host name that points to this machine', async () => {
    const { baseUrl } = await serve();
    const answer = await raw(
      baseUrl,
      'GET /whoami HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n',
    );
    expect(answer).toMatch(/^HTTP\/1\.1 421 /);
    expect(answer).not.toContain('authorization');
  });

  it.each([
    ['a body of 10 MB', { body: Buffer.alloc(10_000_000, ' ') }, 413],
    ['a body of 10 MB that is JSON', { body: JSON.stringify({ name: 'x'.repeat(10_000_000) }) }, 413],
    ['bytes that are no UTF-8', { body: Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]) }, 400],
    ['half a JSON', { body: '{"name": ' }, 400],
    ['a key twice', { body: '{"name": "a", "name": "b"}' }, 400],
    ['a list', { body: '[1]' }, 400],
    ['nothing', { body: '' }, 422],
    ['a number past 2^53', { body: '{"name": "a", "code": 9007199254740993}' }, 422],
  ])('refuses %s and keeps running', async (_, init, status) => {
    const { ask, bugs, client } = await serve();
    const before = client.get('/suppliers').json.meta.total;
    const answer = await ask('/suppliers', { method: 'POST', headers: json, ...init });
    expect(answer.status).toBe(status);
    expect(await answer.json()).toHaveProperty('message');
    expect(client.get('/suppliers').json.meta.total).toBe(before);
    expect(bugs).toEqual([]);
  });

  it("refuses a chunked body that doesn't end", async () => {
    const { ask } = await serve();
    const piece = new Uint8Array(1_000_000).fill(0x20);
    let left = 12;
    const body = new ReadableStream({
      pull: (controller) => (left-- > 0 ? controller.enqueue(piece) : controller.close()),
    });
    const init = { method: 'POST', headers: json, body, duplex: 'half' } as RequestInit;
    expect((await ask('/suppliers', init)).status).toBe(413);
  });

  it.each([
    ['1,000 filters', `/customers?${Array.from({ length: 1000 }, (_, n) => `filter[n${n}]=x`).join('&')}`],
    ['an address of 100 KB', `/customers/${'x'.repeat(100_000)}`],
    ['a percent sign alone', '/customers/%'],
    ['a NUL', '/customers/%00'],
    ['a way up', '/customers/..%2f..%2fusers'],
  ])('refuses %s', async (_, path) => {
    const { ask, bugs } = await serve();
    const answer = await ask(path);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
    expect(await answer.json()).toHaveProperty('message');
    expect(bugs).toEqual([]);
  });

  it.each([
    ['no HTTP at all', 'HELLO\r\n\r\n', 400],
    ['headers without an end', `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(300_000)}\r\n\r\n`, 431],
  ])('answers %s with an error in JSON', async (_, bytes, status) => {
    const { baseUrl } = await serve();
    const answer = await raw(baseUrl, bytes);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toHaveProperty('message');
  });

  it('reports that the disk is full for a write, and keeps reading', async () => {
    const { ask, client, bugs } = await serve();
    client.sandbox.database.script('PRAGMA max_page_count = 1');
    const body = JSON.stringify({ name: 'x'.repeat(500_000) });
    const answer = await ask('/suppliers', { method: 'POST', headers: json, body });
    expect([answer.status, answer.headers.get('x-boh-outcome'), await answer.json()]).toEqual([
      503,
      'not_sent',
      { message: expect.stringContaining('the disk is full') },
    ]);
    expect((await ask('/suppliers')).status).toBe(200);
    expect(bugs).toEqual([]);
  });

  it('answers with retry-after while another process has locked the file', async () => {
    const { ask, client, bugs } = await serve({ busyTimeoutMs: 50 });
    const { database } = client.sandbox;
    const other = new DatabaseSync(database.file);
    other.exec('BEGIN IMMEDIATE');
    const code = { grant_type: 'authorization_code', code: 'c', redirect_uri: 'r' };
    const secret = { client_id: demoClient.id, client_secret: demoClient.secret };
    for (const path of ['/suppliers', '/oauth/token']) {
      const body = JSON.stringify({ name: 'x', ...code, ...secret });
      const answer = await ask(path, { method: 'POST', headers: json, body });
      const headers = ['retry-after', 'x-boh-outcome'].map((name) => answer.headers.get(name));
      expect([answer.status, ...headers]).toEqual([503, '1', 'not_sent']);
    }
    other.close();
    expect(bugs).toEqual([]);
  });

  it('survives a client that disconnects in the middle of a body', async () => {
    const { baseUrl, ask, bugs } = await serve();
    const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1');
    socket.write('POST /suppliers HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{"name":');
    await once(socket, 'connect');
    socket.destroy();
    await once(socket, 'close');
    expect((await ask('/whoami')).status).toBe(200);
    expect(bugs).toEqual([]);
  });

  it.each(['/suppliers', '/suppliers?filter[name]=Fresh', '/nowhere', '/whoami', '/openapi.json', '/'])(
    'answers HEAD %s like GET, without the body',
    async (target) => {
      const { ask } = await serve();
      const [got, head] = [await ask(target), await ask(target, { method: 'HEAD' })];
      const type = (answer: Response) => answer.headers.get('content-type');
      expect([head.status, type(head), await head.text()]).toEqual([got.status, type(got), '']);
      const length = head.headers.get('content-length');
      if (length !== null) expect(Number(length)).toBe(Buffer.byteLength(await got.text()));
    },
  );

  it('changes nothing for HEAD', async () => {
    const { ask, client } = await serve();
    const order = () => client.get('/loyalty_rewards/loyalty-reward-1').json.data.order;
    const redeeming = '/loyalty_rewards/loyalty-reward-1?order_id=order-1';
    expect((await ask(redeeming, { method: 'HEAD' })).status).toBe(400);
    expect(order()).toBe(null);
    expect((await ask(redeeming)).status).toBe(200);
    expect(order()).toEqual({ id: 'order-1' });
  });

  it('refuses compressed bodies', async () => {
    const { ask, client } = await serve();
    const headers = { ...json, 'content-encoding': 'gzip' };
    const before = client.get('/suppliers').json.meta.total;
    for (const target of ['/suppliers', '/oauth/token']) {
      const body = gzipSync('{"name":"Folded"}');
      const answer = await ask(target, { method: 'POST', headers, body });
      expect([answer.status, await answer.json()]).toEqual([
        415,
        { message: expect.stringContaining('content-encoding gzip') },
      ]);
    }
    const plain = {
      method: 'POST',
      headers: { ...json, 'content-encoding': 'identity' },
      body: '{"name":"Flat"}',
    };
    expect((await ask('/suppliers', plain)).status).toBe(201);
    expect(client.get('/suppliers').json.meta.total).toBe(before + 1);
  });

  it('lists the allowed methods of a path', async () => {
    const { ask } = await serve();
    const answer = await ask('/oauth/token', { method: 'DELETE' });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
  });

  it('reports that a port is in use', async () => {
    const { baseUrl } = await serve();
    const { port } = new URL(baseUrl);
    await expect(serve({ port: Number(port) })).rejects.toThrow(`Port ${port} is already in use.`);
  });
});
