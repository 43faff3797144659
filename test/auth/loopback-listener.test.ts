import { createServer, type IncomingHttpHeaders, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterEach, describe, expect, test } from 'vitest';
import {
  canListen,
  type Listener,
  type ListenOptions,
  listenForCode,
  withPort,
} from '../../src/auth/loopback-listener.ts';
import { Failure } from '../../src/base/errors.ts';
import { hinted } from '../harness/hint.ts';

/** Containers often lack IPv6, even on the loopback device. */
const hasIpv6 = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ address }) => address === '::1'),
);

const open: Listener[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((listener) => listener.close()));
});

async function listen(options: Partial<ListenOptions> = {}): Promise<Listener> {
  const listener = await listenForCode({
    redirectUri: 'http://127.0.0.1:0/callback',
    state: 'state-1',
    ...options,
  });
  open.push(listener);
  return listener;
}

interface Reply {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

/** One request over a connection of its own, with any Host header. */
function ask(address: string, { method = 'GET', headers = {}, host = '' } = {}): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const call = request(
      address,
      { method, agent: false, headers: { ...headers, ...(host && { host }) } },
      (response) => {
        let body = '';
        response.setEncoding('utf8');
        response.on('data', (chunk) => {
          body += chunk;
        });
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
        );
      },
    );
    call.on('error', reject).end();
  });
}

async function failureOf(listener: Listener): Promise<Failure> {
  const outcome: unknown = await listener.code.catch((error: unknown) => error);
  if (outcome instanceof Failure) return outcome;
  throw new Error(`expected a failure, got ${String(outcome)}`);
}

async function expectClosed(listener: Listener): Promise<void> {
  await expect(ask(listener.redirectUri)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
}

test('accepts one code, shows a page, and closes', async () => {
  const listener = await listen();
  const reply = await ask(`${listener.redirectUri}?code=abc&state=state-1`);
  expect(reply.status).toBe(200);
  expect(reply.body).toContain('<h1>Approved</h1>');
  expect(await listener.code).toBe('abc');
  await expectClosed(listener);
});

test('the page is never cached, framed or followed, and runs no script', async () => {
  const listener = await listen();
  const { headers, body } = await ask(`${listener.redirectUri}?code=abc&state=state-1`);
  expect(headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  });
  expect(headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-[^']+';/);
  expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
  expect(body).toMatch(/<html lang="en">[\s\S]*name="viewport"[\s\S]*<title>[^<]+<\/title>[\s\S]*<main>/);
  expect(body).toContain('color-scheme: light dark');
  expect(body).not.toMatch(/<script|<link (?!rel="icon" href="data:,")|<img|https?:\/\//);
});

describe('ends without a code, and closes, after', () => {
  test.each([
    ['a wrong state', '?code=abc&state=state-2', 'another sign-in'],
    ['a missing state', '?code=abc', 'has no state parameter'],
    ['an empty state', '?code=abc&state=', 'has no state parameter'],
    ['two states', '?code=abc&state=state-1&state=state-2', 'another sign-in'],
    ["another person's code, arriving first", '?code=theirs&state=theirs', 'another sign-in'],
    ['a denial', '?error=access_denied&state=state-1', 'denied'],
    ['a denial that is not ours', '?error=access_denied&state=state-2', 'another sign-in'],
    ['no code', '?state=state-1', 'contains no valid code'],
    ['two codes', '?code=a&code=b&state=state-1', 'contains no valid code'],
    ['a code with control characters', '?code=a%00b&state=state-1', 'contains no valid code'],
  ])('%s', async (_what, query, words) => {
    const listener = await listen();
    const reply = await ask(listener.redirectUri + query);
    expect(reply.status).toBe(400);
    expect(reply.body).toContain('<h1>Not signed in</h1>');
    const failure = await failureOf(listener);
    expect(failure.category).toBe('not_signed_in');
    expect(failure.message).toContain(words);
    await expectClosed(listener);
  });
});

test('HTML in an error is escaped on the page, and control characters are removed from the message', async () => {
  const listener = await listen();
  const evil = encodeURIComponent('<script>alert("1")</script>\u001b[31m\u202e&\'');
  const reply = await ask(`${listener.redirectUri}?error=${evil}&error_description=${evil}&state=state-1`);
  expect(reply.body).not.toContain('<script');
  expect(reply.body).toContain('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;');
  expect((await failureOf(listener)).message).not.toMatch(/[\p{Cc}\p{Cf}]/u);
});

test('a used state is refused by the next sign-in', async () => {
  const first = await listen();
  await ask(`${first.redirectUri}?code=abc&state=state-1`);
  await first.code;
  const second = await listen({ state: 'state-2' });
  await ask(`${second.redirectUri}?code=abc&state=state-1`);
  expect((await failureOf(second)).category).toBe('not_signed_in');
});

test('of two callbacks on open connections, only the first counts', async () => {
  const listener = await listen();
  const { port } = new URL(listener.redirectUri);
  const sockets = await Promise.all(
    [1, 2].map(
      () =>
        new Promise<ReturnType<typeof connect>>((resolve) => {
          const socket = connect(Number(port), '127.0.0.1', () => resolve(socket));
        }),
    ),
  );
  const replies = sockets.map((socket, index) => {
    let text = '';
    socket
      .setEncoding('utf8')
      .on('data', (chunk) => {
        text += chunk;
      })
      .on('error', () => undefined);
    socket.write(`GET /callback?code=c${index}&state=state-1 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
    return new Promise<string>((resolve) => socket.once('close', () => resolve(text)));
  });
  const code = await listener.code;
  const approvals = (await Promise.all(replies)).map((text) => text.includes('<h1>Approved</h1>'));
  expect(approvals.filter(Boolean)).toHaveLength(1);
  expect(code).toBe(`c${approvals.indexOf(true)}`);
});

describe('continues to wait after', () => {
  test.each([
    ['another path', '/favicon.ico', {}, 404],
    ['a path that only begins alike', '/callback/x?code=evil&state=state-1', {}, 404],
    ['another method', '/callback?code=evil&state=state-1', { method: 'POST' }, 405],
    ['HEAD', '/callback?code=evil&state=state-1', { method: 'HEAD' }, 405],
    ['the name of another host', '/callback?code=evil&state=state-1', { host: 'evil.example' }, 403],
    [
      'a name that begins like ours',
      '/callback?code=evil&state=state-1',
      { host: '127.0.0.1.evil.example' },
      403,
    ],
    ['a host with a user', '/callback?code=evil&state=state-1', { host: 'evil@127.0.0.1' }, 403],
  ])('%s', async (_what, path, how, status) => {
    const listener = await listen();
    const { origin } = new URL(listener.redirectUri);
    expect((await ask(origin + path, how)).status).toBe(status);
    await ask(`${listener.redirectUri}?code=ours&state=state-1`);
    expect(await listener.code).toBe('ours');
  });
});

test.each(['localhost', 'LOCALHOST:1', '127.0.0.1:9', '[::1]:8714'])('is reached as %s', async (host) => {
  const listener = await listen();
  expect((await ask(`${listener.redirectUri}?code=abc&state=state-1`, { host })).status).toBe(200);
});

test('"localhost" listens on IPv4 and, if available, on IPv6, on one port', async () => {
  for (const address of hasIpv6 ? ['127.0.0.1', '[::1]'] : ['127.0.0.1']) {
    const listener = await listen({ redirectUri: 'http://localhost:0/back' });
    expect(listener.redirectUri).toMatch(/^http:\/\/localhost:[1-9]\d*\/back$/);
    const { port } = new URL(listener.redirectUri);
    await ask(`http://${address}:${port}/back?code=abc&state=state-1`);
    expect(await listener.code).toBe('abc');
  }
});

test.skipIf(!hasIpv6)('listens only on [::1] (skipped without IPv6)', async () => {
  const listener = await listen({ redirectUri: 'http://[::1]:0/callback' });
  await ask(`${listener.redirectUri}?code=abc&state=state-1`);
  expect(await listener.code).toBe('abc');
});

test('a port in use is named, with a hint', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    for (const host of ['127.0.0.1', 'localhost']) {
      const failure: unknown = await listen({ redirectUri: `http://${host}:${port}/callback` }).catch(
        (error) => error,
      );
      expect(failure).toMatchObject({ category: 'usage', message: expect.stringContaining(`Port ${port}`) });
      expect(failure).toHaveProperty('details.hint', hinted('--no-browser'));
    }
  } finally {
    server.close();
  }
});

test.skipIf(!hasIpv6)(
  '"localhost" with a port in use on IPv6 closes its port on IPv4 (skipped without IPv6)',
  async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '::1', resolve));
    const { port } = server.address() as AddressInfo;
    await expect(listen({ redirectUri: `http://localhost:${port}/callback` })).rejects.toThrow(
      `Port ${port}`,
    );
    server.close();
    await expect(ask(`http://127.0.0.1:${port}/`)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  },
);

test.each([
  'https://shop.example/back',
  'http://shop.example:80/',
  'https://127.0.0.1:8714/',
  'http://0.0.0.0:8714/',
  'nonsense',
])('refuses to listen on %s', async (redirectUri) => {
  expect(canListen(redirectUri)).toBe(false);
  await expect(listen({ redirectUri })).rejects.toMatchObject({ category: 'usage' });
});

test('stopped: closes, and ends with the reason of the caller', async () => {
  for (const reason of [undefined, new Failure('interrupted', 'Terminated.', { exitCode: 143 })]) {
    const stop = new AbortController();
    const listener = await listen({ signal: stop.signal });
    stop.abort(reason);
    const failure = await failureOf(listener);
    expect(failure.category).toBe('interrupted');
    if (reason !== undefined) expect(failure).toBe(reason);
    await expectClosed(listener);
  }
});

test('stopped before: ends immediately', async () => {
  expect((await failureOf(await listen({ signal: AbortSignal.abort() }))).category).toBe('interrupted');
});

test('the code would have expired: closes and ends', async () => {
  const deadline = new AbortController();
  const listener = await listen({ deadline: deadline.signal });
  deadline.abort();
  const failure = await failureOf(listener);
  expect(failure.category).toBe('not_signed_in');
  expect(failure.message).toContain('ten minutes');
  await expectClosed(listener);
});

test('an answer without a state is accepted with --allow-missing-state', async () => {
  const listener = await listen({ allowMissingState: true });
  await ask(`${listener.redirectUri}?code=abc`);
  expect(await listener.code).toBe('abc');
});

test.each([
  ['http://127.0.0.1:8714/callback', 'http://127.0.0.1:0/callback'],
  ['http://localhost/callback?a=1:2', 'http://localhost:0/callback?a=1:2'],
  ['http://[::1]:8714', 'http://[::1]:0'],
])('gives %s another port', (before, after) => {
  expect(withPort(before, 0)).toBe(after);
});
