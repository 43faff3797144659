/** The authorization server: the document's "Authentication", and RFC 6749 for what it doesn't define. */
import { AuthorizationCode } from 'simple-oauth2';
import { describe, expect, it } from 'vitest';
import { scopes as scopeWords } from '../../src/contract/scope.ts';
import { demoClient, isLocalRedirect } from '../../src/sandbox/oauth/clients.ts';
import { codeLifetimeMs } from '../../src/sandbox/oauth/codes.ts';
import { type ServedClient, serve } from './served.ts';

const redirectUri = 'http://127.0.0.1:53682/callback';
const whole = {
  client_id: demoClient.id,
  state: 'a state',
  response_type: 'code',
  redirect_uri: redirectUri,
  scope: 'customers.list menu.write',
};

const authorizePath = (changes: Record<string, string | undefined> = {}) => {
  const pairs = Object.entries({ ...whole, ...changes }).filter(([, value]) => value !== undefined);
  return `/authorize?${new URLSearchParams(pairs as [string, string][])}`;
};

/** Opens the page as a browser does and presses a button. */
async function press(served: ServedClient, decision: string, changes = {}): Promise<URL> {
  const answer = await submit(served, await consentOf(served, changes), decision);
  expect(answer.status).toBe(303);
  return new URL(answer.headers.get('location') ?? '');
}

async function consentOf({ ask }: ServedClient, changes = {}): Promise<string> {
  const page = await (await ask(authorizePath(changes))).text();
  return /name="consent" value="([^"]+)"/.exec(page)?.[1] ?? '';
}

function submit({ ask }: ServedClient, consent: string, decision: string, headers = {}) {
  const body = new URLSearchParams({ consent, decision });
  return ask('/authorize', { method: 'POST', body, headers });
}

function tokenRequest({ ask }: ServedClient, code: string, changes: Record<string, unknown> = {}) {
  const body = {
    grant_type: 'authorization_code',
    code,
    client_id: demoClient.id,
    client_secret: demoClient.secret,
    redirect_uri: redirectUri,
    ...changes,
  };
  const headers = { 'content-type': 'application/json' };
  return ask('/oauth/token', { method: 'POST', body: JSON.stringify(body), headers });
}

describe('the consent page', () => {
  it('shows the business, the application and the scopes', async () => {
    const { ask } = await serve();
    const answer = await ask(authorizePath());
    const page = await answer.text();
    expect(answer.status).toBe(200);
    for (const text of [demoClient.name, 'Saffron Table', scopeWords['customers.list']]) {
      expect(page).toContain(text);
    }
    expect(page).not.toContain(scopeWords['users.write']);
    expect(page).not.toMatch(/<script/);
  });

  it('shows all scopes if none is requested', async () => {
    const page = await (await (await serve()).ask(authorizePath({ scope: undefined }))).text();
    for (const words of Object.values(scopeWords)) expect(page).toContain(words);
  });

  it("can't be framed, cached or made to run scripts", async () => {
    const { headers } = await (await serve()).ask(authorizePath());
    expect(headers.get('content-security-policy')).toMatch(/default-src 'none';.*frame-ancestors 'none'/);
    expect(headers.get('content-security-policy')).not.toMatch(/script-src|unsafe/);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
  });

  it.each([
    ['no client', { client_id: undefined }],
    ['another client', { client_id: 'another-client' }],
    ['a client that is markup', { client_id: '<img src=x>' }],
    ['no redirect address', { redirect_uri: undefined }],
    ['a redirect address elsewhere', { redirect_uri: 'https://evil.example/callback' }],
    ['one that only looks like this machine', { redirect_uri: 'http://127.0.0.1.evil.example/' }],
    ['one with a fragment', { redirect_uri: `${redirectUri}#x` }],
    ['one that is no address', { redirect_uri: 'callback' }],
    ['one that would run', { redirect_uri: 'javascript:alert(1)' }],
  ])("doesn't redirect for %s", async (_, changes) => {
    const answer = await (await serve()).ask(authorizePath(changes));
    const page = await answer.text();
    expect([answer.status, answer.headers.get('location')]).toEqual([400, null]);
    expect(page).not.toMatch(/<form|<img/);
  });

  it("doesn't redirect for a repeated parameter", async () => {
    const { ask } = await serve();
    const answer = await ask(`${authorizePath()}&redirect_uri=http://127.0.0.1/`);
    expect([answer.status, answer.headers.get('location')]).toEqual([400, null]);
  });

  it.each([
    ['invalid_scope', { scope: 'customers.list everything' }],
    ['unsupported_response_type', { response_type: 'token' }],
    ['invalid_request', { state: undefined }],
  ])('redirects to the application with the error %s', async (error, changes) => {
    const answer = await (await serve()).ask(authorizePath(changes));
    const location = new URL(answer.headers.get('location') ?? '');
    expect(answer.status).toBe(302);
    expect(location.href.startsWith(redirectUri)).toBe(true);
    expect(location.searchParams.get('error')).toBe(error);
    expect(location.searchParams.get('state')).toBe('state' in changes ? null : whole.state);
  });

  it.each([
    ['http://127.0.0.1:1/callback', true],
    ['http://[::1]:8080/', true],
    ['http://localhost/any/path?and=query', true],
    ['https://127.0.0.1/', false],
    ['http://user@127.0.0.1/', false],
    ['http://0.0.0.0/', false],
  ])('accepts %s as this machine: %s', (address, expected) => {
    expect(isLocalRedirect(address)).toBe(expected);
  });
});

describe("the user's answer", () => {
  it('gives a code and the state after approval', async () => {
    const back = await press(await serve(), 'approve');
    expect(back.href.startsWith(redirectUri)).toBe(true);
    expect(back.searchParams.get('state')).toBe(whole.state);
    expect(back.searchParams.get('code')).toMatch(/^[\w-]{43}$/);
  });

  it.each([
    ['no form', 'multipart/form-data; boundary=x', 'garbage', 403],
    ['JSON', 'application/json', '{"consent":"x"}', 403],
    ['a form without an end', 'application/x-www-form-urlencoded', 'x'.repeat(10_000), 413],
  ])('as %s approves nothing', async (_, type, body, status) => {
    const { ask, bugs } = await serve();
    const answer = await ask('/authorize', { method: 'POST', headers: { 'content-type': type }, body });
    expect([answer.status, answer.headers.get('location'), bugs]).toEqual([status, null, []]);
  });

  it('keeps parameters of the redirect URI', async () => {
    const back = await press(await serve(), 'approve', { redirect_uri: 'http://localhost:9/cb?a=b' });
    expect([back.port, back.searchParams.get('a')]).toEqual(['9', 'b']);
  });

  it('gives access_denied and the state after denial', async () => {
    const back = await press(await serve(), 'deny');
    expect(Object.fromEntries(back.searchParams)).toEqual({ error: 'access_denied', state: whole.state });
  });

  it('is accepted once', async () => {
    const served = await serve();
    const consent = await consentOf(served);
    await submit(served, consent, 'approve');
    const again = await submit(served, consent, 'approve');
    expect([again.status, again.headers.get('location')]).toEqual([403, null]);
  });

  it('is accepted only from the page that was shown', async () => {
    const served = await serve();
    const made = await submit(served, 'x'.repeat(43), 'approve');
    expect([made.status, made.headers.get('location')]).toEqual([403, null]);
    const elsewhere = { 'sec-fetch-site': 'cross-site' };
    const stolen = await submit(served, await consentOf(served), 'approve', elsewhere);
    expect([stolen.status, stolen.headers.get('location')]).toEqual([403, null]);
  });

  it("isn't needed with --auto-approve", async () => {
    const answer = await (await serve({ isAutoApproved: true })).ask(authorizePath());
    expect(answer.status).toBe(302);
    expect(new URL(answer.headers.get('location') ?? '').searchParams.get('code')).toBeTruthy();
  });
});

describe('the exchange of codes', () => {
  async function approved(served: ServedClient): Promise<string> {
    return (await press(served, 'approve')).searchParams.get('code') ?? '';
  }

  it('gives a Bearer token with the approved scopes', async () => {
    const served = await serve();
    const answer = await tokenRequest(served, await approved(served));
    const { access_token, ...rest } = (await answer.json()) as Record<string, string>;
    expect([answer.status, rest]).toEqual([200, { token_type: 'Bearer' }]);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const as = (path: string, scheme = 'Bearer') =>
      served.ask(path, { headers: { authorization: `${scheme} ${access_token}` } });
    expect((await as('/customers')).status).toBe(200);
    expect((await as('/users')).status).toBe(403);
    expect((await as('/customers', 'bearer')).status).toBe(401);
    const { data } = (await (await as('/whoami')).json()) as { data: Record<string, unknown> };
    expect(data.scopes).toEqual(['customers.list', 'menu.write']);
    expect(data.oauth_client).toEqual({ id: demoClient.id, name: demoClient.name });
  });

  it.each([
    ['another grant type', { grant_type: 'refresh_token' }, 400, 'grant_type'],
    ['no code', { code: undefined }, 400, 'missing code'],
    ['several fields missing', { code: undefined, redirect_uri: '' }, 400, 'missing code, redirect_uri'],
    ["a code that isn't text", { code: 7 }, 400, 'must be strings: code'],
    ['an unknown code', { code: 'x'.repeat(43) }, 400, 'code is unknown'],
    ['another client', { client_id: 'another-client' }, 401, 'client_id or the client_secret'],
    ['a wrong secret', { client_secret: 'guess' }, 401, 'client_id or the client_secret'],
    ['another redirect address', { redirect_uri: 'http://127.0.0.1:1/callback' }, 400, 'redirect_uri'],
  ])('refuses %s and keeps the code valid', async (_, changes, status, message) => {
    const served = await serve();
    const code = await approved(served);
    const refused = await tokenRequest(served, code, changes);
    expect(refused.status).toBe(status);
    expect(((await refused.json()) as { message: string }).message).toContain(message);
    expect((await tokenRequest(served, code)).status).toBe(200);
  });

  it.each([
    ['what is no JSON', 'application/json', 'grant_type=authorization_code'],
    ['a list', 'application/json', '[]'],
    ['another kind of body', 'text/plain', 'grant_type=authorization_code'],
  ])('refuses %s', async (_, type, body) => {
    const { ask } = await serve();
    const answer = await ask('/oauth/token', { method: 'POST', body, headers: { 'content-type': type } });
    const { message, ...rest } = (await answer.json()) as Record<string, string>;
    expect([answer.status, rest]).toEqual([400, { error: 'invalid_request', error_description: message }]);
  });

  it('accepts a code once', async () => {
    const served = await serve();
    const code = await approved(served);
    expect((await tokenRequest(served, code)).status).toBe(200);
    const again = await tokenRequest(served, code);
    expect(again.status).toBe(400);
    expect(((await again.json()) as { message: string }).message).toContain('already been exchanged');
  });

  it("accepts a code for 600 seconds, by the sandbox's clock", async () => {
    const served = await serve();
    const [inTime, late] = [await approved(served), await approved(served)];
    served.advanceClock(codeLifetimeMs);
    expect((await tokenRequest(served, inTime)).status).toBe(200);
    served.client.sandbox.clock.advance(1000);
    const answer = await tokenRequest(served, late);
    expect(answer.status).toBe(400);
    expect(((await answer.json()) as { message: string }).message).toContain('600 seconds');
  });

  it('works with an OAuth client library', async () => {
    const served = await serve({ isAutoApproved: true });
    const client = new AuthorizationCode({
      client: { id: demoClient.id, secret: demoClient.secret },
      auth: { tokenHost: served.baseUrl, tokenPath: '/oauth/token', authorizePath: '/authorize' },
      options: { bodyFormat: 'json', authorizationMethod: 'body' },
    });
    const scope = 'users.read';
    const address = client.authorizeURL({ redirect_uri: redirectUri, scope, state: 's' });
    const back = await fetch(address, { redirect: 'manual' });
    const code = new URL(back.headers.get('location') ?? '').searchParams.get('code') ?? '';
    const { token } = await client.getToken({ code, redirect_uri: redirectUri, scope });
    const headers = { authorization: `${token.token_type} ${token.access_token}` };
    expect((await served.ask('/users', { headers })).status).toBe(200);
    await expect(client.getToken({ code, redirect_uri: redirectUri })).rejects.toThrow('400');
  });
});
