import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import nock from 'nock';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Exchange, exchangeCode } from '../../../src/auth/exchange.ts';
import { Failure } from '../../../src/errors.ts';

const canary = 'client-secret-CANARY-77';
const codeCanary = 'code-CANARY-88';
const tokenCanary = 'access-token-CANARY-99';

const exchange: Exchange = {
  tokenUrl: 'https://api.example.com/oauth/token',
  code: codeCanary,
  clientId: 'app-1',
  clientSecret: canary,
  redirectUri: 'http://127.0.0.1:8714/callback',
  userAgent: 'boh/1.2.3',
  timeoutMs: 5_000,
};

async function failureOf(given: Exchange = exchange): Promise<Failure> {
  const error: unknown = await exchangeCode(given).catch((caught: unknown) => caught);
  if (error instanceof Failure) return error;
  throw new Error(`expected a failure, got ${String(error)}`);
}

/** Everything of a failure that could be printed. */
function printed(failure: Failure): string {
  return JSON.stringify([failure.message, failure.details, String(failure.stack)]);
}

describe('over a network that is played', () => {
  beforeEach(() => nock.disableNetConnect());
  afterEach(() => {
    expect(nock.pendingMocks()).toEqual([]);
    nock.cleanAll();
    nock.enableNetConnect();
  });

  function answer(status: number, body: string | object, headers: Record<string, string> = {}) {
    return nock('https://api.example.com').post('/oauth/token').reply(status, body, headers);
  }

  test('sends exactly the body of the document, and says who it is', async () => {
    let sent = '';
    nock('https://api.example.com', {
      reqheaders: {
        'content-type': 'application/json',
        accept: 'application/json',
        'user-agent': 'boh/1.2.3',
      },
    })
      .post('/oauth/token', (body) => {
        sent = JSON.stringify(body);
        return true;
      })
      .reply(200, { token_type: 'Bearer', access_token: tokenCanary });
    expect(await exchangeCode(exchange)).toBe(tokenCanary);
    expect(sent).toBe(
      `{"grant_type":"authorization_code","code":"${codeCanary}","client_id":"app-1",` +
        `"client_secret":"${canary}","redirect_uri":"http://127.0.0.1:8714/callback"}`,
    );
  });

  test.each([
    ['bearer in small letters', { token_type: 'bearer', access_token: tokenCanary }],
    ['another type', { token_type: 'mac', access_token: tokenCanary }],
    ['no type', { access_token: tokenCanary }],
    ['no token', { token_type: 'Bearer' }],
    ['an empty token', { token_type: 'Bearer', access_token: '' }],
    ['a token that is no text', { token_type: 'Bearer', access_token: 7 }],
    ['a token that would split a header', { token_type: 'Bearer', access_token: `${tokenCanary}\r\nx: y` }],
    ['a list', [{ token_type: 'Bearer', access_token: tokenCanary }]],
    ['an HTML page', '<html><body>Please wait</body></html>'],
    ['nothing', ''],
    ['half an answer', `{"token_type":"Bearer","access_token":"${tokenCanary}`],
  ])('refuses %s', async (_what, body) => {
    answer(200, body);
    const failure = await failureOf();
    expect(failure.category).toBe('unavailable');
    expect(printed(failure)).not.toContain('CANARY');
  });

  test('says what came back, without secrets, control characters or endless text', async () => {
    answer(
      200,
      `<p>\u001b]52;c;x\u0007\u202e${canary} ${codeCanary} {"access_token":"${tokenCanary}"} ${'word '.repeat(500)}`,
    );
    const failure = await failureOf();
    expect(failure.message).toContain('<p>');
    expect(failure.message.length).toBeLessThan(320);
    expect(failure.message).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(printed(failure)).not.toContain('CANARY');
  });

  test.each([
    [400, 'refused'],
    [401, 'not_signed_in'],
    [403, 'not_allowed'],
    [404, 'not_found'],
    [422, 'refused'],
    [429, 'rate_limited'],
    [500, 'unavailable'],
    [503, 'unavailable'],
  ])('a refusal with %i is %s, with the words of the service', async (status, category) => {
    answer(status, { error: 'invalid_grant', error_description: `The code ${codeCanary} has expired.` });
    const failure = await failureOf();
    expect(failure.category).toBe(category);
    expect(failure.details.status).toBe(status);
    expect(failure.message).toContain('invalid_grant');
    expect(failure.details.request).toEqual({ method: 'POST', path: '/oauth/token' });
    expect(printed(failure)).not.toContain('CANARY');
  });

  test.each([301, 302, 303, 307, 308])('does not follow a redirect (%i)', async (status) => {
    let followed = false;
    nock('https://elsewhere.example')
      .post(/.*/)
      .optionally()
      .reply(() => {
        followed = true;
        return [200, {}];
      });
    answer(status, '', { location: 'https://elsewhere.example/oauth/token' });
    expect((await failureOf()).category).toBe('unavailable');
    expect(followed).toBe(false);
  });

  test('refuses plain http to another machine before anything is sent', async () => {
    const failure = await failureOf({ ...exchange, tokenUrl: 'http://api.example.com/oauth/token' });
    expect(failure.category).toBe('usage');
  });
});

describe('over a real socket', () => {
  /** A server that handles each request as told, on a free port; it ends with the test. */
  async function served(
    handle: Parameters<typeof createServer>[1],
    use: (tokenUrl: string) => Promise<void>,
  ): Promise<void> {
    const server = createServer(handle);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}/oauth/token`);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  }

  test('a body of more than a megabyte is not read to its end', async () => {
    await served(
      (_request, response) => {
        const chunk = Buffer.alloc(64 * 1024, ' ');
        const more = (): void => {
          while (response.write(chunk));
        };
        response.on('drain', more).on('error', () => undefined);
        more();
      },
      async (tokenUrl) => {
        const failure = await failureOf({ ...exchange, tokenUrl });
        expect(failure.category).toBe('unavailable');
        expect(failure.message).toContain('megabyte');
      },
    );
  });

  test('an answer that never comes ends with the time-out', async () => {
    await served(
      () => undefined,
      async (tokenUrl) => {
        const failure = await failureOf({ ...exchange, tokenUrl, timeoutMs: 20 });
        expect(failure.category).toBe('unavailable');
        expect(failure.message).toContain('within 0.02 seconds');
      },
    );
  });

  test('a broken connection is reported once and not tried again', async () => {
    let requests = 0;
    await served(
      (request) => {
        requests += 1;
        request.socket.destroy();
      },
      async (tokenUrl) => {
        expect((await failureOf({ ...exchange, tokenUrl })).category).toBe('unavailable');
        expect(requests).toBe(1);
      },
    );
  });

  test('Ctrl-C ends it as interrupted', async () => {
    const stop = new AbortController();
    await served(
      () => stop.abort(),
      async (tokenUrl) => {
        expect((await failureOf({ ...exchange, tokenUrl, signal: stop.signal })).category).toBe(
          'interrupted',
        );
      },
    );
  });
});
