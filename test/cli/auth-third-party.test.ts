/** Signs in at third-party OAuth servers, which exchange tokens differently from the API document. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startBoh } from '../harness/start-boh.ts';
import { createTestHome, type TestHome } from './auth-service.ts';
import { app, type OAuthServer, startNodeOAuth, startOidcProvider } from './oauth-servers.ts';

let home: TestHome;
beforeEach(() => {
  // Hides the warnings of oidc-provider about settings that are unsuitable for production.
  for (const level of ['warn', 'info'] as const) vi.spyOn(console, level).mockImplementation(() => undefined);
  home = createTestHome();
});
afterEach(() => {
  home.remove();
  vi.restoreAllMocks();
});

/** Signs in as a browser would: follows redirects and keeps cookies until boh shows its page. */
async function signIn(server: OAuthServer, ...flags: string[]) {
  const login = startBoh(
    [
      ...['auth', 'login', '--base-url', server.baseUrl, '--authorize-url', server.authorizeUrl],
      ...['--client-id', app.id, '--scopes', 'general.read', '--port', '0', ...flags],
    ],
    { ...home.env, BOH_CLIENT_SECRET: app.secret },
  );
  let [url] = await login.waitForStderr(/^http:\/\/127\.0\.0\.1:\d+\/authorize\S+$/m);
  const cookies = new Map<string, string>();
  for (let steps = 0; steps < 12; steps++) {
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
    const response = await fetch(url, { redirect: 'manual', headers: { cookie } });
    for (const setCookie of response.headers.getSetCookie()) {
      const [name = '', value = ''] = setCookie.split(';')[0]?.split(/=(.*)/s) ?? [];
      cookies.set(name, value);
    }
    const next = response.headers.get('location');
    if (next === null) return login.ended;
    url = new URL(next, url).href;
  }
  throw new Error(`the sign-in did not end; the last URL was ${url}`);
}

async function expectSignedIn(server: OAuthServer, ...flags: string[]): Promise<void> {
  const { exitCode, stderr } = await signIn(server, ...flags);
  expect(exitCode, stderr).toBe(0);
  expect(stderr).toContain('Signed in as Sara of The Diner, with 1 scope: general.read.');
  const checkResult = await startBoh(['auth', 'status', '--check'], home.env).ended;
  expect(checkResult.exitCode, checkResult.stderr).toBe(0);
}

describe('auth login at oidc-provider', () => {
  it('signs in an app with basic authentication and PKCE', async () => {
    const server = await startOidcProvider();
    const flags = ['--oauth-body', 'form', '--oauth-client-auth', 'basic', '--oauth-pkce', 'on'];
    await expectSignedIn(server, ...flags).finally(server.close);
  });

  it("without PKCE: reports the server's message, which names PKCE", async () => {
    const server = await startOidcProvider();
    const withoutPkce = await signIn(server, '--oauth-body', 'form').finally(server.close);
    expect(withoutPkce.exitCode).toBe(3);
    expect(withoutPkce.stderr).toMatch(/invalid_request: .*PKCE/);
  });
});

describe('auth login at @node-oauth/oauth2-server', () => {
  it('signs in with the client in the body and without PKCE', async () => {
    const server = await startNodeOAuth();
    const flags = ['--oauth-body', 'form', '--oauth-client-auth', 'body', '--oauth-pkce', 'off'];
    await expectSignedIn(server, ...flags).finally(server.close);
  });

  it('shows the whole message of a server that refuses JSON', async () => {
    const server = await startNodeOAuth();
    const { exitCode, stderr } = await signIn(server).finally(server.close);
    expect(exitCode).toBe(6);
    expect(stderr).toContain(
      'invalid_request: Invalid request: content must be application/x-www-form-urlencoded',
    );
  });
});
