/** The form of `auth login`: services, ways to sign in, and a second attempt after a refusal. */
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { keys, terminalTest as test } from '../harness/terminal.ts';
import {
  type AuthService,
  createTestHome,
  secrets,
  startAuthService,
  type TestHome,
} from './auth-service.ts';
import { openBoh as openBohIn } from './auth-sign-in.ts';

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

test('auth login: an operator with a token: enters the base URL and the token, and then sees what to try', async () => {
  const terminal = openBoh('boh auth login');
  await terminal.waitFor('Which service do you use?');
  expect(await terminal.waitFor('Foodics v5, live')).not.toContain('document');
  await terminal.waitFor('Foodics v5, test');
  await terminal.waitFor('Another service');
  await terminal.waitFor('not tested against the live service');
  terminal.types('Another', keys.enter);
  await terminal.waitFor('Base URL of the service');
  terminal.types(service.baseUrl, keys.enter);
  await terminal.waitFor('How do you sign in?');
  terminal.types(keys.enter);
  await terminal.waitFor('Token:');
  terminal.types('two words', keys.enter);
  await terminal.waitFor('contains a space');
  terminal.types('\x15', secrets.token, keys.enter);
  await terminal.waitFor('Signed in as Sara Haddad of The Diner');
  await terminal.waitFor('To start: boh customers list');
  expect(await terminal.ended()).toBe(0);
  expect(terminal.raw()).not.toContain('canary');
  expect(service.requests).toEqual(['GET /whoami']);
  expect(home.profiles().default).toMatchObject({ base_url: service.baseUrl, token: secrets.token });
});

test('auth login: a preset: asks only for what it leaves open, and stores its address', async () => {
  const terminal = openBoh('boh auth login --no-browser');
  await terminal.waitFor('Which service do you use?');
  terminal.types(keys.down, keys.enter);
  await terminal.waitFor('Client ID');
  terminal.types('app-1', keys.enter);
  await terminal.waitFor('Scopes to request');
  terminal.types(keys.enter);
  await terminal.waitFor('Client secret');
  terminal.types(secrets.clientSecret, keys.enter);
  await terminal.waitFor('https://console-sandbox.foodics.com/authorize');
  await terminal.waitFor('Paste the URL here:');
  terminal.types(keys.ctrlC);
  expect(await terminal.ended()).toBe(130);
  const retry = openBoh('boh auth login');
  await retry.waitFor('Which service do you use?');
  retry.types(keys.enter);
  await retry.waitFor('How do you sign in?');
  retry.types(keys.enter);
  await retry.waitFor('Client ID of your app: app-1');
  retry.types(keys.ctrlC);
  await retry.ended();
});

test('auth login: a refused secret: names it, and the next attempt has the values of the flags', async () => {
  service.exchange = { status: 401, body: '{"error":"invalid_client","hint":"Wrong client secret"}' };
  const flags = '--authorize-url https://approve.example.com --redirect-uri https://our-diner.example/boh';
  const line = `exec boh auth login --base-url ${service.baseUrl}/v5 ${flags} --client-id app-1 --scopes a.b`;
  const refused = openBoh(line, { BOH_CLIENT_SECRET: 'wrong' });
  await refused.waitFor('Paste the URL here:');
  refused.types(secrets.code, keys.enter);
  await refused.waitFor('The service refused the client secret (HTTP 401)');
  expect(await refused.ended()).toBe(3);
  expect(home.profiles()).toEqual({});

  const retry = openBoh('exec boh auth login');
  await retry.waitFor('Which service do you use?');
  retry.types(keys.enter);
  await retry.waitFor('Base URL of the service');
  retry.types(keys.enter);
  await retry.waitFor('From the last attempt: api_prefix /v5');
  await retry.waitFor('How do you sign in?');
  retry.types(keys.enter);
  await retry.waitFor('Authorization URL');
  await retry.waitFor('https://approve.example.com');
  retry.types(keys.enter);
  await retry.waitFor('app-1');
  retry.types(keys.enter);
  await retry.waitFor('a.b');
  retry.types(keys.ctrlC);
  await retry.ended();
});
