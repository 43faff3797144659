/** TLS and proxies over real sockets on this machine: whom the token is shown to, and whom not. */
import { connect as dial, type Socket } from 'node:net';
import { createServer as createTlsServer, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Failure } from '../../src/base/errors.ts';
import { formatHint } from '../../src/base/hint.ts';
import { networkTransport } from '../../src/client/network.ts';
import { TransportError } from '../../src/client/transport.ts';
import { configFolder } from '../harness/home-folder.ts';
import { spawnBoh } from '../harness/spawn-boh.ts';
import { type Certificates, hasOpenssl, type Identity, makeCertificates } from './certificates.ts';
import { json, startRawService } from './raw-service.ts';

const request = { method: 'GET', target: '/x', headers: { authorization: 'Bearer token-CANARY-4711' } };

let certificates: Certificates;

beforeAll(() => {
  if (hasOpenssl()) certificates = makeCertificates();
});
afterAll(() => certificates?.remove());

const secure = (identity: Identity & { ALPNProtocols?: string[] }) =>
  startRawService((socket) => socket.write(json({ data: [] })), createTlsServer(identity));

/** A proxy that records its requests, and connects to any requested host. */
const proxy = (refusal?: string) =>
  startRawService((socket, asked) => {
    const [, host = '', port = ''] = /^CONNECT ([^:]+):(\d+) /.exec(asked) ?? [];
    if (refusal !== undefined) return socket.end(`HTTP/1.1 ${refusal}\r\n\r\n`);
    const onward: Socket = dial(Number(port), host, () => {
      socket.removeAllListeners('data');
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket
        .pipe(onward)
        .on('error', () => {})
        .pipe(socket);
    });
  });

async function outcomeOf(port: number, env: Record<string, string> = {}, host = 'localhost') {
  const transport = networkTransport({ baseUrl: `https://${host}:${port}`, timeoutMs: 600_000, env });
  return transport(request).catch((error: unknown) => {
    if (error instanceof TransportError) return error;
    throw error;
  });
}

/** Trusts the authority of the tests, for as long as a test runs. */
async function trusting<Value>(act: () => Promise<Value>): Promise<Value> {
  const before = getCACertificates('default');
  setDefaultCACertificates([...before, certificates.authority]);
  try {
    return await act();
  } finally {
    setDefaultCACertificates(before);
  }
}

describe.skipIf(!hasOpenssl())('TLS (skipped without openssl, which makes the certificates)', () => {
  test('a valid certificate of a known authority is trusted', async () => {
    const { port } = await secure(certificates.valid);
    expect(await trusting(() => outcomeOf(port))).toMatchObject({ status: 200 });
  });

  test.each([
    ['directly', false],
    ['through a proxy', true],
  ])('a service that prefers HTTP/2 is asked in HTTP/1.1, %s', async (_, isThroughProxy) => {
    const ALPNProtocols = ['h2', 'http/1.1'];
    const service = await secure({ ...certificates.valid, ALPNProtocols });
    const env: Record<string, string> = isThroughProxy
      ? { HTTPS_PROXY: `http://127.0.0.1:${(await proxy()).port}` }
      : {};
    expect(await trusting(() => outcomeOf(service.port, env))).toMatchObject({ status: 200 });
    expect(service.requests).toEqual([expect.stringMatching(/^GET \/x HTTP\/1\.1\r\n/)]);
  });

  test.each<[string, keyof Certificates, RegExp]>([
    [
      'self-signed',
      'selfSigned',
      /^The certificate of localhost:\d+ is not signed by a trusted authority\.$/,
    ],
    ['expired', 'expired', /^The certificate of localhost:\d+ has expired\.$/],
    ['of another host', 'elsewhere', /^localhost:\d+ returned the certificate of another host\.$/],
  ])('a certificate that is %s is refused before anything is sent', async (_, name, message) => {
    const service = await secure(certificates[name] as Identity);
    expect(await trusting(() => outcomeOf(service.port))).toMatchObject({
      message: expect.stringMatching(message),
      hint: expect.stringMatching(/\S/),
      mayHaveArrived: false,
      isPermanent: true,
    });
    expect(service.requests).toEqual([]);
  });

  test('an unknown authority is refused, and NODE_EXTRA_CA_CERTS is named', async () => {
    const service = await secure(certificates.valid);
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
          BOH_BASE_URL: `https://localhost:${port}`,
          BOH_CONFIG_DIR: configFolder,
          ...env,
        },
      });

    test('reads an authority from NODE_EXTRA_CA_CERTS', async () => {
      const { port } = await secure(certificates.valid);
      const env = { NODE_EXTRA_CA_CERTS: certificates.authorityFile };
      const [trusted, untrusted] = await Promise.all([list(port, env), list(port)]);
      expect(trusted).toMatchObject({ exitCode: 0, stderr: '' });
      expect(untrusted.exitCode).toBe(8);
      expect(JSON.parse(untrusted.stderr.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({
        error: { category: 'unavailable', hint: expect.stringContaining('NODE_EXTRA_CA_CERTS') },
      });
    });

    test('verifies certificates whatever the environment says', async () => {
      const service = await secure(certificates.selfSigned);
      expect(await list(service.port, { NODE_TLS_REJECT_UNAUTHORIZED: '0' })).toMatchObject({ exitCode: 8 });
      expect(service.requests).toEqual([]);
    });

    test('uses the proxy that HTTPS_PROXY names', async () => {
      const service = await secure(certificates.valid);
      const between = await proxy();
      const result = await list(service.port, {
        NODE_EXTRA_CA_CERTS: certificates.authorityFile,
        HTTPS_PROXY: `http://127.0.0.1:${between.port}`,
      });
      expect(result).toMatchObject({ exitCode: 0, stderr: '' });
      expect([between.requests.length, service.requests.length]).toEqual([1, 1]);
      expect(between.requests[0]).not.toContain('CANARY');
    });
  });

  describe('through a proxy', () => {
    test('the proxy sees only the host and port of the service', async () => {
      const service = await secure(certificates.valid);
      const between = await proxy();
      const env = { HTTPS_PROXY: `http://me:p%40ss@127.0.0.1:${between.port}` };
      expect(await trusting(() => outcomeOf(service.port, env))).toMatchObject({ status: 200 });
      expect(service.requests).toHaveLength(1);
      const [asked = '', ...others] = between.requests;
      expect(others).toEqual([]);
      expect(asked).toMatch(new RegExp(`^CONNECT localhost:${service.port} HTTP/1.1\r\n`));
      expect(asked).toContain(`proxy-authorization: Basic ${btoa('me:p@ss')}\r\n`);
      expect(asked).not.toContain('CANARY');
      expect(service.requests[0]).not.toContain('proxy-authorization');
    });

    test('all requests of a list use one connection', async () => {
      const service = await secure(certificates.valid);
      const between = await proxy();
      await trusting(async () => {
        const env = { https_proxy: `127.0.0.1:${between.port}` };
        const transport = networkTransport({
          baseUrl: `https://localhost:${service.port}`,
          timeoutMs: 600_000,
          env,
        });
        for (let time = 0; time < 5; time++) await transport(request);
      });
      expect([between.connections, service.connections, service.requests.length]).toEqual([1, 1, 5]);
    });

    test('an untrusted certificate is still refused', async () => {
      const service = await secure(certificates.selfSigned);
      const between = await proxy();
      const env = { HTTPS_PROXY: `http://127.0.0.1:${between.port}` };
      expect(await outcomeOf(service.port, env)).toMatchObject({
        message: expect.stringMatching(/^The certificate of localhost/),
      });
      expect(service.requests).toEqual([]);
    });

    test('a host in NO_PROXY is reached directly', async () => {
      const service = await secure(certificates.valid);
      const between = await proxy();
      const env = { HTTPS_PROXY: `http://127.0.0.1:${between.port}`, NO_PROXY: 'example.com,localhost' };
      expect(await trusting(() => outcomeOf(service.port, env))).toMatchObject({ status: 200 });
      expect(between.connections).toBe(0);
    });
  });
});

describe('a proxy that', () => {
  test.each([
    ['403 Forbidden', /^The proxy 127\.0\.0\.1:\d+ refuses to connect to localhost:1 \(403\)\.$/],
    [
      '407 Proxy Authentication Required',
      /^The proxy 127\.0\.0\.1:\d+ requires a valid user name and password/,
    ],
    ['502 Bad Gateway', /^The proxy 127\.0\.0\.1:\d+ refuses to connect to localhost:1 \(502\)\.$/],
  ])('answers %s is reported in words, without its password', async (refusal, message) => {
    const between = await proxy(refusal);
    const outcome = await outcomeOf(1, { HTTPS_PROXY: `http://me:CANARY@127.0.0.1:${between.port}` });
    expect(outcome).toMatchObject({ message: expect.stringMatching(message), mayHaveArrived: false });
    expect(
      outcome instanceof TransportError && outcome.message + formatHint(outcome.hint ?? ''),
    ).not.toContain('CANARY');
  });

  test("closes the connection or doesn't exist is reported in words", async () => {
    const rude = await startRawService((socket) => socket.resetAndDestroy());
    const env = { HTTPS_PROXY: `http://127.0.0.1:${rude.port}` };
    expect(await outcomeOf(1, env)).toMatchObject({
      message: expect.stringMatching(/^The proxy .* closed the connection/),
      mayHaveArrived: false,
    });
    await rude.close();
    expect(await outcomeOf(1, env)).toMatchObject({
      message: expect.stringMatching(/^The proxy .* refused the connection/),
    });
  });

  test('has an invalid address is a usage failure, and nothing is sent', () => {
    const make = () =>
      networkTransport({
        baseUrl: 'https://localhost:1',
        timeoutMs: 600_000,
        env: { HTTPS_PROXY: 'socks9://CANARY@x' },
      });
    expect(make).toThrow(Failure);
    expect(make).not.toThrow(/CANARY/);
  });
});

test('plain http to this machine uses a proxy on this machine, if one is set', async () => {
  const service = await startRawService((socket) => socket.write(json({})));
  const transport = networkTransport({
    baseUrl: 'http://127.0.0.1:1',
    timeoutMs: 600_000,
    env: { http_proxy: `http://127.0.0.1:${service.port}` },
  });
  expect(await transport(request)).toMatchObject({ status: 200 });
  expect(service.requests[0]).toMatch(/^GET http:\/\/127\.0\.0\.1:1\/x HTTP\/1\.1\r\n/);
});

test('a request that a proxy on another machine could read is not sent', async () => {
  const service = await startRawService((socket) => socket.write(json({})));
  const env = { HTTP_PROXY: 'http://proxy.example:3128' };
  const transport = networkTransport({
    baseUrl: `http://127.0.0.1:${service.port}`,
    timeoutMs: 600_000,
    env,
  });
  expect(await transport(request)).toMatchObject({ status: 200 });
  expect(service.requests).toHaveLength(1);
});
