/** The forms of OAuth 2.0 beyond the document, which a served sandbox accepts unless it is strict. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { demoClient } from '../../src/sandbox/oauth/clients.ts';
import { type ServedClient, serve } from './served.ts';

const redirectUri = 'http://127.0.0.1:53682/callback';
const { id, secret } = demoClient;

async function approved(served: ServedClient, more: Record<string, string> = {}): Promise<URL> {
  const query = { client_id: id, redirect_uri: redirectUri, state: 's', scope: 'customers.list', ...more };
  const answer = await served.ask(`/authorize?${new URLSearchParams(query)}`);
  return new URL(answer.headers.get('location') ?? '');
}

const codeFor = async (served: ServedClient, more = {}) =>
  (await approved(served, more)).searchParams.get('code') ?? '';

interface Sent {
  fields?: Record<string, string>;
  type?: 'json' | 'form';
  basic?: string;
}

async function exchange({ ask }: ServedClient, code: string, { fields, type = 'form', basic }: Sent = {}) {
  const all = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    ...(basic === undefined && { client_id: id, client_secret: secret }),
    ...fields,
  };
  const headers = {
    'content-type': type === 'json' ? 'application/json' : 'application/x-www-form-urlencoded',
    authorization: basic === undefined ? '' : `Basic ${Buffer.from(basic).toString('base64')}`,
  };
  const body = type === 'json' ? JSON.stringify(all) : new URLSearchParams(all);
  const answer = await ask('/oauth/token', { method: 'POST', headers, body });
  return {
    status: answer.status,
    headers: answer.headers,
    body: (await answer.json()) as Record<string, string>,
  };
}

const open = (isStrict = false) => serve({ isAutoApproved: true, isStrict });

describe('the client of a token request', () => {
  it.each(['json', 'form'] as const)('can use HTTP Basic with a %s body', async (type) => {
    const served = await open();
    const { status } = await exchange(served, await codeFor(served), { type, basic: `${id}:${secret}` });
    expect(status).toBe(200);
  });

  it('is challenged after wrong HTTP Basic credentials, and the code stays valid', async () => {
    const served = await open();
    const code = await codeFor(served);
    const refused = await exchange(served, code, { basic: `${id}:guess%3A` });
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toMatch(/^Basic realm=/);
    expect(refused.body).toMatchObject({ error: 'invalid_client' });
    expect((await exchange(served, code)).status).toBe(200);
  });

  it("can't be given twice", async () => {
    const served = await open();
    const twice = { basic: `${id}:${secret}`, fields: { client_secret: secret } };
    expect((await exchange(served, await codeFor(served), twice)).body.error).toBe('invalid_request');
  });

  it.each(['', ':', 'no colon', '%zz:&=+'])('%j is refused as HTTP Basic credentials', async (basic) => {
    const served = await open();
    expect((await exchange(served, await codeFor(served), { basic })).status).toBeGreaterThanOrEqual(400);
    expect(served.bugs).toEqual([]);
  });
});

it('a form with a repeated field is refused', async () => {
  const served = await open();
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const answer = await served.ask('/oauth/token', { method: 'POST', headers, body: 'code=a&code=b' });
  expect([answer.status, await answer.json()]).toMatchObject([400, { error: 'invalid_request' }]);
});

describe('PKCE', () => {
  const verifier = 'v'.repeat(43);
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const s256 = { code_challenge: challenge, code_challenge_method: 'S256' };

  it.each([
    ['S256', s256, verifier, 200],
    ['plain', { code_challenge: verifier, code_challenge_method: 'plain' }, verifier, 200],
    ['no method, which is plain', { code_challenge: verifier }, verifier, 200],
    ['another verifier', s256, 'w'.repeat(43), 400],
    ['the challenge in its place', s256, challenge, 400],
    ['no verifier', s256, undefined, 400],
    ['a verifier of other letters', { code_challenge: verifier }, '\u00e9'.repeat(43), 400],
    ['a verifier without a challenge', {}, verifier, 400],
  ])('exchanges or refuses a code with %s', async (_what, asked, given, status) => {
    const served = await open();
    const code = await codeFor(served, asked);
    const fields: Record<string, string> = given === undefined ? {} : { code_verifier: given };
    const answer = await exchange(served, code, { fields });
    expect(answer.status).toBe(status);
    expect(served.bugs).toEqual([]);
    if (status === 200) return;
    expect(answer.body.error).toBe('invalid_grant');
    // A failed exchange keeps the code valid.
    const right = 'code_challenge' in asked ? { code_verifier: verifier } : {};
    expect((await exchange(served, code, { fields: right as Record<string, string> })).status).toBe(200);
  });

  it.each([
    ['another method', { code_challenge: challenge, code_challenge_method: 'S512' }],
    ['a method alone', { code_challenge_method: 'S256' }],
    ['a challenge that is too short', { code_challenge: 'short' }],
  ])('redirects to the application with an error for %s', async (_what, asked) => {
    expect((await approved(await open(), asked)).searchParams.get('error')).toBe('invalid_request');
  });

  it("can't be removed from a code", async () => {
    const served = await open();
    const [bare = ''] = (await codeFor(served, s256)).split('/');
    expect((await exchange(served, bare)).body.error_description).toBe('The code is unknown.');
  });
});

it('metadata: lists the endpoints as OAuth clients expect', async () => {
  const served = await open();
  const answer = await served.ask('/.well-known/oauth-authorization-server');
  expect(await answer.json()).toMatchObject({
    issuer: served.baseUrl,
    authorization_endpoint: `${served.baseUrl}/authorize`,
    token_endpoint: `${served.baseUrl}/oauth/token`,
    code_challenge_methods_supported: ['S256', 'plain'],
  });
});

describe('a strict OAuth server', () => {
  it('accepts JSON with the client in it, and ignores everything else', async () => {
    const served = await open(true);
    const code = await codeFor(served, { code_challenge: 'anything' });
    const answer = await exchange(served, code, { type: 'json', fields: { code_verifier: 'x' } });
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.body).sort()).toEqual(['access_token', 'token_type']);
  });

  it.each<[string, Sent]>([
    ['a form', {}],
    ['HTTP Basic', { type: 'json', basic: `${id}:${secret}` }],
  ])('refuses %s', async (_what, sent) => {
    const served = await open(true);
    const { status, body } = await exchange(served, await codeFor(served), sent);
    expect([status, body]).toEqual([400, { error: 'invalid_request', message: expect.any(String) }]);
  });

  it('has no metadata, and requires a state', async () => {
    const served = await open(true);
    expect((await served.ask('/.well-known/oauth-authorization-server')).status).toBe(404);
    const back = await approved(served, { state: '', code_challenge: 'c'.repeat(43) });
    expect(back.searchParams.get('error')).toBe('invalid_request');
  });
});
