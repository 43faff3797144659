/** Signs in through the browser, and sends invalid requests to the listener before or instead of the correct callback. */
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startBoh } from '../harness/start-boh.ts';
import {
  type AuthService,
  createTestHome,
  secrets,
  startAuthService,
  type TestHome,
} from './auth-service.ts';
import { authorizationPage, get, type SignIn, sendCallback, startSignIn } from './auth-sign-in.ts';

let service: AuthService;
let home: TestHome;
beforeAll(async () => {
  service = await startAuthService();
});
beforeEach(() => {
  home = createTestHome();
  service.reset();
});
afterEach(() => home.remove());
afterAll(() => service.close());

const signIn = (...flags: string[]) =>
  startSignIn(service, home, ['--authorize-url', 'https://approve.example.com/apps?from=boh', ...flags]);

/** Checks that the listener no longer accepts connections. */
async function expectClosed({ callback }: SignIn): Promise<void> {
  await expect(get(callback)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
}

describe('auth login', () => {
  it('stores a token in the profile, and shows user, business and scopes', async () => {
    const login = await signIn();
    const response = await sendCallback(login, { code: secrets.code, state: login.state });
    expect(response).toMatchObject({ status: 200, body: expect.stringContaining('Approved') });
    const { exitCode, stdout, stderr } = await login.ended;
    expect(exitCode, stderr).toBe(0);
    expect(stdout).toBe('');
    expect(stderr).toContain(
      'Signed in as Sara Haddad of The Diner, with 2 scopes: general.read, customers.list.',
    );
    expect(service.requests).toEqual(['POST /oauth/token', 'GET /whoami']);
    expect(home.profiles()).toEqual({
      default: {
        base_url: service.baseUrl,
        authorize_url: 'https://approve.example.com/apps?from=boh',
        redirect_uri: 'http://127.0.0.1:0/callback',
        client_id: 'app-1',
        scopes: ['general.read'],
        token: secrets.token,
        user_name: 'Sara Haddad',
        business_id: 'b1',
        business_name: 'The Diner',
        token_scopes: ['general.read', 'customers.list'],
      },
    });
    await expectClosed(login);
  });

  it('starts the browser with a page that redirects to the authorization URL once, without the state', async () => {
    const login = await signIn();
    const startUrl = await home.waitForBrowser();
    expect(startUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/start-[\w-]{43}$/);
    expect(startUrl).not.toContain(login.state);
    expect(login.state).toMatch(/^[\w-]{43}$/);
    expect((await authorizationPage(home)).href).toBe(login.page.href);
    expect((await get(new URL(startUrl))).status).toBe(410);
    await sendCallback(login, { code: secrets.code, state: login.state });
    expect((await login.ended).exitCode).toBe(0);
    expect(readdirSync(home.env.HOME ?? '').filter((name) => name.startsWith('boh-'))).toEqual([]);
  });

  it('without a terminal: reads nothing from standard input', async () => {
    const login = await signIn();
    login.stdin.write('other-code\n');
    await sendCallback(login, { code: secrets.code, state: login.state });
    expect((await login.ended).exitCode).toBe(0);
    expect(service.tokenRequests).toMatchObject([{ body: expect.stringContaining(secrets.code) }]);
  });

  it('passes neither the token nor the client secret of the environment to the browser', async () => {
    const login = await signIn();
    await home.waitForBrowser();
    expect(home.browserEnvironment()).toContain('BOH_BASE_URL');
    expect(home.browserEnvironment()).not.toContain('canary');
    await sendCallback(login, { error: 'access_denied', state: login.state });
    await login.ended;
  });

  it('accepts no code from a page that embeds the redirect URL', async () => {
    const login = await signIn('--allow-missing-state');
    const embedded = new URL(login.callback);
    embedded.searchParams.set('code', 'evil');
    expect((await get(embedded, { 'sec-fetch-dest': 'image' })).status).toBe(403);
    expect((await sendCallback(login, { code: secrets.code })).status).toBe(200);
    expect((await login.ended).exitCode).toBe(0);
  });

  it('--oauth-pkce: sends a challenge, and its verifier with the exchange', async () => {
    const login = await signIn('--oauth-pkce', 'on', '--oauth-body', 'form', '--oauth-client-auth', 'basic');
    expect(login.page.searchParams.get('code_challenge_method')).toBe('S256');
    await sendCallback(login, { code: secrets.code, state: login.state });
    expect((await login.ended).exitCode).toBe(0);
    const { headers, body } = service.tokenRequests[0] ?? { headers: {}, body: '' };
    const verifier = new URLSearchParams(body).get('code_verifier') ?? '';
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    expect(login.page.searchParams.get('code_challenge')).toBe(challenge);
    expect(headers.authorization).toMatch(/^Basic /);
    expect(home.profiles().default).toMatchObject({
      'oauth.pkce': 'on',
      'oauth.body': 'form',
      'oauth.client_auth': 'basic',
    });
  });

  it.each<[string, number, Record<string, string>]>([
    ['no display', 0, { DISPLAY: '' }],
    ['an SSH session without a display', 0, { DISPLAY: '', SSH_CONNECTION: '192.0.2.1 50000 192.0.2.2 22' }],
    ['no browser', 3, {}],
    ['no program that opens browsers', 0, { PATH: '/nonexistent' }],
  ])('%s: names --no-browser before the wait ends, and still completes', async (_, browserExit, env) => {
    home.remove();
    home = createTestHome({ browserExit });
    Object.assign(home.env, env);
    const login = await signIn();
    await login.waitForStderr(/^No browser could be started\. .* sign in with --no-browser\.$/m);
    if (browserExit === 0) expect(home.openedUrl()).toBe('');
    await sendCallback(login, { code: secrets.code, state: login.state });
    expect((await login.ended).exitCode).toBe(0);
  });

  it('--allow-missing-state: accepts a callback without a state, such as from an app store', async () => {
    const login = await signIn('--allow-missing-state');
    await sendCallback(login, { code: secrets.code });
    expect((await login.ended).exitCode).toBe(0);
  });
});

/** The parameters of callbacks of another sign-in, by title. */
const foreignCallbacks: Record<string, (login: SignIn) => Record<string, string>> = {
  'a wrong state': ({ state }) => ({ code: 'evil', state: `${state.slice(0, -1)}!` }),
  'no state': () => ({ code: 'evil' }),
  'an empty state': () => ({ code: 'evil', state: '' }),
  'a code from another sign-in': () => ({ code: 'other', state: 'other' }),
  'a denial from another sign-in': () => ({ error: 'access_denied', state: 'other' }),
};

describe.each(Object.keys(foreignCallbacks))('auth login after %s', (title) => {
  it('rejects it, and still signs in with the right callback', async () => {
    const login = await signIn();
    const response = await sendCallback(login, foreignCallbacks[title]?.(login) ?? {});
    expect(response).toMatchObject({ status: 400, body: expect.stringContaining('Response rejected') });
    expect((await sendCallback(login, { code: secrets.code, state: login.state })).status).toBe(200);
    const { exitCode, stderr } = await login.ended;
    expect(exitCode, stderr).toBe(0);
    expect(service.tokenRequests).toMatchObject([{ body: expect.stringContaining(secrets.code) }]);
  });
});

/** The parameters of callbacks that end the wait, by title. */
const failedCallbacks: Record<string, (login: SignIn) => Record<string, string>> = {
  'a denial': ({ state }) => ({ error: 'access_denied', state }),
  'no code': ({ state }) => ({ state }),
  'an error that contains HTML': ({ state }) => ({ error: '<script>alert(1)</script>', state }),
};

describe.each(Object.keys(failedCallbacks))('auth login after %s', (title) => {
  it('stores no token, escapes what it shows, and closes the listener', async () => {
    const login = await signIn();
    const response = await sendCallback(login, failedCallbacks[title]?.(login) ?? {});
    expect(response.status).toBe(400);
    expect(response.body).toContain('Not signed in');
    expect(response.body).not.toContain('<script');
    const { exitCode, stderr } = await login.ended;
    expect(exitCode, stderr).toBe(3);
    expect(stderr).not.toContain('canary');
    expect(home.profiles()).toEqual({});
    expect(service.requests).toEqual([]);
    await expectClosed(login);
  });
});

it('auth login: accepts one callback, and rejects a second callback and a replayed state', async () => {
  const login = await signIn();
  const first = sendCallback(login, { code: secrets.code, state: login.state });
  const second = sendCallback(login, { code: 'second', state: login.state });
  const [firstResult, secondResult] = await Promise.allSettled([first, second]);
  expect(firstResult).toMatchObject({ status: 'fulfilled', value: { status: 200 } });
  expect(secondResult.status === 'rejected' || secondResult.value.status === 404).toBe(true);
  expect((await login.ended).exitCode).toBe(0);
  expect(service.requests).toEqual(['POST /oauth/token', 'GET /whoami']);
  const nextLogin = await signIn();
  expect((await sendCallback(nextLogin, { code: secrets.code, state: login.state })).status).toBe(400);
  await sendCallback(nextLogin, { error: 'access_denied', state: nextLogin.state });
  expect((await nextLogin.ended).exitCode).toBe(3);
});

it('auth login: responds to other paths with 404 and to other hosts with 403, and continues to wait', async () => {
  const login = await signIn();
  expect((await get(new URL('/favicon.ico', login.callback))).status).toBe(404);
  const otherHost = await get(new URL(`?code=x&state=${login.state}`, login.callback), {
    host: 'evil.example',
  });
  expect(otherHost.status).toBe(403);
  expect((await sendCallback(login, { code: secrets.code, state: login.state })).status).toBe(200);
  expect((await login.ended).exitCode).toBe(0);
});

it('auth login --port: reports a port that is in use, and what to do', async () => {
  const otherServer = createServer();
  await new Promise<void>((resolve) => otherServer.listen(0, '127.0.0.1', resolve));
  const { port } = otherServer.address() as { port: number };
  const argv = [
    'auth',
    'login',
    '--client-id',
    'app-1',
    '--port',
    String(port),
    '--authorize-url',
    'https://approve.example.com',
    '-o',
    'table',
  ];
  const env = { ...home.env, BOH_BASE_URL: service.baseUrl, BOH_CLIENT_SECRET: secrets.clientSecret };
  const { exitCode, stderr } = await startBoh(argv, env).ended;
  otherServer.close();
  expect(exitCode).toBe(2);
  expect(stderr).toBe(
    `boh: Port ${port} is in use by another program, so the browser can't return to boh.\n` +
      'Stop that program, or sign in with --no-browser. If the service allows any port: --port 0\n',
  );
});

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('auth login: %s ends it with exit code %i', async (signal, exitCode) => {
  const login = await signIn();
  await login.waitForStderr(/Waiting/);
  login.kill(signal);
  expect((await login.ended).exitCode).toBe(exitCode);
  expect(home.profiles()).toEqual({});
});
