/** Signs in through the browser, with a test that sends the callbacks; test/auth has the invalid ones. */
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runBoh } from '../harness/run-boh.ts';
import { startBoh } from '../harness/start-boh.ts';
import { waitUntil } from '../harness/wait-until.ts';
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

  it('passes neither the token nor the client secret of the environment to the browser', async () => {
    const login = await signIn();
    await home.waitForBrowser();
    expect(home.browserEnvironment()).toContain('BOH_BASE_URL');
    expect(home.browserEnvironment()).not.toContain('canary');
    await sendCallback(login, { error: 'access_denied', state: login.state });
    await login.ended;
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
    ['no browser', 3, {}],
    ['no program that opens browsers', 0, { PATH: '/nonexistent' }],
  ])('%s: names --no-browser before the wait ends, and still completes', async (_, browserExit, env) => {
    home.remove();
    home = createTestHome({ browserExit });
    Object.assign(home.env, env);
    const login = await signIn('--allow-missing-state');
    await login.waitForStderr(/^No browser could be started\. .* sign in with --no-browser\.$/m);
    if (browserExit === 0) expect(home.openedUrl()).toBe('');
    await sendCallback(login, { code: secrets.code });
    expect((await login.ended).exitCode).toBe(0);
  });
});

it('auth login: rejects callbacks of another sign-in, page or host, and still signs in with the right one', async () => {
  const login = await signIn();
  const wrong = { code: 'evil', state: `${login.state.slice(0, -1)}!` };
  expect(await sendCallback(login, wrong)).toMatchObject({
    status: 400,
    body: expect.stringContaining('Response rejected'),
  });
  const url = new URL(`?code=evil&state=${login.state}`, login.callback);
  expect((await get(url, { 'sec-fetch-dest': 'image' })).status).toBe(403);
  expect((await get(url, { host: 'evil.example' })).status).toBe(403);
  expect((await sendCallback(login, { code: secrets.code, state: login.state })).status).toBe(200);
  expect((await login.ended).exitCode).toBe(0);
  expect(service.tokenRequests).toMatchObject([{ body: expect.stringContaining(secrets.code) }]);
});

it('auth login after a denial with HTML: stores no token, escapes what it shows, and closes the listener', async () => {
  const login = await signIn();
  const denial = { error: '<script>alert(1)</script>', state: login.state };
  const { status, body } = await sendCallback(login, denial);
  expect([status, body]).toEqual([400, expect.not.stringContaining('<script')]);
  expect((await login.ended).exitCode).toBe(3);
  expect([home.profiles(), service.requests]).toEqual([{}, []]);
  await expectClosed(login);
});

it('auth login --port: reports a port that is in use, and what to do', async () => {
  const otherServer = createServer();
  await new Promise<void>((resolve) => otherServer.listen(0, '127.0.0.1', resolve));
  const { port } = otherServer.address() as { port: number };
  const argv = `auth login --client-id app-1 --port ${port} --authorize-url https://approve.example.com -o table`;
  const env = { ...home.env, BOH_BASE_URL: service.baseUrl, BOH_CLIENT_SECRET: secrets.clientSecret };
  const { exitCode, stderr } = await startBoh(argv.split(' '), env).ended;
  otherServer.close();
  expect(exitCode).toBe(2);
  expect(stderr).toBe(
    `boh: Port ${port} is in use by another program, so the browser can't return to boh.\n` +
      'Stop that program, or sign in with --no-browser. If the service allows any port: --port 0\n',
  );
});

it('auth login: SIGTERM ends it', async () => {
  const login = await signIn();
  await login.waitForStderr(/Waiting/);
  login.kill('SIGTERM');
  expect((await login.ended).exitCode).toBe(143);
  expect(home.profiles()).toEqual({});
});

it('auth login: Ctrl-C during the exchange: stores no token, and other commands and the next sign-in work', async () => {
  service.exchange = { status: 0, body: '' };
  const login = await startSignIn(service, home);
  await sendCallback(login, { code: secrets.code, state: login.state });
  await waitUntil(() => expect(service.requests).toContain('POST /oauth/token'));
  login.kill('SIGINT');
  expect((await login.ended).exitCode).toBe(130);
  expect(JSON.stringify(home.profiles())).not.toContain('canary');

  service.reset();
  const exitCode = async (line: string) => (await runBoh(line.split(' '), { env: home.env })).exitCode;
  expect(await exitCode('--sandbox tags list')).toBe(0);
  expect(await exitCode('profiles list')).toBe(0);
  expect(await exitCode('auth status')).toBe(3);
  const nextLogin = await startSignIn(service, home);
  await sendCallback(nextLogin, { code: secrets.code, state: nextLogin.state });
  expect((await nextLogin.ended).exitCode).toBe(0);
  expect(home.profiles().default).toMatchObject({ token: secrets.token });
});
