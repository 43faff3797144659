/** Tests TLS and proxies with real sockets: which servers receive the token. */
import { execFileSync } from 'node:child_process';
import { connect as connectSocket, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { createServer as createTlsServer, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { networkTransport } from '../../src/account/client/network.ts';
import { TransportError } from '../../src/account/client/transport.ts';
import { Failure } from '../../src/base/errors.ts';
import { formatHint } from '../../src/base/hint.ts';
import { configFolder } from '../harness/home-folder.ts';
import { spawnBoh } from '../harness/spawn-boh.ts';
import { type Certificates, createCertificates, hasOpenssl, type Identity } from './certificates.ts';
import { jsonResponse, startRawService } from './raw-service.ts';

const request = { method: 'GET', target: '/x', headers: { authorization: 'Bearer token-CANARY-4711' } };

let certificates: Certificates;

beforeAll(() => {
  if (hasOpenssl()) certificates = createCertificates();
});
afterAll(() => certificates?.remove());

const startTlsService = (identity: Identity & { ALPNProtocols?: string[] }) =>
  startRawService((socket) => socket.write(jsonResponse({ data: [] })), createTlsServer(identity));

/** A proxy that records its requests, and connects to a port of this machine, whatever the host. */
const startProxy = (refusal?: string) =>
  startRawService((socket, request) => {
    const [, port = ''] = /^CONNECT [^:]+:(\d+) /.exec(request) ?? [];
    if (refusal !== undefined) return socket.end(`HTTP/1.1 ${refusal}\r\n\r\n`);
    const upstream: Socket = connectSocket(Number(port), '127.0.0.1', () => {
      socket.removeAllListeners('data');
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket
        .pipe(upstream)
        .on('error', () => {})
        .pipe(socket);
    });
  });

async function outcomeOf(
  port: number,
  env: Record<string, string> = {},
  // Only another machine is reached through a proxy.
  host = Object.keys(env).length === 0 ? 'localhost' : 'shop.example',
) {
  const transport = networkTransport({ baseUrl: `https://${host}:${port}`, timeoutMs: 600_000, env });
  return transport(request).catch((error: unknown) => {
    if (error instanceof TransportError) return error;
    throw error;
  });
}

/** Trusts the certificate authority of the tests during the work. */
async function withTestAuthority<Value>(act: () => Promise<Value>): Promise<Value> {
  const before = getCACertificates('default');
  setDefaultCACertificates([...before, certificates.authority]);
  try {
    return await act();
  } finally {
    setDefaultCACertificates(before);
  }
}

describe.skipIf(!hasOpenssl())('TLS (skipped without openssl, which makes the certificates)', () => {
  test('a valid certificate of a trusted authority: is accepted', async () => {
    const { port } = await startTlsService(certificates.valid);
    expect(await withTestAuthority(() => outcomeOf(port))).toMatchObject({ status: 200 });
  });

  test.each([
    ['directly', false],
    ['through a proxy', true],
  ])('a service that prefers HTTP/2: gets HTTP/1.1 requests, %s', async (_, isThroughProxy) => {
    const ALPNProtocols = ['h2', 'http/1.1'];
    const service = await startTlsService({ ...certificates.valid, ALPNProtocols });
    const env: Record<string, string> = isThroughProxy
      ? { HTTPS_PROXY: `http://127.0.0.1:${(await startProxy()).port}` }
      : {};
    expect(await withTestAuthority(() => outcomeOf(service.port, env))).toMatchObject({ status: 200 });
    expect(service.requests).toEqual([expect.stringMatching(/^GET \/x HTTP\/1\.1\r\n/)]);
  });

  test.each<[string, keyof Certificates, RegExp]>([
    [
      'self-signed',
      'selfSigned',
      /^The certificate of localhost:\d+ is not signed by a trusted authority\.$/,
    ],
    ['expired', 'expired', /^The certificate of localhost:\d+ has expired\.$/],
    ['of another host', 'otherHost', /^localhost:\d+ returned the certificate of another host\.$/],
  ])('a certificate that is %s: is refused before anything is sent', async (_, name, message) => {
    const service = await startTlsService(certificates[name] as Identity);
    expect(await withTestAuthority(() => outcomeOf(service.port))).toMatchObject({
      message: expect.stringMatching(message),
      hint: expect.stringMatching(/\S/),
      mayHaveArrived: false,
      isPermanent: true,
    });
    expect(service.requests).toEqual([]);
  });

  test('an unknown authority: is refused, and NODE_EXTRA_CA_CERTS is suggested', async () => {
    const service = await startTlsService(certificates.valid);
    expect(await outcomeOf(service.port)).toMatchObject({
      hint: expect.stringContaining('NODE_EXTRA_CA_CERTS'),
    });
    expect(service.requests).toEqual([]);
  });

  describe('the released program', () => {
    const list = (port: number, env: Record<string, string> = {}) =>
      spawnBoh(['suppliers', 'list', '-o', 'ndjson'], {
        env: {
          BOH_TOKEN: 'token-CANARY-4711',
          BOH_BASE_URL: `https://${env.HTTPS_PROXY ? 'shop.example' : 'localhost'}:${port}`,
          BOH_CONFIG_DIR: configFolder,
          ...env,
        },
      });

    test('reads an authority from NODE_EXTRA_CA_CERTS', async () => {
      const { port } = await startTlsService(certificates.valid);
      const env = { NODE_EXTRA_CA_CERTS: certificates.authorityFile };
      const [trusted, untrusted] = await Promise.all([list(port, env), list(port)]);
      expect(trusted).toMatchObject({ exitCode: 0, stderr: '' });
      expect(untrusted.exitCode).toBe(8);
      expect(JSON.parse(untrusted.stderr.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({
        error: { category: 'unavailable', hint: expect.stringContaining('NODE_EXTRA_CA_CERTS') },
      });
    });

    test('reads authorities from SSL_CERT_FILE and SSL_CERT_DIR', async () => {
      const { port } = await startTlsService(certificates.valid);
      const folder = dirname(certificates.authorityFile);
      execFileSync('openssl', ['rehash', folder], { stdio: 'ignore' });
      const results = await Promise.all([
        list(port, { SSL_CERT_FILE: certificates.authorityFile }),
        list(port, { SSL_CERT_FILE: certificates.authorityFile, NODE_EXTRA_CA_CERTS: '/dev/null' }),
        list(port, { SSL_CERT_FILE: '/dev/null', SSL_CERT_DIR: folder }),
      ]);
      for (const result of results) expect(result).toMatchObject({ exitCode: 0, stderr: '' });
    });

    test('names SSL_CERT_FILE if it can not be read, and exits with 2', async () => {
      const { port, requests } = await startTlsService(certificates.valid);
      const result = await list(port, { SSL_CERT_FILE: '/missing.pem' });
      expect(result).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('SSL_CERT_FILE') });
      expect(requests).toEqual([]);
    });

    test.each(['http://p:1/x', 'http://me:CANARY%@p:1', 'http://p:1#CANARY', 'http://me:1\\CANARY@p:1'])(
      'a write through the proxy %s: is refused with exit 2, and was not sent',
      async (HTTPS_PROXY) => {
        const env = {
          BOH_TOKEN: 'token',
          BOH_BASE_URL: 'https://shop.example',
          BOH_CONFIG_DIR: configFolder,
          HTTPS_PROXY,
        };
        const result = await spawnBoh(['suppliers', 'create', '--name', 'A'], { env });
        expect(result.exitCode).toBe(2);
        expect(result.stderr).not.toMatch(/CANARY|bug/);
        expect(JSON.parse(result.stderr.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({
          error: { message: 'Invalid proxy URL in HTTPS_PROXY.', outcome: 'not_sent' },
        });
      },
    );

    test('verifies certificates regardless of NODE_TLS_REJECT_UNAUTHORIZED', async () => {
      const service = await startTlsService(certificates.selfSigned);
      expect(await list(service.port, { NODE_TLS_REJECT_UNAUTHORIZED: '0' })).toMatchObject({ exitCode: 8 });
      expect(service.requests).toEqual([]);
    });

    test('uses the proxy in HTTPS_PROXY', async () => {
      const service = await startTlsService(certificates.valid);
      const proxyServer = await startProxy();
      const result = await list(service.port, {
        NODE_EXTRA_CA_CERTS: certificates.authorityFile,
        HTTPS_PROXY: `http://127.0.0.1:${proxyServer.port}`,
      });
      expect(result).toMatchObject({ exitCode: 0, stderr: '' });
      expect([proxyServer.requests.length, service.requests.length]).toEqual([1, 1]);
      expect(proxyServer.requests[0]).not.toContain('CANARY');
    });
  });

  describe('through a proxy', () => {
    test('the proxy sees only the host and port of the service', async () => {
      const service = await startTlsService(certificates.valid);
      const proxyServer = await startProxy();
      const env = { HTTPS_PROXY: `http://me:p%40ss@127.0.0.1:${proxyServer.port}` };
      expect(await withTestAuthority(() => outcomeOf(service.port, env))).toMatchObject({ status: 200 });
      expect(service.requests).toHaveLength(1);
      const [connectRequest = '', ...otherRequests] = proxyServer.requests;
      expect(otherRequests).toEqual([]);
      expect(connectRequest).toMatch(new RegExp(`^CONNECT shop.example:${service.port} HTTP/1.1\r\n`));
      expect(connectRequest).toContain(`proxy-authorization: Basic ${btoa('me:p@ss')}\r\n`);
      expect(connectRequest).not.toContain('CANARY');
      expect(service.requests[0]).not.toContain('proxy-authorization');
    });

    test('all requests of a list use one connection', async () => {
      const service = await startTlsService(certificates.valid);
      const proxyServer = await startProxy();
      await withTestAuthority(async () => {
        const env = { https_proxy: `127.0.0.1:${proxyServer.port}` };
        const transport = networkTransport({
          baseUrl: `https://shop.example:${service.port}`,
          timeoutMs: 600_000,
          env,
        });
        for (let time = 0; time < 5; time++) await transport(request);
      });
      expect([proxyServer.connections, service.connections, service.requests.length]).toEqual([1, 1, 5]);
    });

    test('an untrusted certificate is still refused', async () => {
      const service = await startTlsService(certificates.selfSigned);
      const proxyServer = await startProxy();
      const env = { HTTPS_PROXY: `http://127.0.0.1:${proxyServer.port}` };
      expect(await outcomeOf(service.port, env)).toMatchObject({
        message: expect.stringMatching(/^The certificate of shop\.example/),
      });
      expect(service.requests).toEqual([]);
    });

    test('a host in NO_PROXY is reached directly', async () => {
      const service = await startTlsService(certificates.valid);
      const proxyServer = await startProxy();
      const env = {
        HTTPS_PROXY: `http://127.0.0.1:${proxyServer.port}`,
        NO_PROXY: 'example.com,shop.example',
      };
      // Without the proxy, the host can't be resolved.
      expect(await outcomeOf(service.port, env)).toMatchObject({
        message: expect.stringContaining('The host name shop.example'),
      });
      expect([proxyServer.connections, service.connections]).toEqual([0, 0]);
    });
  });
});

describe('a proxy', () => {
  test.each([
    ['403 Forbidden', /^The proxy 127\.0\.0\.1:\d+ refuses to connect to shop\.example:1 \(403\)\.$/],
    [
      '407 Proxy Authentication Required',
      /^The proxy 127\.0\.0\.1:\d+ requires a valid user name and password/,
    ],
    ['502 Bad Gateway', /^The proxy 127\.0\.0\.1:\d+ refuses to connect to shop\.example:1 \(502\)\.$/],
  ])('that returns %s: is reported without its password', async (refusal, message) => {
    const proxyServer = await startProxy(refusal);
    const outcome = await outcomeOf(1, { HTTPS_PROXY: `http://me:CANARY@127.0.0.1:${proxyServer.port}` });
    expect(outcome).toMatchObject({ message: expect.stringMatching(message), mayHaveArrived: false });
    expect(
      outcome instanceof TransportError && outcome.message + formatHint(outcome.hint ?? ''),
    ).not.toContain('CANARY');
  });

  test('that closes or refuses the connection: is reported', async () => {
    const closingProxy = await startRawService((socket) => socket.resetAndDestroy());
    const env = { HTTPS_PROXY: `http://127.0.0.1:${closingProxy.port}` };
    expect(await outcomeOf(1, env)).toMatchObject({
      message: expect.stringMatching(/^The proxy .* closed the connection/),
      mayHaveArrived: false,
    });
    await closingProxy.close();
    expect(await outcomeOf(1, env)).toMatchObject({
      message: expect.stringMatching(/^The proxy .* refused the connection/),
    });
  });

  test('with an invalid URL: is a usage failure, and nothing is sent', () => {
    const make = () =>
      networkTransport({
        baseUrl: 'https://shop.example:1',
        timeoutMs: 600_000,
        env: { HTTPS_PROXY: 'socks9://CANARY@x' },
      });
    expect(make).toThrow(Failure);
    expect(make).not.toThrow(/CANARY/);
  });
});

test('a service on this machine: gets its requests directly, whatever the proxy variables contain', async () => {
  const service = await startRawService((socket) => socket.write(jsonResponse({})));
  const proxyServer = await startRawService((socket) => socket.write(jsonResponse({})));
  const proxy = `http://127.0.0.1:${proxyServer.port}`;
  const transport = networkTransport({
    baseUrl: `http://127.0.0.1:${service.port}`,
    timeoutMs: 600_000,
    env: { http_proxy: proxy, HTTPS_PROXY: proxy, ALL_PROXY: proxy },
  });
  expect(await transport(request)).toMatchObject({ status: 200 });
  expect([service.requests.length, proxyServer.connections]).toEqual([1, 0]);
});
