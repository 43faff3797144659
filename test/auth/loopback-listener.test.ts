import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { Failure } from '../../src/base/errors.ts';
import { expectClosed, failureOf, listen, send } from './loopback-client.ts';

test('a callback with a code: displays a page, and the listener closes', async () => {
  const listener = await listen();
  const response = await send(`${listener.redirectUri}?code=abc&state=state-1`);
  expect(response.status).toBe(200);
  expect(response.body).toContain('<h1>Approved</h1>');
  expect(await listener.code).toBe('abc');
  await expectClosed(listener);
});

test('the callback page: is never cached or framed, sends no referrer and runs no script', async () => {
  const listener = await listen();
  const { headers, body } = await send(`${listener.redirectUri}?code=abc&state=state-1`);
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

describe('a callback of another sign-in', () => {
  test.each([
    ['a wrong state', '?code=abc&state=state-2', 'another sign-in'],
    ['a missing state', '?code=abc', 'has no state parameter'],
    ['an empty state', '?code=abc&state=', 'has no state parameter'],
    ['two states', '?code=abc&state=state-1&state=state-2', 'another sign-in'],
    ['the code and state of another sign-in', '?code=theirs&state=theirs', 'another sign-in'],
    ['a denial with a wrong state', '?error=access_denied&state=state-2', 'another sign-in'],
    ['a denial without a state', '?error=access_denied', 'has no state parameter'],
    ['no parameters', '', 'has no state parameter'],
  ])('with %s: the page names the reason, and the listener keeps waiting', async (_, query, message) => {
    const listener = await listen();
    for (let count = 0; count < 20; count++) {
      const response = await send(listener.redirectUri + query);
      expect(response.status).toBe(400);
      expect(response.body).toContain('<h1>Response rejected</h1>');
      expect(response.body).toContain(message);
      expect(response.body).toContain('still waiting');
    }
    expect((await send(`${listener.redirectUri}?code=ours&state=state-1`)).status).toBe(200);
    expect(await listener.code).toBe('ours');
  });
});

describe('a callback of this sign-in', () => {
  test.each([
    ['a denial', '?error=access_denied&state=state-1', 'denied'],
    ['no code', '?state=state-1', 'contains no valid code'],
    ['two codes', '?code=a&code=b&state=state-1', 'contains no valid code'],
    ['a code with control characters', '?code=a%00b&state=state-1', 'contains no valid code'],
  ])('with %s: the failure names the reason, and the listener closes', async (_, query, message) => {
    const listener = await listen();
    const response = await send(listener.redirectUri + query);
    expect(response.status).toBe(400);
    expect(response.body).toContain('<h1>Not signed in</h1>');
    const failure = await failureOf(listener);
    expect(failure.category).toBe('not_signed_in');
    expect(failure.message).toContain(message);
    await expectClosed(listener);
  });
});

test('an error that contains HTML and control characters: is escaped on the page, and has no control characters in the message', async () => {
  const listener = await listen();
  const hostileText = encodeURIComponent('<script>alert("1")</script>\u001b[31m\u202e&\'');
  const response = await send(
    `${listener.redirectUri}?error=${hostileText}&error_description=${hostileText}&state=state-1`,
  );
  expect(response.body).not.toContain('<script');
  expect(response.body).toContain('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;');
  expect((await failureOf(listener)).message).not.toMatch(/[\p{Cc}\p{Cf}]/u);
});

test('the state of the previous sign-in: is refused by the next one', async () => {
  const firstListener = await listen();
  await send(`${firstListener.redirectUri}?code=abc&state=state-1`);
  await firstListener.code;
  const secondListener = await listen({ state: 'state-2' });
  expect((await send(`${secondListener.redirectUri}?code=abc&state=state-1`)).status).toBe(400);
  await send(`${secondListener.redirectUri}?code=def&state=state-2`);
  expect(await secondListener.code).toBe('def');
});

test('two callbacks on open connections: only the first one is accepted', async () => {
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
  const responses = sockets.map((socket, index) => {
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
  const areApproved = (await Promise.all(responses)).map((text) => text.includes('<h1>Approved</h1>'));
  expect(areApproved.filter(Boolean)).toHaveLength(1);
  expect(code).toBe(`c${areApproved.indexOf(true)}`);
});

describe('a request that is not a callback', () => {
  test.each([
    ['another path', '/favicon.ico', {}, 404],
    ['a longer path with the same prefix', '/callback/x?code=evil&state=state-1', {}, 404],
    ['another method', '/callback?code=evil&state=state-1', { method: 'POST' }, 405],
    ['HEAD', '/callback?code=evil&state=state-1', { method: 'HEAD' }, 405],
    ['another host name', '/callback?code=evil&state=state-1', { host: 'evil.example' }, 403],
    [
      'a host name that begins with the loopback address',
      '/callback?code=evil&state=state-1',
      { host: '127.0.0.1.evil.example' },
      403,
    ],
    ['a host with a user name', '/callback?code=evil&state=state-1', { host: 'evil@127.0.0.1' }, 403],
  ])('with %s: is refused, and the listener keeps waiting', async (_, path, options, status) => {
    const listener = await listen();
    const { origin } = new URL(listener.redirectUri);
    expect((await send(origin + path, options)).status).toBe(status);
    await send(`${listener.redirectUri}?code=ours&state=state-1`);
    expect(await listener.code).toBe('ours');
  });
});

test('an aborted signal: the listener closes and fails with the reason', async () => {
  for (const reason of [undefined, new Failure('interrupted', 'Terminated.', { exitCode: 143 })]) {
    const controller = new AbortController();
    const listener = await listen({ signal: controller.signal });
    controller.abort(reason);
    const failure = await failureOf(listener);
    expect(failure.category).toBe('interrupted');
    if (reason !== undefined) expect(failure).toBe(reason);
    await expectClosed(listener);
  }
});

test('a signal that was aborted before: the listener fails immediately', async () => {
  expect((await failureOf(await listen({ signal: AbortSignal.abort() }))).category).toBe('interrupted');
});

test('the deadline of ten minutes: the listener closes and fails with not_signed_in', async () => {
  const deadline = new AbortController();
  const listener = await listen({ deadline: deadline.signal });
  deadline.abort();
  const failure = await failureOf(listener);
  expect(failure.category).toBe('not_signed_in');
  expect(failure.message).toContain('ten minutes');
  await expectClosed(listener);
});

test('a callback without a state: is accepted with --allow-missing-state', async () => {
  const listener = await listen({ allowMissingState: true });
  await send(`${listener.redirectUri}?code=abc`);
  expect(await listener.code).toBe('abc');
});
