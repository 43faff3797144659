import { describe, expect, test } from 'vitest';
import { type Exchange, exchangeCode, type Post } from '../../src/account/auth/exchange.ts';
import { Failure } from '../../src/base/errors.ts';
import { hintContaining } from '../harness/hint.ts';

const canary = 'client-secret-CANARY-77';
const codeCanary = 'code-CANARY-88';
const tokenCanary = 'access-token-CANARY-99';

const exchange: Omit<Exchange, 'post'> = {
  tokenUrl: 'https://api.example.com/oauth/token',
  code: codeCanary,
  clientId: 'app-1',
  clientSecret: canary,
  redirectUri: 'http://127.0.0.1:8714/callback',
  style: { body: 'json', clientAuth: 'body' },
};

/** Returns a function that responds to every request with this status and body. */
function respondWith(status: number, body: string | object): Post {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return async () => ({ status, text });
}

async function failureOf(post: Post, options = exchange): Promise<Failure> {
  const error: unknown = await exchangeCode({ ...options, post }).catch((thrown: unknown) => thrown);
  if (error instanceof Failure) return error;
  throw new Error(`expected a failure, got ${String(error)}`);
}

/** Returns all text of a failure that could be printed. */
function printableText(failure: Failure): string {
  return JSON.stringify([failure.message, failure.details, String(failure.stack)]);
}

const validResponse = { token_type: 'Bearer', access_token: tokenCanary };

interface TokenRequest {
  url: string;
  body: string;
  headers: Record<string, string>;
}

/** Exchanges a code at a service that returns a token. Returns the only request. */
async function requestFor(options: Partial<Exchange>): Promise<TokenRequest> {
  const requests: TokenRequest[] = [];
  const post: Post = async ({ href: url }, { body, headers }) => {
    requests.push({ url, body, headers });
    return { status: 200, text: JSON.stringify(validResponse) };
  };
  expect(await exchangeCode({ ...exchange, ...options, post })).toBe(tokenCanary);
  expect(requests).toHaveLength(1);
  return requests[0] as TokenRequest;
}

test('an exchange: sends the documented body, once', async () => {
  const { url, body, headers } = await requestFor({});
  expect(url).toBe('https://api.example.com/oauth/token');
  expect(body).toBe(
    `{"grant_type":"authorization_code","code":"${codeCanary}","client_id":"app-1",` +
      `"client_secret":"${canary}","redirect_uri":"http://127.0.0.1:8714/callback"}`,
  );
  expect(headers).toEqual({ accept: 'application/json', 'content-type': 'application/json' });
});

describe('an exchange with a deployment', () => {
  test('that expects a form: sends a form', async () => {
    const { body, headers } = await requestFor({ style: { body: 'form', clientAuth: 'body' } });
    expect(headers['content-type']).toBe('application/x-www-form-urlencoded');
    expect(Object.fromEntries(new URLSearchParams(body))).toEqual({
      grant_type: 'authorization_code',
      code: codeCanary,
      client_id: 'app-1',
      client_secret: canary,
      redirect_uri: 'http://127.0.0.1:8714/callback',
    });
  });

  test.each(['json', 'form'] as const)(
    'that expects HTTP Basic: sends the client in the header and not in the %s',
    async (bodyFormat) => {
      const options = {
        clientId: 'app 1',
        clientSecret: 'a:b/c+d',
        style: { body: bodyFormat, clientAuth: 'basic' },
      };
      const { body, headers } = await requestFor(options as Partial<Exchange>);
      const [scheme, value = ''] = headers.authorization?.split(' ') ?? [];
      expect(scheme).toBe('Basic');
      expect(Buffer.from(value, 'base64').toString()).toBe('app+1:a%3Ab%2Fc%2Bd');
      expect(body).not.toContain('client');
    },
  );

  test('that expects PKCE: sends the verifier', async () => {
    expect(JSON.parse((await requestFor({ verifier: 'v'.repeat(43) })).body).code_verifier).toBe(
      'v'.repeat(43),
    );
  });

  test('that repeats the header and the verifier in its message: both are redacted', async () => {
    const verifier = 'verifier-CANARY-11';
    const style = { body: 'form', clientAuth: 'basic' } as const;
    const basic = Buffer.from(`app-1:${canary}`).toString('base64');
    const errorBody = { error: 'invalid_client', error_description: `No: ${verifier} Basic ${basic}` };
    const failure = await failureOf(respondWith(401, errorBody), { ...exchange, style, verifier });
    expect(failure.message).toBe(
      'The service refused the client ID or client secret (HTTP 401): invalid_client: No: •••• Basic ••••',
    );
  });
});

test.each(['Bearer', 'bearer', 'BEARER'])(
  'token_type %s: is accepted, because it is case-insensitive',
  async (type) => {
    const post = respondWith(200, { token_type: type, access_token: tokenCanary });
    expect(await exchangeCode({ ...exchange, post })).toBe(tokenCanary);
  },
);

test.each([
  ['more than 64 KB', `{"a":"${'x'.repeat(70_000)}"}`, /response of the token URL is too long/],
  ['more than 64 KB of a refusal', 'word '.repeat(20_000), /response of the token URL is too long/],
  [
    'a token that is too long for a header',
    { token_type: 'Bearer', access_token: `CANARY${'x'.repeat(20_000)}` },
    /access_token has 20006 characters/,
  ],
  ['JSON that is nested too deeply', '['.repeat(60_000), /service returned: ••••|service returned: \[/],
])('%s: is reported in a short message without the token', async (_, body, message) => {
  const failure = await failureOf(
    respondWith(typeof body === 'string' && body.startsWith('word') ? 400 : 200, body),
  );
  expect(failure.category).toBe('unavailable');
  expect(failure.message).toMatch(message);
  expect(failure.message.length).toBeLessThan(400);
  expect(printableText(failure)).not.toContain('CANARY');
});

test('an exchange: reads at most 64 KB of the response', async () => {
  let maxBytes = 0;
  const post: Post = async (_url, request) => {
    maxBytes = request.maxResponseBytes;
    return { status: 200, text: JSON.stringify(validResponse) };
  };
  await exchangeCode({ ...exchange, post });
  expect(maxBytes).toBe(65_536);
});

test('a refusal: is quoted completely if it contains no secret', async () => {
  const errorBody = {
    error: 'invalid_request_redirect_uri_mismatch',
    error_description:
      'Registered is https://console.example.com/oauth2/callback0123456789; see the console.',
    error_uri: 'https://docs.example.com/errors/redirect_uri_mismatch',
  };
  const { message } = await failureOf(respondWith(400, errorBody));
  expect(message).toBe(
    `The service refused the redirect URI (HTTP 400): ${errorBody.error}: ${errorBody.error_description}: ${errorBody.error_uri}`,
  );
});

test.each([
  [
    { error: 'invalid_client', error_description: 'Client authentication failed' },
    'client ID or client secret',
    '--client-id',
  ],
  [
    { error: 'invalid_client', error_description: 'Bad client secret' },
    'client secret',
    '--client-secret-file',
  ],
  [{ error: 'unauthorized_client' }, 'client ID', '--client-id'],
  [{ error: 'invalid_grant' }, 'redirect URI or code', '--redirect-uri'],
  [{ error: 'invalid_grant', hint: 'Authorization code has expired' }, 'code', 'valid once'],
  [
    { error: 'invalid_request', hint: 'Check the `redirect_uri` parameter' },
    'redirect URI',
    '--redirect-uri',
  ],
  [{ error: 'invalid_scope' }, 'scopes', '--scopes'],
  [
    { error: 'invalid_client', error_description: `${codeCanary} ${canary}` },
    'client ID or client secret',
    '',
  ],
  [{ message: 'The client id is unknown.' }, 'client ID', '--client-id'],
  [{ message: 'No.' }, 'token request', '--redirect-uri'],
])('a refusal with %j: names the %s, and the hint names what sets it', async (errorBody, name, setBy) => {
  const { message, details } = await failureOf(respondWith(400, errorBody));
  expect(message).toContain(`The service refused the ${name} (HTTP 400)`);
  expect(details.hint).toEqual(hintContaining(setBy));
});

describe('an invalid token response', () => {
  test.each([
    ["a type that isn't text", { token_type: ['Bearer'], access_token: tokenCanary }],
    ['a type other than Bearer', { token_type: 'mac', access_token: tokenCanary }],
    ['no type', { access_token: tokenCanary }],
    ['no token', { token_type: 'Bearer' }],
    ['an empty token', { token_type: 'Bearer', access_token: '' }],
    ["a token that isn't text", { token_type: 'Bearer', access_token: 7 }],
    ['a token that would split a header', { token_type: 'Bearer', access_token: `${tokenCanary}\r\nx: y` }],
    ['a list', [{ token_type: 'Bearer', access_token: tokenCanary }]],
    ['an HTML page', '<html><body>Please wait</body></html>'],
    ['an empty body', ''],
    ['an incomplete response', `{"token_type":"Bearer","access_token":"${tokenCanary}`],
  ])('with %s: is refused as unavailable, without the token in the message', async (_, body) => {
    const failure = await failureOf(respondWith(200, body));
    expect(failure.category).toBe('unavailable');
    expect(printableText(failure)).not.toContain('CANARY');
  });

  test('is quoted without secrets, control characters and long text', async () => {
    const page = `<p>\u001b]52;c;x\u0007\u202e${canary} ${codeCanary} {"access_token":"${tokenCanary}"} ${'word '.repeat(500)}`;
    const failure = await failureOf(respondWith(200, page));
    expect(failure.message).toContain('<p>');
    expect(failure.message.length).toBeLessThan(320);
    expect(failure.message).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(printableText(failure)).not.toContain('CANARY');
  });

  test.each([301, 302, 303, 307, 308])('that redirects (%i): is refused as unavailable', async (status) => {
    const failure = await failureOf(respondWith(status, ''));
    expect(failure.category).toBe('unavailable');
    expect(failure.message).toContain('another URL');
  });
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
])(
  'a refusal with the status %i: is %s, and contains the message of the service',
  async (status, category) => {
    const errorBody = { error: 'invalid_grant', error_description: `The code ${codeCanary} has expired.` };
    const failure = await failureOf(respondWith(status, errorBody));
    expect(failure.category).toBe(category);
    expect(failure.details.status).toBe(status);
    expect(failure.message).toContain('invalid_grant');
    expect(failure.details.request).toEqual({ method: 'POST', path: '/oauth/token' });
    expect(printableText(failure)).not.toContain('CANARY');
  },
);

test('a token URL with plain http to another machine: is refused before anything is sent', async () => {
  const post: Post = () => Promise.reject(new Error('nothing may be sent'));
  const failure = await failureOf(post, { ...exchange, tokenUrl: 'http://api.example.com/oauth/token' });
  expect(failure.category).toBe('usage');
});
