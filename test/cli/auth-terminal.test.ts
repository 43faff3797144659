/** Signs in at a terminal, and checks the questions and the answers that are shown and stored. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from 'vitest';
import { keys, type Terminal, terminalTest as test } from '../harness/terminal.ts';
import {
  type AuthService,
  createTestHome,
  secrets,
  startAuthService,
  type TestHome,
} from './auth-service.ts';
import { authorizationPage, get, openBoh as openBohIn } from './auth-sign-in.ts';

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

const openBoh = (line: string, env: Record<string, string> = {}) => openBohIn(home, line, { env });

/** Sends an approval to the redirect URL of the page that the browser opened. */
async function approve(terminal: Terminal): Promise<void> {
  const page = await authorizationPage(home);
  const callback = new URL(page.searchParams.get('redirect_uri') ?? '');
  callback.searchParams.set('code', secrets.code);
  callback.searchParams.set('state', page.searchParams.get('state') ?? '');
  await terminal.waitFor('Waiting');
  expect((await get(callback)).status).toBe(200);
}

describe('auth login for the first time', () => {
  test('asks for all settings, hides the secret and stores the answers: a second sign-in asks nothing', async () => {
    const firstLogin = openBoh('boh auth login --port 0');
    await firstLogin.waitFor('Which service do you use?');
    firstLogin.types('Another', keys.enter);
    await firstLogin.waitFor('Base URL of the service');
    firstLogin.types('api.example.com', keys.enter);
    await firstLogin.waitFor('Did you mean https://api.example.com?');
    firstLogin.types('\x15', service.baseUrl, keys.enter);
    await firstLogin.waitFor('Authorization URL');
    firstLogin.types('https://approve.example.com', keys.enter);
    await firstLogin.waitFor('Client ID');
    firstLogin.types('app-1', keys.enter);
    await firstLogin.waitFor('Scopes to request');
    firstLogin.types(keys.enter);
    await firstLogin.waitFor('Client secret');
    firstLogin.types(secrets.clientSecret, keys.enter);
    await approve(firstLogin);
    expect(await firstLogin.ended()).toBe(0);
    expect(firstLogin.text()).toContain('Signed in as Sara Haddad of The Diner');
    expect(firstLogin.raw()).not.toContain('canary');
    expect(home.profiles().default).toMatchObject({
      base_url: service.baseUrl,
      authorize_url: 'https://approve.example.com/',
      client_id: 'app-1',
      client_secret: secrets.clientSecret,
      scopes: [],
      token: secrets.token,
    });

    home.clearOpenedUrl();
    const secondLogin = openBoh('boh auth login');
    await approve(secondLogin);
    expect(await secondLogin.ended()).toBe(0);
    expect(secondLogin.text()).not.toMatch(/^[?✔] (?!Or paste the URL)/m);
  });

  test('retry after a failure: suggests the earlier answers, but no secret', async () => {
    const interrupted = openBoh(`exec boh auth login --base-url ${service.baseUrl} --port 0`);
    await interrupted.waitFor('Authorization URL');
    interrupted.types('https://approve.example.com', keys.enter);
    await interrupted.waitFor('Client ID');
    interrupted.types('app-1', keys.enter);
    await interrupted.waitFor('Scopes to request');
    interrupted.types('general.read', keys.enter);
    await interrupted.waitFor('Client secret');
    interrupted.types(secrets.clientSecret, keys.enter);
    await interrupted.waitFor('Waiting');
    interrupted.types(keys.ctrlC);
    expect(await interrupted.ended()).toBe(130);
    expect(home.profiles()).toEqual({});
    const cache = readFileSync(join(home.env.HOME ?? '', 'config/cache/sign-in.json'), 'utf8');
    expect(cache).not.toContain('canary');

    home.clearOpenedUrl();
    const retry = openBoh(`boh auth login --base-url ${service.baseUrl} --port 0`);
    await retry.waitFor('Authorization URL');
    await retry.waitFor('https://approve');
    retry.types(keys.enter);
    await retry.waitFor('app-1');
    retry.types(keys.enter);
    await retry.waitFor('Scopes to request: general.read');
    retry.types(keys.enter);
    await retry.waitFor('Client secret');
    retry.types(secrets.clientSecret, keys.enter);
    await approve(retry);
    expect(await retry.ended()).toBe(0);
    expect(home.profiles().default).toMatchObject({ client_id: 'app-1', scopes: ['general.read'] });
    expect(readFileSync(join(home.env.HOME ?? '', 'config/cache/sign-in.json'), 'utf8')).toBe('{}');
  });

  test('--no-browser: asks for the pasted URL until it is valid', async () => {
    const file = join(home.env.HOME ?? '', 'secret.txt');
    writeFileSync(file, secrets.clientSecret);
    const givenFlags = `--authorize-url https://approve.example.com --scopes general.read --client-secret-file ${file}`;
    const terminal = openBoh(`boh auth login --base-url ${service.baseUrl} ${givenFlags} --no-browser`);
    await terminal.waitFor('Client ID');
    terminal.types('app-1', keys.enter);
    const output = (await terminal.waitFor('Paste the URL here:')).replaceAll('\n', '');
    const state = /state=([\w-]+)/.exec(output)?.[1];
    terminal.types('what?', keys.enter);
    await terminal.waitFor('neither a code');
    terminal.types('\x15', `http://127.0.0.1:8714/callback?code=${secrets.code}&state=${state}`, keys.enter);
    expect(await terminal.ended()).toBe(0);
    expect(home.openedUrl()).toBe('');
    expect(home.profiles().default).toMatchObject({
      token: secrets.token,
      client_secret: secrets.clientSecret,
    });
  });
});

test('auth login for another service: asks for the name of another profile', async () => {
  await openBoh(`echo ${secrets.token} | boh auth login --with-token --base-url ${service.baseUrl}`).ended();
  const line = 'boh auth login --with-token --unchecked --base-url https://other.example';
  const terminal = openBoh(line);
  await terminal.waitFor('Name of the new profile');
  terminal.types('default', keys.enter);
  await terminal.waitFor('already');
  terminal.types('\x15', 'other', keys.enter);
  await terminal.waitFor('Token:');
  terminal.types('second-token', keys.enter);
  expect(await terminal.ended()).toBe(0);
  expect(Object.keys(home.profiles())).toEqual(['default', 'other']);
  const picker = openBoh('boh profiles use');
  await picker.waitFor('Which profile?');
  picker.types(keys.down, keys.enter);
  await picker.waitFor('Profile other is now active.');
  expect(await picker.ended()).toBe(0);
});

test('auth login with a token for another business: asks before it replaces the profile', async () => {
  const line = `echo ${secrets.token} | boh auth login --with-token --base-url ${service.baseUrl}`;
  await openBoh(line).ended();
  const data = { user: { name: 'Eve' }, business: { id: 'b2', name: 'Evil Eats' }, scopes: ['general.read'] };
  service.whoami = { status: 200, body: JSON.stringify({ data }) };
  const signInLine = `boh auth login --with-token --base-url ${service.baseUrl}`;
  for (const [answer, exitCode, business] of [
    ['n', 130, 'The Diner'],
    ['y', 0, 'Evil Eats'],
  ] as const) {
    const terminal = openBoh(signInLine);
    await terminal.waitFor('Token:');
    terminal.types('second-token', keys.enter);
    await terminal.waitFor('Profile default is for The Diner, and this token is for Evil Eats.');
    terminal.types(answer, keys.enter);
    expect(await terminal.ended()).toBe(exitCode);
    expect(home.profiles().default).toMatchObject({ business_name: business });
  }
});

describe('a protected profile', () => {
  beforeEach(async () => {
    await openBoh(
      `echo ${secrets.token} | boh auth login --with-token --base-url ${service.baseUrl}`,
    ).ended();
    await openBoh('boh config set protected true && boh config set colour magenta').ended();
    service.requests.length = 0;
  });

  test('is shown in its color, and writes after the name of the business is typed', async () => {
    const terminal = openBoh('boh tags create --name Spicy --type 1 --unchecked');
    await terminal.waitFor(`Writing to default: The Diner, ${service.baseUrl}.`);
    expect(terminal.raw()).toContain('\x1b[35mWriting to default');
    // The subject is shown before the question.
    expect(await terminal.waitFor('Diner:')).toContain('boh --unchecked tags create --name Spicy');
    terminal.types('the diner', keys.enter);
    await terminal.waitFor("That isn't The Diner.");
    const isWrite = (request: string) => !request.startsWith('GET ');
    expect(service.requests.filter(isWrite)).toEqual([]);
    terminal.types('\x15', 'The Diner', keys.enter);
    await terminal.ended();
    expect(service.requests.filter(isWrite)).toEqual(['POST /tags']);
  });

  test('asks nothing with --yes and --profile', async () => {
    const terminal = openBoh('boh tags delete 1 --yes --profile default --unchecked');
    await terminal.ended();
    expect(terminal.text()).not.toContain('type the name');
    expect(service.requests.filter((request) => !request.startsWith('GET'))).toEqual(['DELETE /tags/1']);
  });
});
