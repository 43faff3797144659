/** `auth login` finds out about a service: presets, prefixes of paths, published URLs, and the first command to try. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AuthService, secrets, startAuthService } from '../cli/auth-service.ts';
import { type BohResult, failureOf, runBoh } from '../harness/run-boh.ts';
import { temporaryFolders } from '../settings/temporary-folder.ts';

const newFolder = temporaryFolders();
let service: AuthService;
let folder: string;
beforeAll(async () => {
  service = await startAuthService();
});
beforeEach(() => {
  service.reset();
  folder = newFolder();
});
afterAll(() => service.close());

function login(argv: readonly string[], stdin = '', env: Record<string, string> = {}): Promise<BohResult> {
  const fullEnvironment = { BOH_CONFIG_DIR: folder, ...env };
  return runBoh(['auth', 'login', ...argv], { env: fullEnvironment, stdin });
}

const withToken = (stdin: string, ...moreFlags: string[]) =>
  login(['--with-token', '--base-url', service.baseUrl, ...moreFlags], stdin);

interface StoredConfig {
  active?: string;
  profiles: Record<string, Record<string, unknown>>;
}

function storedConfig(): StoredConfig {
  try {
    return JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8')) as StoredConfig;
  } catch {
    return { profiles: {} };
  }
}

describe('auth login --with-token: where the API is', () => {
  const notFound = { status: 404, body: '{"message":"Not found."}' };

  it.each(['/v5', '/api'])('under %s: is found, stored and reported', async (prefix) => {
    service.others = { [`GET ${prefix}/whoami`]: service.whoami };
    service.whoami = notFound;
    const { exitCode, stderr } = await withToken(secrets.token);
    expect(exitCode, stderr).toBe(0);
    expect(stderr).toContain(`The API is under ${prefix}`);
    expect(storedConfig().profiles.default).toMatchObject({
      base_url: service.baseUrl,
      api_prefix: prefix,
      token: secrets.token,
    });
  });

  it('nowhere: is reported after one request for each prefix', async () => {
    service.whoami = notFound;
    const result = await withToken(secrets.token);
    expect(result.exitCode).toBe(5);
    expect(service.requests).toEqual(['GET /whoami', 'GET /v5/whoami', 'GET /api/whoami']);
    expect(storedConfig().profiles).toEqual({});
  });

  it('under a prefix that refuses the token: no other prefix is tried', async () => {
    service.whoami = notFound;
    service.others = { 'GET /v5/whoami': { status: 401, body: '{}' } };
    expect((await withToken(secrets.token)).exitCode).toBe(3);
    expect(service.requests).toEqual(['GET /whoami', 'GET /v5/whoami']);
  });

  it('a given prefix: no other one is tried', async () => {
    service.whoami = notFound;
    expect((await withToken(secrets.token, '--api-prefix', '/v7')).exitCode).toBe(5);
    expect(service.requests).toEqual(['GET /v7/whoami']);
  });

  it('a redirect to another place: the token is sent nowhere else', async () => {
    service.whoami = { status: 302, body: '' };
    expect((await withToken(secrets.token)).exitCode).toBe(8);
    expect(service.requests).toEqual(['GET /whoami']);
  });

  it('a prefix in the base URL: is stored as api_prefix, and the code is exchanged at the host', async () => {
    service.others = { 'GET /v5/whoami': service.whoami };
    const argv = ['--base-url', `${service.baseUrl}/v5/`, '--authorize-url', 'https://approve.example.com'];
    const { exitCode, stderr } = await login(
      [...argv, '--client-id', 'app-1', '--no-browser'],
      secrets.code,
      {
        BOH_CLIENT_SECRET: secrets.clientSecret,
      },
    );
    expect(exitCode, stderr).toBe(0);
    expect(service.requests).toEqual(['POST /oauth/token', 'GET /v5/whoami']);
    expect(storedConfig().profiles.default).toMatchObject({ base_url: service.baseUrl, api_prefix: '/v5' });
  });
});

describe('auth login --like', () => {
  const unchecked = ['--with-token', '--unchecked', '--like', 'foodics-v5'];

  it('without an address: stores that of the preset; its other values stay a layer', async () => {
    expect((await login(unchecked, secrets.token)).exitCode).toBe(0);
    expect(storedConfig().profiles.default).toEqual({
      like: 'foodics-v5',
      base_url: 'https://api.foodics.com',
      token: secrets.token,
    });
  });

  it.each([
    ['a flag', ['--base-url', 'https://api-sandbox.foodics.com'], {}],
    ['BOH_BASE_URL', [], { BOH_BASE_URL: 'https://api-sandbox.foodics.com' }],
  ])('with an address in %s: stores it', async (_source, argv, env) => {
    expect((await login([...unchecked, ...argv], secrets.token, env)).exitCode).toBe(0);
    expect(storedConfig().profiles.default).toMatchObject({ base_url: 'https://api-sandbox.foodics.com' });
  });

  it('for a profile with an address: keeps it', async () => {
    await withToken(secrets.token);
    expect((await login(unchecked, 'second-token')).exitCode).toBe(0);
    expect(storedConfig().profiles.default).toEqual({
      like: 'foodics-v5',
      base_url: service.baseUrl,
      token: 'second-token',
    });
  });

  it('an unknown kind: is refused with the known ones', async () => {
    const result = await login(['--with-token', '--like', 'foodics'], secrets.token);
    expect(result.exitCode).toBe(2);
    expect(failureOf(result).message).toContain('foodics-v5');
  });

  it('names the authorization page of the preset', async () => {
    const argv = ['--like', 'foodics-v5', '--client-id', 'app-1', '--no-browser'];
    const { stderr } = await login(argv, 'not a code?', { BOH_CLIENT_SECRET: secrets.clientSecret });
    expect(stderr).toContain('https://console.foodics.com/authorize?client_id=app-1');
  });
});

describe('auth login: the URLs that a service publishes', () => {
  const metadataRequest = 'GET /.well-known/oauth-authorization-server';
  const publish = (document: object) => {
    const body = JSON.stringify({ issuer: service.baseUrl, ...document });
    service.others[metadataRequest] = { status: 200, body };
  };
  const paste = (...moreFlags: string[]) =>
    login(
      ['--base-url', service.baseUrl, '--client-id', 'app-1', '--no-browser', ...moreFlags],
      secrets.code,
      {
        BOH_CLIENT_SECRET: secrets.clientSecret,
      },
    );

  it('are used, stored and reported if no authorization URL is given', async () => {
    const urls = {
      authorization_endpoint: 'https://approve.example.com/oauth',
      token_endpoint: `${service.baseUrl}/token`,
    };
    publish(urls);
    service.others['POST /token'] = service.exchange;
    const { exitCode, stderr } = await paste();
    expect(exitCode, stderr).toBe(0);
    expect(stderr).toContain(Object.values(urls).join(', '));
    expect(storedConfig().profiles.default).toMatchObject({
      authorize_url: urls.authorization_endpoint,
      token_url: urls.token_endpoint,
    });
  });

  it('are not requested if the authorization URL is given', async () => {
    await paste('--authorize-url', 'https://approve.example.com');
    expect(service.requests).not.toContain(metadataRequest);
  });

  it('of another issuer: are ignored, and the missing setting is reported', async () => {
    publish({ issuer: 'https://evil.example', authorization_endpoint: 'https://evil.example/authorize' });
    const result = await paste();
    expect(result.exitCode).toBe(2);
    expect(Object.keys(failureOf(result).fields as object)).toEqual(['authorize_url']);
  });

  it('are not requested if other settings are missing', async () => {
    const result = await login(['--base-url', service.baseUrl]);
    expect(Object.keys(failureOf(result).fields as object).join(' ')).toBe(
      'authorize_url client_id client_secret',
    );
    expect(service.requests).toEqual([]);
  });
});

it.each([
  [['general.read', 'customers.list'], 'customers list'],
  [['general.read', 'users.read'], 'users list'],
  [['a-new-scope'], 'auth scopes'],
])('auth login with the scopes %j: names the first command to try: %s', async (scopes, command) => {
  service.whoami = { status: 200, body: JSON.stringify({ data: { user: { name: 'Eve' }, scopes } }) };
  expect((await withToken(secrets.token)).stderr).toContain(
    `To start: boh --base-url ${service.baseUrl} ${command}`,
  );
});

it('profiles add --like: stores the first address of the preset, unless there is another one', async () => {
  for (const line of [
    'profiles add live --like foodics-v5',
    'profiles add test --like foodics-v5 --base-url https://api-sandbox.foodics.com',
    'profiles add play --like foodics-v5 --sandbox',
    'profiles add own --like api-document',
  ]) {
    expect((await runBoh(line.split(' '), { env: { BOH_CONFIG_DIR: folder } })).exitCode).toBe(0);
  }
  expect(storedConfig().profiles).toEqual({
    live: { like: 'foodics-v5', base_url: 'https://api.foodics.com' },
    test: { like: 'foodics-v5', base_url: 'https://api-sandbox.foodics.com' },
    play: { like: 'foodics-v5', sandbox: 'default' },
    own: { like: 'api-document' },
  });
  const settings = JSON.parse(
    (await runBoh('config list --profile test --json'.split(' '), { env: { BOH_CONFIG_DIR: folder } }))
      .stdout,
  ) as {
    name: string;
  }[];
  expect(settings.filter(({ name }) => ['authorize_url', 'api_prefix'].includes(name))).toMatchObject([
    { value: '/v5', source: 'preset' },
    { value: 'https://console-sandbox.foodics.com/authorize', source: 'preset' },
  ]);
});
