/** Ends sign-ins in the middle, and checks what other commands and the next sign-in find. */
import { createServer } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startBoh } from '../harness/start-boh.ts';
import { keys, terminalTest } from '../harness/terminal.ts';
import { waitUntil } from '../harness/wait-until.ts';
import {
  type AuthService,
  createTestHome,
  secrets,
  startAuthService,
  type TestHome,
} from './auth-service.ts';
import { openBoh, sendCallback, startSignIn } from './auth-sign-in.ts';

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

describe.each([
  ['the exchange', 'exchange', 'POST /oauth/token'],
  ['whoami', 'whoami', 'GET /whoami'],
] as const)('auth login: Ctrl-C during %s', (_, response, request) => {
  it('stores no token, and other commands and the next sign-in work', async () => {
    service[response] = { status: 0, body: '' };
    const login = await startSignIn(service, home);
    await sendCallback(login, { code: secrets.code, state: login.state });
    await waitUntil(() => expect(service.requests).toContain(request));
    login.kill('SIGINT');
    expect((await login.ended).exitCode).toBe(130);
    expect(JSON.stringify(home.profiles())).not.toContain('canary');

    service.reset();
    service.others = { 'GET /tags': { status: 200, body: '{"data":[{"id":"1","name":"Spicy"}]}' } };
    const exitCode = async (line: string, env: Record<string, string> = {}) =>
      (await startBoh(line.split(' '), { ...home.env, ...env }).ended).exitCode;
    expect(await exitCode('--sandbox tags list')).toBe(0);
    expect(await exitCode('profiles list')).toBe(0);
    expect(await exitCode('auth status')).toBe(3);
    const environment = { BOH_TOKEN: 'other-token', BOH_BASE_URL: service.baseUrl };
    expect(await exitCode('api GET /tags', environment)).toBe(0);
    const nextLogin = await startSignIn(service, home);
    await sendCallback(nextLogin, { code: secrets.code, state: nextLogin.state });
    expect((await nextLogin.ended).exitCode).toBe(0);
    expect(home.profiles().default).toMatchObject({ token: secrets.token });
  });
});

terminalTest('auth login: a port in use: the next attempt suggests what was typed', async () => {
  const otherServer = createServer();
  await new Promise<void>((resolve) => otherServer.listen(0, '127.0.0.1', resolve));
  const { port } = otherServer.address() as { port: number };
  const line = `boh auth login --base-url ${service.baseUrl} --port`;
  const first = openBoh(home, `${line} ${port}`);
  for (const [question, answer] of [
    ['Authorization URL', 'https://approve.example.com'],
    ['Client ID', 'app-1'],
    ['Scopes to request', 'general.read'],
    ['Client secret', secrets.clientSecret],
  ] as const) {
    await first.waitFor(question);
    first.types(answer, keys.enter);
  }
  await first.waitFor(`Port ${port} is in use`);
  expect(await first.ended()).toBe(2);
  otherServer.close();
  expect(home.profiles()).toEqual({});

  const retry = openBoh(home, `${line} 0`);
  for (const answer of ['https://approve.example.com', 'app-1', 'general.read']) {
    await retry.waitFor(answer);
    retry.types(keys.enter);
  }
  await retry.waitFor('Client secret');
  retry.types(keys.ctrlC);
  expect(await retry.ended()).toBe(130);
  expect(retry.raw()).not.toContain('canary');
});

terminalTest('auth login: the name of a new profile is suggested after a failure', async () => {
  const withToken = 'boh auth login --with-token --base-url';
  await openBoh(home, `echo ${secrets.token} | ${withToken} ${service.baseUrl}`).ended();
  const other = await startAuthService();
  other.whoami = { status: 401, body: '{"message":"Unauthenticated."}' };
  const first = openBoh(home, `${withToken} ${other.baseUrl}`);
  await first.waitFor('Name of the new profile:');
  first.types('second', keys.enter);
  await first.waitFor('Token:');
  first.types('wrong-token', keys.enter);
  expect(await first.ended()).toBe(3);

  other.reset();
  const retry = openBoh(home, `${withToken} ${other.baseUrl}`);
  await retry.waitFor('Name of the new profile: second');
  retry.types(keys.enter);
  await retry.waitFor('Token:');
  retry.types(secrets.token, keys.enter);
  expect(await retry.ended()).toBe(0);
  await other.close();
  expect(Object.keys(home.profiles())).toEqual(['default', 'second']);
});
