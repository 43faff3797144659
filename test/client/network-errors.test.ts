import { describe, expect, test } from 'vitest';
import { type Exchange, explainNetworkError } from '../../src/account/client/network.ts';
import { TransportError } from '../../src/account/client/transport.ts';
import { fc } from '../harness/fast-check.ts';

const exchange: Exchange = {
  host: 'api.example.com',
  timeoutMs: 30_000,
  connectMs: 10_000,
  isSent: false,
  isTimedOut: false,
};
const proxied: Exchange = { ...exchange, proxy: { host: 'proxy.example:3128', variable: 'HTTPS_PROXY' } };

const errorWithCode = (code: string, cause?: unknown) => Object.assign(new Error(code, { cause }), { code });
const explain = (error: unknown, overrides: Partial<Exchange> = {}) =>
  explainNetworkError(error, { ...exchange, ...overrides });

describe('a network error without a proxy', () => {
  test.each([
    ['ENOTFOUND', "The host name api.example.com can't be resolved.", true],
    ['EAI_AGAIN', "The host name api.example.com can't be resolved at the moment.", false],
    ['ECONNREFUSED', 'api.example.com refused the connection.', false],
    ['ENETUNREACH', "api.example.com can't be reached from this machine.", false],
    ['ETIMEDOUT', "api.example.com didn't accept the connection within 10 seconds.", false],
    ['UND_ERR_CONNECT_TIMEOUT', "api.example.com didn't accept the connection within 10 seconds.", false],
    ['CERT_HAS_EXPIRED', 'The certificate of api.example.com has expired.', true],
    [
      'CERT_NOT_YET_VALID',
      'The certificate of api.example.com is not valid yet, or the clock of this machine is wrong.',
      true,
    ],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'api.example.com returned the certificate of another host.', true],
    [
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      'The certificate of api.example.com is not signed by a trusted authority.',
      true,
    ],
    ['CERT_REVOKED', "The certificate of api.example.com can't be trusted (CERT_REVOKED).", true],
    [
      'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
      'No secure connection to api.example.com could be established (ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION).',
      true,
    ],
    ['EPROTO', 'No secure connection to api.example.com could be established (EPROTO).', true],
    ['ECONNRESET', 'api.example.com closed the connection before anything was sent (ECONNRESET).', false],
    ['UND_ERR_SOCKET', 'api.example.com closed the connection before anything was sent.', false],
  ])('%s: %s', (code, message, isPermanent) => {
    expect(explain(errorWithCode(code))).toMatchObject({ message, isPermanent, mayHaveArrived: false });
  });

  test('after sending: the request may have arrived', () => {
    expect(explain(errorWithCode('UND_ERR_SOCKET'), { isSent: true })).toMatchObject({
      message: 'The connection to api.example.com was lost before the response was complete.',
      mayHaveArrived: true,
    });
    expect(explain(errorWithCode('ETIMEDOUT'), { isSent: true })).toMatchObject({ mayHaveArrived: true });
  });

  test('in a cause or an AggregateError: its code is found', () => {
    expect(explain(new Error('x', { cause: errorWithCode('ECONNREFUSED') })).message).toContain(
      'refused the connection',
    );
    expect(
      explain(new AggregateError([errorWithCode('ENETUNREACH'), errorWithCode('ECONNREFUSED')])).message,
    ).toContain("can't be reached");
  });
});

describe('a network error with a proxy', () => {
  test.each([
    [errorWithCode('ECONNREFUSED'), 'The proxy proxy.example:3128 refused the connection.'],
    [errorWithCode('ENOTFOUND'), "The host name proxy.example:3128 can't be resolved."],
    [errorWithCode('EHOSTUNREACH'), "The proxy proxy.example:3128 can't be reached from this machine."],
    [
      errorWithCode('UND_ERR_PRX_CONN'),
      'The proxy proxy.example:3128 closed the connection before anything was sent.',
    ],
    [
      errorWithCode('UND_ERR_PRX_TLS'),
      'The proxy proxy.example:3128 returned the certificate of another host.',
    ],
    [
      new Error('Proxy response (403) !== 200 when HTTP Tunneling'),
      'The proxy proxy.example:3128 refuses to connect to api.example.com (403).',
    ],
  ])('is explained: %s', (error, message) => {
    const transportError = explainNetworkError(error, proxied);
    expect(transportError).toMatchObject({ message, mayHaveArrived: false });
  });

  test('suggests to check the URL of the proxy and NO_PROXY', () => {
    expect(explainNetworkError(errorWithCode('ECONNREFUSED'), proxied).hint).toMatch(/HTTPS_PROXY.*NO_PROXY/);
  });

  test('with a 407: the proxy requires a user name and password', () => {
    const error = new Error('Proxy response (407) !== 200 when HTTP Tunneling');
    expect(explainNetworkError(error, proxied)).toMatchObject({
      message: expect.stringContaining('user name and password'),
      hint: 'Set them in HTTPS_PROXY: http://NAME:PASSWORD@proxy.example:3128',
      isPermanent: true,
    });
  });

  test('with an invalid certificate: the certificate of the service is invalid', () => {
    expect(explainNetworkError(errorWithCode('CERT_HAS_EXPIRED'), proxied).message).toBe(
      'The certificate of api.example.com has expired.',
    );
  });
});

test('an exchange that timed out: the time limit is reported instead of the code', () => {
  expect(explain(errorWithCode('UND_ERR_ABORTED'), { isTimedOut: true, isSent: true }).message).toBe(
    "api.example.com didn't send a complete response within 30 seconds.",
  );
  expect(explain(errorWithCode('UND_ERR_ABORTED'), { isTimedOut: true }).message).toBe(
    "api.example.com didn't accept the connection within 30 seconds.",
  );
});

test('any thrown value: is a TransportError with one sentence, which reports whether the request was sent', () => {
  const thrown = fc.oneof(
    fc.anything(),
    fc.string().map(errorWithCode),
    fc.string().map((text) => new TypeError(text)),
  );
  fc.assert(
    fc.property(thrown, fc.boolean(), fc.boolean(), fc.boolean(), (error, isSent, isTimedOut, isProxied) => {
      const transportError = explainNetworkError(error, {
        ...(isProxied ? proxied : exchange),
        isSent: isSent,
        isTimedOut: isTimedOut,
      });
      expect(transportError).toBeInstanceOf(TransportError);
      expect(transportError.message).toMatch(/\.$/);
      expect(transportError.mayHaveArrived).toBe(isSent);
    }),
  );
});
