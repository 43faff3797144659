import { describe, expect, test } from 'vitest';
import { type Exchange, exchangeCode, type Post } from '../../src/auth/exchange.ts';
import { Failure } from '../../src/base/errors.ts';

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

/** A service that answers every request in one way. */
function answering(status: number, body: string | object): Post {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return async () => ({ status, text });
}

async function failureOf(post: Post, given = exchange): Promise<Failure> {
  const error: unknown = await exchangeCode({ ...given, post }).catch((caught: unknown) => caught);
  if (error instanceof Failure) return error;
  throw new Error(`expected a failure, got ${String(error)}`);
}

/** Everything of a failure that could be printed. */
function printed(failure: Failure): string {
  return JSON.stringify([failure.message, failure.details, String(failure.stack)]);
}

const rightAnswer = { token_type: 'Bearer', access_token: tokenCanary };

interface Sent {
  url: string;
  body: string;
  headers: Record<string, string>;
}

/** Exchanges with a service that answers rightly; gives the one request. */
async function sentBy(given: Partial<Exchange>): Promise<Sent> {
  const sent: Sent[] = [];
  const post: Post = async ({ href: url }, { body, headers }) => {
    sent.push({ url, body, headers });
    return { status: 200, text: JSON.stringify(rightAnswer) };
  };
  expect(await exchangeCode({ ...exchange, ...given, post })).toBe(tokenCanary);
  expect(sent).toHaveLength(1);
  return sent[0] as Sent;
}

test('sends exactly the documented body, once', async () => {
  const { url, body, headers } = await sentBy({});
  expect(url).toBe('https://api.example.com/oauth/token');
  expect(body).toBe(
    `{"grant_type":"authorization_code","code":"${codeCanary}","client_id":"app-1",` +
      `"client_secret":"${canary}","redirect_uri":"http://127.0.0.1:8714/callback"}`,
  );
  expect(headers).toEqual({ accept: 'application/json', 'content-type': 'application/json' });
});

describe('for other deployments', () => {
  test('sends a form', async () => {
    const { body, headers } = await sentBy({ style: { body: 'form', clientAuth: 'body' } });
    expect(headers['content-type']).toBe('application/x-www-form-urlencoded');
    expect(Object.fromEntries(new URLSearchParams(body))).toEqual({
      grant_type: 'authorization_code',
      code: codeCanary,
      client_id: 'app-1',
      client_secret: canary,
      redirect_uri: 'http://127.0.0.1:8714/callback',
    });
  });

  test.each(['json', 'form'] as const)('sends the client as HTTP Basic, and not in the %s', async (kind) => {
    const given = { clientId: 'app 1', clientSecret: 'a:b/c+d', style: { body: kind, clientAuth: 'basic' } };
    const { body, headers } = await sentBy(given as Partial<Exchange>);
    const [scheme, value = ''] = headers.authorization?.split(' ') ?? [];
    expect(scheme).toBe('Basic');
    expect(Buffer.from(value, 'base64').toString()).toBe('app+1:a%3Ab%2Fc%2Bd');
    expect(body).not.toContain('client');
  });

  test('sends the PKCE verifier', async () => {
    expect(JSON.parse((await sentBy({ verifier: 'v'.repeat(43) })).body).code_verifier).toBe('v'.repeat(43));
  });

  test('repeats neither the header nor the verifier in a message', async () => {
    const verifier = 'verifier-CANARY-11';
    const style = { body: 'form', clientAuth: 'basic' } as const;
    const basic = Buffer.from(`app-1:${canary}`).toString('base64');
    const said = { error: 'invalid_client', error_description: `No: ${verifier} Basic ${basic}` };
    const failure = await failureOf(answering(401, said), { ...exchange, style, verifier });
    expect(failure.message).toBe(
      'The service refused the code (HTTP 401): invalid_client: No: •••• Basic ••••',
    );
  });
});

test.each(['Bearer', 'bearer', 'BEARER'])('accepts %s as the type, as OAuth defines it', async (type) => {
  const post = answering(200, { token_type: type, access_token: tokenCanary });
  expect(await exchangeCode({ ...exchange, post })).toBe(tokenCanary);
});

test.each([
  ['more than 64 KB', `{"a":"${'x'.repeat(70_000)}"}`, /response of the token URL is too long/],
  ['more than 64 KB of a refusal', 'word '.repeat(20_000), /response of the token URL is too long/],
  [
    'a token that no header takes',
    { token_type: 'Bearer', access_token: `CANARY${'x'.repeat(20_000)}` },
    /access_token has 20006 characters/,
  ],
  ['JSON that is nested without end', '['.repeat(60_000), /service returned: ••••|service returned: \[/],
])('%s is reported in a sentence', async (_what, body, message) => {
  const failure = await failureOf(
    answering(typeof body === 'string' && body.startsWith('word') ? 400 : 200, body),
  );
  expect(failure.category).toBe('unavailable');
  expect(failure.message).toMatch(message);
  expect(failure.message.length).toBeLessThan(400);
  expect(printed(failure)).not.toContain('CANARY');
});

test('reads no more of an answer than a token needs', async () => {
  let longest = 0;
  const post: Post = async (_url, request) => {
    longest = request.maxResponseBytes;
    return { status: 200, text: JSON.stringify(rightAnswer) };
  };
  await exchangeCode({ ...exchange, post });
  expect(longest).toBe(65_536);
});

test('a refusal is quoted, unless it contains one of our secrets', async () => {
  const said = {
    error: 'invalid_request_redirect_uri_mismatch',
    error_description:
      'Registered is https://console.example.com/oauth2/callback0123456789; see the console.',
    error_uri: 'https://docs.example.com/errors/redirect_uri_mismatch',
  };
  const { message } = await failureOf(answering(400, said));
  expect(message).toBe(
    `The service refused the code (HTTP 400): ${said.error}: ${said.error_description}: ${said.error_uri}`,
  );
});

describe('an invalid answer', () => {
  test.each([
    ["a type that isn't text", { token_type: ['Bearer'], access_token: tokenCanary }],
    ['another type', { token_type: 'mac', access_token: tokenCanary }],
    ['no type', { access_token: tokenCanary }],
    ['no token', { token_type: 'Bearer' }],
    ['an empty token', { token_type: 'Bearer', access_token: '' }],
    ["a token that isn't text", { token_type: 'Bearer', access_token: 7 }],
    ['a token that would split a header', { token_type: 'Bearer', access_token: `${tokenCanary}\r\nx: y` }],
    ['a list', [{ token_type: 'Bearer', access_token: tokenCanary }]],
    ['an HTML page', '<html><body>Please wait</body></html>'],
    ['nothing', ''],
    ['half an answer', `{"token_type":"Bearer","access_token":"${tokenCanary}`],
  ])('refuses %s', async (_what, body) => {
    const failure = await failureOf(answering(200, body));
    expect(failure.category).toBe('unavailable');
    expect(printed(failure)).not.toContain('CANARY');
  });

  test('is quoted without secrets, control characters or endless text', async () => {
    const page = `<p>\u001b]52;c;x\u0007\u202e${canary} ${codeCanary} {"access_token":"${tokenCanary}"} ${'word '.repeat(500)}`;
    const failure = await failureOf(answering(200, page));
    expect(failure.message).toContain('<p>');
    expect(failure.message.length).toBeLessThan(320);
    expect(failure.message).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(printed(failure)).not.toContain('CANARY');
  });

  test.each([301, 302, 303, 307, 308])('that redirects (%i) is refused', async (status) => {
    const failure = await failureOf(answering(status, ''));
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
])('a refusal with %i is %s, with the message of the service', async (status, category) => {
  const said = { error: 'invalid_grant', error_description: `The code ${codeCanary} has expired.` };
  const failure = await failureOf(answering(status, said));
  expect(failure.category).toBe(category);
  expect(failure.details.status).toBe(status);
  expect(failure.message).toContain('invalid_grant');
  expect(failure.details.request).toEqual({ method: 'POST', path: '/oauth/token' });
  expect(printed(failure)).not.toContain('CANARY');
});

test('plain http to another machine is refused before anything is sent', async () => {
  const post: Post = () => Promise.reject(new Error('nothing may be sent'));
  const failure = await failureOf(post, { ...exchange, tokenUrl: 'http://api.example.com/oauth/token' });
  expect(failure.category).toBe('usage');
});
