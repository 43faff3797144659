/** The page of the listener that the browser is started with. */
import { expect, test } from 'vitest';
import { listen, send } from './loopback-client.ts';

const authorizationUrl = "https://approve.example.com/?state=state-1&scope=a%20b&note='1'";

test('the start page: redirects once, and is never cached or sent as a referrer', async () => {
  const listener = await listen();
  const startUrl = listener.redirectOnce(authorizationUrl);
  const { status, headers, body } = await send(startUrl);
  expect(status).toBe(302);
  expect(headers).toMatchObject({
    location: authorizationUrl,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
  });
  expect(body).toBe('');
  const again = await send(startUrl);
  expect(again.status).toBe(410);
  expect(again.headers.location).toBeUndefined();
  expect(again.body).not.toContain('approve.example.com');
});

test('the start page: has another random path for each listener', async () => {
  const urls = await Promise.all(
    [1, 2].map(async () => (await listen()).redirectOnce(authorizationUrl).replace(/:\d+/, '')),
  );
  expect(urls[0]).toMatch(/^http:\/\/127\.0\.0\.1\/start-[\w-]{43}$/);
  expect(urls[1]).not.toBe(urls[0]);
});

test.each([
  ['HEAD', { method: 'HEAD' }, 405],
  ['POST', { method: 'POST' }, 405],
  ['another host name', { host: 'evil.example' }, 403],
  ['an embedding page', { headers: { 'sec-fetch-dest': 'iframe' } }, 403],
])(
  'the start page: a request with %s gets no URL, and the browser still does',
  async (_, options, status) => {
    const listener = await listen();
    const startUrl = listener.redirectOnce(authorizationUrl);
    const refused = await send(startUrl, options);
    expect(refused.status).toBe(status);
    expect(refused.headers.location).toBeUndefined();
    expect((await send(startUrl)).status).toBe(302);
  },
);

test.each(['/', '/start', '/start-', '/start-x'])('the path %s: is not found', async (path) => {
  const listener = await listen();
  listener.redirectOnce(authorizationUrl);
  expect((await send(new URL(path, listener.redirectUri).href)).status).toBe(404);
});

test('the start page: works for a redirect URI with any path and host of this machine', async () => {
  const listener = await listen({ redirectUri: 'http://localhost:0/oauth/back?app=7' });
  const startUrl = listener.redirectOnce(authorizationUrl);
  expect(startUrl).toMatch(/^http:\/\/localhost:\d+\/start-[\w-]+$/);
  expect((await send(startUrl)).status).toBe(302);
});
