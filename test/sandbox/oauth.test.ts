/** Tests the authorization server: "Authentication" in the API document, and RFC 6749 for the rest. */
import { AuthorizationCode } from 'simple-oauth2';
import { describe, expect, it } from 'vitest';
import { scopes as scopeWords } from '../../src/api/contract/scope.ts';
import { demoClient, isLocalRedirect } from '../../src/sandbox/oauth/clients.ts';
import { codeLifetimeMs } from '../../src/sandbox/oauth/codes.ts';
import { type ServedClient, serve } from './served.ts';

const redirectUri = 'http://127.0.0.1:53682/callback';
const authorizationParameters = {
  client_id: demoClient.id,
  state: 'a state',
  response_type: 'code',
  redirect_uri: redirectUri,
  scope: 'customers.list menu.write',
};

const authorizePath = (changes: Record<string, string | undefined> = {}) => {
  const pairs = Object.entries({ ...authorizationParameters, ...changes }).filter(
    ([, value]) => value !== undefined,
  );
  return `/authorize?${new URLSearchParams(pairs as [string, string][])}`;
};

/** Opens the consent page, submits a decision, and returns the redirect. */
async function submitDecision(served: ServedClient, decision: string, changes = {}): Promise<URL> {
  const response = await submit(served, await openConsentPage(served, changes), decision);
  expect(response.status).toBe(303);
  return new URL(response.headers.get('location') ?? '');
}

async function openConsentPage({ request }: ServedClient, changes = {}): Promise<string> {
  const page = await (await request(authorizePath(changes))).text();
  return /name="consent" value="([^"]+)"/.exec(page)?.[1] ?? '';
}

function submit({ request }: ServedClient, consent: string, decision: string, headers = {}) {
  const body = new URLSearchParams({ consent, decision });
  return request('/authorize', { method: 'POST', body, headers });
}

function tokenRequest({ request }: ServedClient, code: string, changes: Record<string, unknown> = {}) {
  const body = {
    grant_type: 'authorization_code',
    code,
    client_id: demoClient.id,
    client_secret: demoClient.secret,
    redirect_uri: redirectUri,
    ...changes,
  };
  const headers = { 'content-type': 'application/json' };
  return request('/oauth/token', { method: 'POST', body: JSON.stringify(body), headers });
}

describe('the consent page', () => {
  it('shows the business, the application and the scopes', async () => {
    const { request } = await serve();
    const response = await request(authorizePath());
    const page = await response.text();
    expect(response.status).toBe(200);
    for (const text of [demoClient.name, 'Saffron Table', scopeWords['customers.list']]) {
      expect(page).toContain(text);
    }
    expect(page).not.toContain(scopeWords['users.write']);
    expect(page).not.toMatch(/<script/);
  });

  it('shows all scopes if none is requested', async () => {
    const page = await (await (await serve()).request(authorizePath({ scope: undefined }))).text();
    for (const words of Object.values(scopeWords)) expect(page).toContain(words);
  });

  it("can't be framed or cached, and can't run scripts", async () => {
    const { headers } = await (await serve()).request(authorizePath());
    expect(headers.get('content-security-policy')).toMatch(/default-src 'none';.*frame-ancestors 'none'/);
    expect(headers.get('content-security-policy')).not.toMatch(/script-src|unsafe/);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
  });

  it.each([
    ['no client', { client_id: undefined }],
    ['another client', { client_id: 'another-client' }],
    ['a client that is markup', { client_id: '<img src=x>' }],
    ['no redirect URI', { redirect_uri: undefined }],
    ['a redirect URI of another machine', { redirect_uri: 'https://evil.example/callback' }],
    ['a redirect URI that begins like this machine', { redirect_uri: 'http://127.0.0.1.evil.example/' }],
    ['a redirect URI with a fragment', { redirect_uri: `${redirectUri}#x` }],
    ['a redirect URI without a scheme', { redirect_uri: 'callback' }],
    ['a redirect URI with a script', { redirect_uri: 'javascript:alert(1)' }],
  ])("doesn't redirect for %s", async (_, changes) => {
    const response = await (await serve()).request(authorizePath(changes));
    const page = await response.text();
    expect([response.status, response.headers.get('location')]).toEqual([400, null]);
    expect(page).not.toMatch(/<form|<img/);
  });

  it("doesn't redirect for a repeated parameter", async () => {
    const { request } = await serve();
    const response = await request(`${authorizePath()}&redirect_uri=http://127.0.0.1/`);
    expect([response.status, response.headers.get('location')]).toEqual([400, null]);
  });

  it.each([
    ['invalid_scope', { scope: 'customers.list everything' }],
    ['unsupported_response_type', { response_type: 'token' }],
    ['invalid_request', { state: undefined }],
  ])('redirects to the application with the error %s', async (error, changes) => {
    const response = await (await serve()).request(authorizePath(changes));
    const location = new URL(response.headers.get('location') ?? '');
    expect(response.status).toBe(302);
    expect(location.href.startsWith(redirectUri)).toBe(true);
    expect(location.searchParams.get('error')).toBe(error);
    expect(location.searchParams.get('state')).toBe(
      'state' in changes ? null : authorizationParameters.state,
    );
  });

  it.each([
    ['http://127.0.0.1:1/callback', true],
    ['http://[::1]:8080/', true],
    ['http://localhost/any/path?and=query', true],
    ['https://127.0.0.1/', false],
    ['http://user@127.0.0.1/', false],
    ['http://0.0.0.0/', false],
  ])('accepts the redirect URI %s: %s', (uri, expected) => {
    expect(isLocalRedirect(uri)).toBe(expected);
  });
});

describe("the user's decision", () => {
  it('to approve: redirects with a code and the state', async () => {
    const callbackUrl = await submitDecision(await serve(), 'approve');
    expect(callbackUrl.href.startsWith(redirectUri)).toBe(true);
    expect(callbackUrl.searchParams.get('state')).toBe(authorizationParameters.state);
    expect(callbackUrl.searchParams.get('code')).toMatch(/^[\w-]{43}$/);
  });

  it.each([
    ['an invalid form', 'multipart/form-data; boundary=x', 'garbage', 403],
    ['JSON', 'application/json', '{"consent":"x"}', 403],
    ['a form that is too long', 'application/x-www-form-urlencoded', 'x'.repeat(10_000), 413],
  ])('as %s approves nothing', async (_, type, body, status) => {
    const { request, unexpectedErrors } = await serve();
    const response = await request('/authorize', { method: 'POST', headers: { 'content-type': type }, body });
    expect([response.status, response.headers.get('location'), unexpectedErrors]).toEqual([status, null, []]);
  });

  it('to approve: keeps the parameters of the redirect URI', async () => {
    const callbackUrl = await submitDecision(await serve(), 'approve', {
      redirect_uri: 'http://localhost:9/cb?a=b',
    });
    expect([callbackUrl.port, callbackUrl.searchParams.get('a')]).toEqual(['9', 'b']);
  });

  it('to deny: redirects with access_denied and the state', async () => {
    const callbackUrl = await submitDecision(await serve(), 'deny');
    expect(Object.fromEntries(callbackUrl.searchParams)).toEqual({
      error: 'access_denied',
      state: authorizationParameters.state,
    });
  });

  it('is accepted once', async () => {
    const served = await serve();
    const consent = await openConsentPage(served);
    await submit(served, consent, 'approve');
    const repeated = await submit(served, consent, 'approve');
    expect([repeated.status, repeated.headers.get('location')]).toEqual([403, null]);
  });

  it('is accepted only from the consent page', async () => {
    const served = await serve();
    const forged = await submit(served, 'x'.repeat(43), 'approve');
    expect([forged.status, forged.headers.get('location')]).toEqual([403, null]);
    const crossSiteHeaders = { 'sec-fetch-site': 'cross-site' };
    const stolen = await submit(served, await openConsentPage(served), 'approve', crossSiteHeaders);
    expect([stolen.status, stolen.headers.get('location')]).toEqual([403, null]);
  });

  it("isn't needed with --auto-approve", async () => {
    const response = await (await serve({ isAutoApproved: true })).request(authorizePath());
    expect(response.status).toBe(302);
    expect(new URL(response.headers.get('location') ?? '').searchParams.get('code')).toBeTruthy();
  });
});

describe('the exchange of codes', () => {
  async function obtainCode(served: ServedClient): Promise<string> {
    return (await submitDecision(served, 'approve')).searchParams.get('code') ?? '';
  }

  it('returns a Bearer token with the approved scopes', async () => {
    const served = await serve();
    const response = await tokenRequest(served, await obtainCode(served));
    const { access_token, ...rest } = (await response.json()) as Record<string, string>;
    expect([response.status, rest]).toEqual([200, { token_type: 'Bearer' }]);
    expect(response.headers.get('cache-control')).toBe('no-store');
    const requestWithToken = (path: string, scheme = 'Bearer') =>
      served.request(path, { headers: { authorization: `${scheme} ${access_token}` } });
    expect((await requestWithToken('/customers')).status).toBe(200);
    expect((await requestWithToken('/users')).status).toBe(403);
    expect((await requestWithToken('/customers', 'bearer')).status).toBe(401);
    const { data } = (await (await requestWithToken('/whoami')).json()) as { data: Record<string, unknown> };
    expect(data.scopes).toEqual(['customers.list', 'menu.write']);
    expect(data.oauth_client).toEqual({ id: demoClient.id, name: demoClient.name });
  });

  it.each([
    ['another grant type', { grant_type: 'refresh_token' }, 400, 'grant_type'],
    ['no code', { code: undefined }, 400, 'missing code'],
    ['several fields missing', { code: undefined, redirect_uri: '' }, 400, 'missing code, redirect_uri'],
    ["a code that isn't a string", { code: 7 }, 400, 'must be strings: code'],
    ['an unknown code', { code: 'x'.repeat(43) }, 400, 'code is unknown'],
    ['another client', { client_id: 'another-client' }, 401, 'client_id or the client_secret'],
    ['a wrong secret', { client_secret: 'guess' }, 401, 'client_id or the client_secret'],
    ['another redirect URI', { redirect_uri: 'http://127.0.0.1:1/callback' }, 400, 'redirect_uri'],
  ])('refuses %s and keeps the code valid', async (_, changes, status, message) => {
    const served = await serve();
    const code = await obtainCode(served);
    const refused = await tokenRequest(served, code, changes);
    expect(refused.status).toBe(status);
    expect(((await refused.json()) as { message: string }).message).toContain(message);
    expect((await tokenRequest(served, code)).status).toBe(200);
  });

  it.each([
    ['a body that is not JSON', 'application/json', 'grant_type=authorization_code'],
    ['a JSON array', 'application/json', '[]'],
    ['another content type', 'text/plain', 'grant_type=authorization_code'],
  ])('refuses %s', async (_, type, body) => {
    const { request } = await serve();
    const response = await request('/oauth/token', {
      method: 'POST',
      body,
      headers: { 'content-type': type },
    });
    const { message, ...rest } = (await response.json()) as Record<string, string>;
    expect([response.status, rest]).toEqual([400, { error: 'invalid_request', error_description: message }]);
  });

  it('accepts a code once', async () => {
    const served = await serve();
    const code = await obtainCode(served);
    expect((await tokenRequest(served, code)).status).toBe(200);
    const repeated = await tokenRequest(served, code);
    expect(repeated.status).toBe(400);
    expect(((await repeated.json()) as { message: string }).message).toContain('already been exchanged');
  });

  it("accepts a code for 600 seconds, by the sandbox's clock", async () => {
    const served = await serve();
    const [inTime, tooLate] = [await obtainCode(served), await obtainCode(served)];
    served.advanceClock(codeLifetimeMs);
    expect((await tokenRequest(served, inTime)).status).toBe(200);
    served.client.sandbox.clock.advance(1000);
    const response = await tokenRequest(served, tooLate);
    expect(response.status).toBe(400);
    expect(((await response.json()) as { message: string }).message).toContain('600 seconds');
  });

  it('works with an OAuth client library', async () => {
    const served = await serve({ isAutoApproved: true });
    const client = new AuthorizationCode({
      client: { id: demoClient.id, secret: demoClient.secret },
      auth: { tokenHost: served.baseUrl, tokenPath: '/oauth/token', authorizePath: '/authorize' },
      options: { bodyFormat: 'json', authorizationMethod: 'body' },
    });
    const scope = 'users.read';
    const uri = client.authorizeURL({ redirect_uri: redirectUri, scope, state: 's' });
    const callbackUrl = await fetch(uri, { redirect: 'manual' });
    const code = new URL(callbackUrl.headers.get('location') ?? '').searchParams.get('code') ?? '';
    const { token } = await client.getToken({ code, redirect_uri: redirectUri, scope });
    const headers = { authorization: `${token.token_type} ${token.access_token}` };
    expect((await served.request('/users', { headers })).status).toBe(200);
    await expect(client.getToken({ code, redirect_uri: redirectUri })).rejects.toThrow('400');
  });
});
