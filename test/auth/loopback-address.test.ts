import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { expect, test } from 'vitest';
import { canListen, withPort } from '../../src/account/auth/loopback-listener.ts';
import { hintContaining } from '../harness/hint.ts';
import { listen, send } from './loopback-client.ts';

/** Containers often lack IPv6, even on the loopback device. */
const hasIpv6 = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ address }) => address === '::1'),
);

test.each(['localhost', 'LOCALHOST:1', '127.0.0.1:9', '[::1]:8714'])(
  'a callback with the Host header %s: is accepted',
  async (host) => {
    const listener = await listen();
    expect((await send(`${listener.redirectUri}?code=abc&state=state-1`, { host })).status).toBe(200);
  },
);

test('localhost: listens on IPv4 and, if available, on IPv6, on the same port', async () => {
  for (const address of hasIpv6 ? ['127.0.0.1', '[::1]'] : ['127.0.0.1']) {
    const listener = await listen({ redirectUri: 'http://localhost:0/back' });
    expect(listener.redirectUri).toMatch(/^http:\/\/localhost:[1-9]\d*\/back$/);
    const { port } = new URL(listener.redirectUri);
    await send(`http://${address}:${port}/back?code=abc&state=state-1`);
    expect(await listener.code).toBe('abc');
  }
});

test.skipIf(!hasIpv6)('[::1]: listens on IPv6 (skipped without IPv6)', async () => {
  const listener = await listen({ redirectUri: 'http://[::1]:0/callback' });
  await send(`${listener.redirectUri}?code=abc&state=state-1`);
  expect(await listener.code).toBe('abc');
});

test('a port in use: the failure names it and suggests --no-browser', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    for (const host of ['127.0.0.1', 'localhost']) {
      const failure: unknown = await listen({ redirectUri: `http://${host}:${port}/callback` }).catch(
        (error) => error,
      );
      expect(failure).toMatchObject({ category: 'usage', message: expect.stringContaining(`Port ${port}`) });
      expect(failure).toHaveProperty('details.hint', hintContaining('--no-browser'));
    }
  } finally {
    server.close();
  }
});

test.skipIf(!hasIpv6)(
  'localhost with a port in use on IPv6: closes its port on IPv4 (skipped without IPv6)',
  async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '::1', resolve));
    const { port } = server.address() as AddressInfo;
    await expect(listen({ redirectUri: `http://localhost:${port}/callback` })).rejects.toThrow(
      `Port ${port}`,
    );
    server.close();
    await expect(send(`http://127.0.0.1:${port}/`)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  },
);

test.each([
  'https://shop.example/back',
  'http://shop.example:80/',
  'https://127.0.0.1:8714/',
  'http://0.0.0.0:8714/',
  'nonsense',
])('redirect URI %s: listening is refused as a usage failure', async (redirectUri) => {
  expect(canListen(redirectUri)).toBe(false);
  await expect(listen({ redirectUri })).rejects.toMatchObject({ category: 'usage' });
});

test.each([
  ['http://127.0.0.1:8714/callback', 'http://127.0.0.1:0/callback'],
  ['http://localhost/callback?a=1:2', 'http://localhost:0/callback?a=1:2'],
  ['http://[::1]:8714', 'http://[::1]:0'],
])('%s with port 0: is %s', (redirectUri, expected) => {
  expect(withPort(redirectUri, 0)).toBe(expected);
});
