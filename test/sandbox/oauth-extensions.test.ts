/** Tests OAuth 2.0 requests beyond the API document, which a served sandbox accepts unless it is strict. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { demoClient } from '../../src/sandbox/oauth/clients.ts';
import { type ServedClient, serve } from './served.ts';

const redirectUri = 'http://127.0.0.1:53682/callback';
const { id, secret } = demoClient;

async function authorize(served: ServedClient, parameters: Record<string, string> = {}): Promise<URL> {
  const query = {
    client_id: id,
    redirect_uri: redirectUri,
    state: 's',
    scope: 'customers.list',
    ...parameters,
  };
  const response = await served.request(`/authorize?${new URLSearchParams(query)}`);
  return new URL(response.headers.get('location') ?? '');
}

const codeFor = async (served: ServedClient, parameters = {}) =>
  (await authorize(served, parameters)).searchParams.get('code') ?? '';

interface TokenRequestOptions {
  fields?: Record<string, string>;
  type?: 'json' | 'form';
  /** The user and password of HTTP Basic. */
  credentials?: string;
}

async function exchange(
  { request }: ServedClient,
  code: string,
  { fields, type = 'form', credentials }: TokenRequestOptions = {},
) {
  const allFields = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    ...(credentials === undefined && { client_id: id, client_secret: secret }),
    ...fields,
  };
  const headers = {
    'content-type': type === 'json' ? 'application/json' : 'application/x-www-form-urlencoded',
    authorization: credentials === undefined ? '' : `Basic ${Buffer.from(credentials).toString('base64')}`,
  };
  const body = type === 'json' ? JSON.stringify(allFields) : new URLSearchParams(allFields);
  const response = await request('/oauth/token', { method: 'POST', headers, body });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Record<string, string>,
  };
}

const serveOAuth = (isStrict = false) => serve({ isAutoApproved: true, isStrict });

describe('the client of a token request', () => {
  it.each(['json', 'form'] as const)('can use HTTP Basic with a %s body', async (type) => {
    const served = await serveOAuth();
    const { status } = await exchange(served, await codeFor(served), {
      type,
      credentials: `${id}:${secret}`,
    });
    expect(status).toBe(200);
  });

  it('is challenged after wrong HTTP Basic credentials, and the code stays valid', async () => {
    const served = await serveOAuth();
    const code = await codeFor(served);
    const refusedResponse = await exchange(served, code, { credentials: `${id}:guess%3A` });
    expect(refusedResponse.status).toBe(401);
    expect(refusedResponse.headers.get('www-authenticate')).toMatch(/^Basic realm=/);
    expect(refusedResponse.body).toMatchObject({ error: 'invalid_client' });
    expect((await exchange(served, code)).status).toBe(200);
  });

  it("can't be sent both by HTTP Basic and in the body", async () => {
    const served = await serveOAuth();
    const duplicateClient = { credentials: `${id}:${secret}`, fields: { client_secret: secret } };
    expect((await exchange(served, await codeFor(served), duplicateClient)).body.error).toBe(
      'invalid_request',
    );
  });

  it.each(['', ':', 'no colon', '%zz:&=+'])(
    'is refused with the HTTP Basic credentials %j',
    async (credentials) => {
      const served = await serveOAuth();
      expect((await exchange(served, await codeFor(served), { credentials })).status).toBeGreaterThanOrEqual(
        400,
      );
      expect(served.unexpectedErrors).toEqual([]);
    },
  );
});

it('POST /oauth/token: refuses a form with a repeated field', async () => {
  const served = await serveOAuth();
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const response = await served.request('/oauth/token', { method: 'POST', headers, body: 'code=a&code=b' });
  expect([response.status, await response.json()]).toMatchObject([400, { error: 'invalid_request' }]);
});

describe('PKCE', () => {
  const verifier = 'v'.repeat(43);
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const s256Challenge = { code_challenge: challenge, code_challenge_method: 'S256' };

  it.each([
    ['S256', 200, s256Challenge, verifier],
    ['plain', 200, { code_challenge: verifier, code_challenge_method: 'plain' }, verifier],
    ['no method, which is plain', 200, { code_challenge: verifier }, verifier],
    ['another verifier', 400, s256Challenge, 'w'.repeat(43)],
    ['the challenge instead of the verifier', 400, s256Challenge, challenge],
    ['no verifier', 400, s256Challenge, undefined],
    ['a verifier with invalid characters', 400, { code_challenge: verifier }, '\u00e9'.repeat(43)],
    ['a verifier without a challenge', 400, {}, verifier],
  ])('a code and %s: the exchange has the status %i', async (_, status, parameters, sentVerifier) => {
    const served = await serveOAuth();
    const code = await codeFor(served, parameters);
    const fields: Record<string, string> = sentVerifier === undefined ? {} : { code_verifier: sentVerifier };
    const response = await exchange(served, code, { fields });
    expect(response.status).toBe(status);
    expect(served.unexpectedErrors).toEqual([]);
    if (status === 200) return;
    expect(response.body.error).toBe('invalid_grant');
    // After a failed exchange, the code is still valid.
    const validFields = 'code_challenge' in parameters ? { code_verifier: verifier } : {};
    expect((await exchange(served, code, { fields: validFields as Record<string, string> })).status).toBe(
      200,
    );
  });

  it.each([
    ['another method', { code_challenge: challenge, code_challenge_method: 'S512' }],
    ['a method without a challenge', { code_challenge_method: 'S256' }],
    ['a challenge that is too short', { code_challenge: 'short' }],
  ])('redirects to the application with an error for %s', async (_, parameters) => {
    expect((await authorize(await serveOAuth(), parameters)).searchParams.get('error')).toBe(
      'invalid_request',
    );
  });

  it("challenge: can't be removed from a code", async () => {
    const served = await serveOAuth();
    const [codeWithoutChallenge = ''] = (await codeFor(served, s256Challenge)).split('/');
    expect((await exchange(served, codeWithoutChallenge)).body.error_description).toBe(
      'The code is unknown.',
    );
  });
});

it('metadata: lists the endpoints as OAuth clients expect', async () => {
  const served = await serveOAuth();
  const response = await served.request('/.well-known/oauth-authorization-server');
  expect(await response.json()).toMatchObject({
    issuer: served.baseUrl,
    authorization_endpoint: `${served.baseUrl}/authorize`,
    token_endpoint: `${served.baseUrl}/oauth/token`,
    code_challenge_methods_supported: ['S256', 'plain'],
  });
});

describe('a strict OAuth server', () => {
  it('accepts JSON that contains the client, and ignores PKCE', async () => {
    const served = await serveOAuth(true);
    const code = await codeFor(served, { code_challenge: 'anything' });
    const response = await exchange(served, code, { type: 'json', fields: { code_verifier: 'x' } });
    expect(response.status).toBe(200);
    expect(Object.keys(response.body).sort()).toEqual(['access_token', 'token_type']);
  });

  it.each<[string, TokenRequestOptions]>([
    ['a form', {}],
    ['HTTP Basic', { type: 'json', credentials: `${id}:${secret}` }],
  ])('refuses %s', async (_, options) => {
    const served = await serveOAuth(true);
    const { status, body } = await exchange(served, await codeFor(served), options);
    expect([status, body]).toEqual([400, { error: 'invalid_request', message: expect.any(String) }]);
  });

  it('has no metadata, and requires a state', async () => {
    const served = await serveOAuth(true);
    expect((await served.request('/.well-known/oauth-authorization-server')).status).toBe(404);
    const redirect = await authorize(served, { state: '', code_challenge: 'c'.repeat(43) });
    expect(redirect.searchParams.get('error')).toBe('invalid_request');
  });
});
