/** Pastes a response at a terminal while boh also waits for the browser. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from 'vitest';
import { keys, type Terminal, terminalTest as test } from '../harness/terminal.ts';
import {
  type AuthService,
  createTestHome,
  secrets,
  startAuthService,
  type TestHome,
} from './auth-service.ts';
import { authorizationPage, get, openBoh } from './auth-sign-in.ts';

let service: AuthService;
let home: TestHome;
beforeAll(async () => {
  service = await startAuthService();
});
beforeEach(() => {
  service.reset();
  home = createTestHome();
});
afterEach(() => home.remove());
afterAll(() => service.close());

const question = 'Or paste the URL that you are redirected to:';

function startSignIn(env: Record<string, string>): Terminal {
  const app = '--client-id app-1 --authorize-url https://approve.example.com --scopes a.b --port 0';
  return openBoh(home, `exec boh auth login --base-url ${service.baseUrl} ${app}`, {
    columns: 250,
    env: { BOH_CLIENT_SECRET: secrets.clientSecret, ...env },
  });
}

/** Starts a sign-in on a terminal, and waits for the question. */
async function openSignIn(env: Record<string, string> = {}): Promise<Terminal> {
  const terminal = startSignIn(env);
  await terminal.waitFor('Waiting for authorization in the browser');
  await terminal.waitFor(question);
  return terminal;
}

/** Returns the callback that the printed authorization URL leads to, with this query and the right state. */
function callbackUrl(terminal: Terminal, query: Record<string, string>): URL {
  const [printedUrl = ''] = /https:\/\/approve\S+/.exec(terminal.text()) ?? [];
  const { searchParams } = new URL(printedUrl);
  const callback = new URL(searchParams.get('redirect_uri') ?? '');
  const state = searchParams.get('state') ?? '';
  for (const [name, value] of Object.entries({ state, ...query })) callback.searchParams.set(name, value);
  return callback;
}

async function expectSignedIn(terminal: Terminal): Promise<void> {
  await terminal.waitFor('Signed in as Sara Haddad of The Diner');
  expect(await terminal.ended()).toBe(0);
  expect(home.profiles().default).toMatchObject({ token: secrets.token });
  expect(service.requests.filter((request) => request.startsWith('POST'))).toEqual(['POST /oauth/token']);
}

describe('auth login', () => {
  test.each([
    ['the URL', 'xterm-256color'],
    ['the code alone', 'dumb'],
  ])('pasting %s (TERM=%s): signs in, and ends the listener', async (what, TERM) => {
    const terminal = await openSignIn({ TERM });
    const url = callbackUrl(terminal, { code: secrets.code });
    terminal.types(what === 'the URL' ? url.href : secrets.code, keys.enter);
    await expectSignedIn(terminal);
    expect(terminal.text()).not.toMatch(/^✔/m);
    expect(service.tokenRequests[0]?.body).toContain(secrets.code);
    await expect(get(url)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  test('a callback: ends the question, also with text in it', async () => {
    const terminal = await openSignIn();
    const page = await authorizationPage(home);
    terminal.types('http://127');
    const url = callbackUrl(terminal, { code: secrets.code });
    expect(page.searchParams.get('state')).toBe(url.searchParams.get('state'));
    expect((await get(url)).status).toBe(200);
    await expectSignedIn(terminal);
  });

  test('bad pastes: each gets its reason, and both ways to answer stay open', async () => {
    const terminal = await openSignIn();
    for (const [pasted, problem] of [
      ['', 'neither a code nor a URL'],
      [callbackUrl(terminal, { code: 'x', state: 'other' }).href, 'belongs to another sign-in'],
      [callbackUrl(terminal, { code: 'x', state: '' }).href, 'has no state parameter'],
      ['https://evil.example/?code=x&state=y', "The pasted URL isn't http://127.0.0.1:"],
      ['https://approve.example.com/?client_id=app-1', 'neither a code nor a URL'],
    ] as const) {
      terminal.types(pasted, keys.enter);
      await terminal.waitFor(problem);
    }
    expect(service.requests).toEqual([]);
    const stale = callbackUrl(terminal, { code: 'x', state: 'other' });
    expect((await get(stale)).status).toBe(400);
    terminal.types(callbackUrl(terminal, { code: secrets.code }).href, keys.enter);
    await expectSignedIn(terminal);
  });
});

test('a browser that fails after the question: is reported at once, and the question is asked again', async () => {
  home.remove();
  home = createTestHome({ browserExit: 3 });
  const releaseBrowser = home.holdBrowser();
  const terminal = await openSignIn();
  expect(terminal.text()).not.toContain('No browser could be started');
  releaseBrowser();
  await terminal.waitFor('No browser could be started');
  await terminal.waitFor(question);
  terminal.types(secrets.code, keys.enter);
  await expectSignedIn(terminal);
});

test('with CI set: asks nothing, and waits for the browser', async () => {
  const terminal = startSignIn({ CI: '1' });
  await terminal.waitFor('Waiting for authorization in the browser');
  terminal.types('other-code', keys.enter);
  expect((await get(callbackUrl(terminal, { code: secrets.code }))).status).toBe(200);
  await expectSignedIn(terminal);
  expect(service.tokenRequests[0]?.body).toContain(secrets.code);
  expect(terminal.text()).not.toContain(question);
});
