import { describe, expect, test } from 'vitest';
import { type Exchange, exchangeCode, type Post } from '../../../src/auth/exchange.ts';
import { Failure } from '../../../src/errors.ts';

const canary = 'client-secret-CANARY-77';
const codeCanary = 'code-CANARY-88';
const tokenCanary = 'access-token-CANARY-99';

const exchange: Omit<Exchange, 'post'> = {
  tokenUrl: 'https://api.example.com/oauth/token',
  code: codeCanary,
  clientId: 'app-1',
  clientSecret: canary,
  redirectUri: 'http://127.0.0.1:8714/callback',
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

test('sends exactly the body of the document, once', async () => {
  const sent: string[] = [];
  const post: Post = async (url, body) => {
    sent.push(url.href, body);
    return { status: 200, text: JSON.stringify({ token_type: 'Bearer', access_token: tokenCanary }) };
  };
  expect(await exchangeCode({ ...exchange, post })).toBe(tokenCanary);
  expect(sent).toEqual([
    'https://api.example.com/oauth/token',
    `{"grant_type":"authorization_code","code":"${codeCanary}","client_id":"app-1",` +
      `"client_secret":"${canary}","redirect_uri":"http://127.0.0.1:8714/callback"}`,
  ]);
});

describe('an answer out of contract', () => {
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
    const failure = await failureOf(answering(200, body));
    expect(failure.category).toBe('unavailable');
    expect(printed(failure)).not.toContain('CANARY');
  });

  test('says what came back, without secrets, control characters or endless text', async () => {
    const page = `<p>\u001b]52;c;x\u0007\u202e${canary} ${codeCanary} {"access_token":"${tokenCanary}"} ${'word '.repeat(500)}`;
    const failure = await failureOf(answering(200, page));
    expect(failure.message).toContain('<p>');
    expect(failure.message.length).toBeLessThan(320);
    expect(failure.message).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(printed(failure)).not.toContain('CANARY');
  });

  test.each([301, 302, 303, 307, 308])('that leads elsewhere (%i) is refused', async (status) => {
    const failure = await failureOf(answering(status, ''));
    expect(failure.category).toBe('unavailable');
    expect(failure.message).toContain('another address');
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
])('a refusal with %i is %s, with the words of the service', async (status, category) => {
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
