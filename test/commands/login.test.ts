/** `boh auth login` without a browser accepts pasted tokens and codes, checks base URLs and stores profiles. */
import { readFileSync, writeFileSync } from 'node:fs';
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

describe('auth login --with-token: a token on standard input', () => {
  it.each([
    ['the token alone', secrets.token],
    ['with a line break', `${secrets.token}\n`],
    ['from Windows', `\uFEFF${secrets.token}\r\n`],
    ['in quotes', `"${secrets.token}"`],
    ['with the prefix Bearer', `Bearer ${secrets.token}`],
    ['a complete header, in quotes', ` 'Authorization: bearer "${secrets.token}"' \n`],
  ])('%s: is stored', async (_format, text) => {
    const { exitCode, stdout, stderr } = await withToken(text);
    expect(exitCode, stderr).toBe(0);
    expect(stdout).toBe('');
    expect(stderr).toContain('Signed in as Sara Haddad of The Diner, with 2 scopes');
    expect(storedConfig().profiles.default).toMatchObject({
      base_url: service.baseUrl,
      token: secrets.token,
    });
    expect(service.requests).toEqual(['GET /whoami']);
  });

  it.each([
    ['empty', ''],
    ['only quotes', '""'],
    ['two words', `${secrets.token} ${secrets.token}`],
    ['a web page', `<html>\n${secrets.token}</html>`],
    ['too long', 'x'.repeat(200_000)],
  ])('%s: is refused, and is not printed', async (_kind, text) => {
    const result = await withToken(text);
    expect(result.exitCode).toBe(2);
    expect(result.stderr).not.toContain('canary');
    expect(result.stderr.length).toBeLessThan(1_000);
    expect(service.requests).toEqual([]);
    expect(storedConfig().profiles).toEqual({});
  });

  it('is not stored if the service refuses it', async () => {
    service.whoami = { status: 401, body: '{"message":"Unauthenticated."}' };
    const result = await withToken(secrets.token);
    expect(result.exitCode).toBe(3);
    expect(failureOf(result).message).toContain('The token was not stored.');
    expect(storedConfig().profiles).toEqual({});
  });

  it('is stored unchecked with --unchecked', async () => {
    expect((await withToken(secrets.token, '--unchecked')).exitCode).toBe(0);
    expect(service.requests).toEqual([]);
    expect(storedConfig().profiles.default).toEqual({ base_url: service.baseUrl, token: secrets.token });
  });

  it('is overridden by BOH_TOKEN, with a warning', async () => {
    const result = await login(['--with-token', '--base-url', service.baseUrl], secrets.token, {
      BOH_TOKEN: 'other',
    });
    expect(result.stderr).toContain('BOH_TOKEN is set');
  });

  it('prints only warnings with --quiet', async () => {
    expect((await withToken(secrets.token, '--quiet')).stderr).toBe('');
  });
});

describe('auth login --base-url', () => {
  it('a URL that ends with slashes: is stored without them', async () => {
    const { exitCode } = await login(['--with-token', '--base-url', `${service.baseUrl}//`], secrets.token);
    expect(exitCode).toBe(0);
    expect(storedConfig().profiles.default?.base_url).toBe(service.baseUrl);
  });

  it.each([
    ['api.example.com', 'Did you mean https://api.example.com?'],
    ['http://api.example.com', 'http is only allowed for this machine'],
    ['https://api.example.com/?a=b', 'can\'t contain "?"'],
    ['https://me:canary-password@api.example.com', "can't contain a user name or password"],
    ['ftp://api.example.com', 'must begin with https://'],
    ['', 'Expected a URL'],
  ])('%j: is refused with a message', async (baseUrl, message) => {
    const result = await login(['--with-token', '--base-url', baseUrl], secrets.token);
    expect(result.exitCode).toBe(2);
    expect(failureOf(result).message).toContain(message);
    expect(result.stderr).not.toContain('canary');
    expect(storedConfig().profiles).toEqual({});
  });
});

it('auth login without a terminal: lists all missing settings', async () => {
  const result = await login([]);
  expect(result.exitCode).toBe(2);
  const missing = Object.keys(failureOf(result).fields as object);
  expect(missing.join(' ')).toBe('base_url authorize_url client_id client_secret');
  expect(result.stderr).toContain('BOH_CLIENT_SECRET or --client-secret-file');
});

it('auth login --dry-run: is refused, and sends nothing', async () => {
  expect((await withToken(secrets.token, '--dry-run')).exitCode).toBe(2);
  expect(service.requests).toEqual([]);
});

describe('auth login --no-browser: a pasted code', () => {
  const paste = (text: string, moreFlags: string[] = [], env: Record<string, string> = {}) =>
    login(
      [
        ...['--base-url', service.baseUrl, '--authorize-url', 'https://approve.example.com'],
        ...['--client-id', 'app-1', '--no-browser', ...moreFlags],
      ],
      text,
      { BOH_CLIENT_SECRET: secrets.clientSecret, ...env },
    );

  it('is sufficient: no listener starts, and the registered redirect URI is sent unchanged', async () => {
    const redirectUri = 'https://our-diner.example/boh';
    const { exitCode, stderr } = await paste(`${secrets.code}\n`, ['--redirect-uri', redirectUri]);
    expect(exitCode, stderr).toBe(0);
    const page = new URL(/^https:\/\/approve\S+$/m.exec(stderr)?.[0] ?? '');
    expect(page.searchParams.get('redirect_uri')).toBe(redirectUri);
    expect(page.searchParams.has('scope')).toBe(false);
    expect(service.requests).toEqual(['POST /oauth/token', 'GET /whoami']);
    expect(storedConfig().profiles.default).toMatchObject({
      token: secrets.token,
      redirect_uri: redirectUri,
    });
    expect(storedConfig().profiles.default).not.toHaveProperty('client_secret');
  });

  it('is also used without --no-browser if the redirect URI is public', async () => {
    const argv = ['--base-url', service.baseUrl, '--authorize-url', 'https://approve.example.com'];
    const redirect = ['--client-id', 'app-1', '--redirect-uri', 'https://our-diner.example/boh'];
    const { exitCode, stderr } = await login([...argv, ...redirect], secrets.code, {
      BOH_CLIENT_SECRET: secrets.clientSecret,
    });
    expect(exitCode, stderr).toBe(0);
  });

  it('is refused in a URL with another state', async () => {
    const result = await paste(`http://127.0.0.1:8714/callback?code=${secrets.code}&state=other`);
    expect(result.exitCode).toBe(3);
    expect(result.stderr).not.toContain('canary');
    expect(service.requests).toEqual([]);
  });

  it("is refused in a URL that isn't the redirect URI", async () => {
    const result = await paste(`http://127.0.0.1:9999/callback?code=${secrets.code}`, [
      '--allow-missing-state',
    ]);
    expect(result.exitCode).toBe(2);
    expect(failureOf(result).message).toContain("pasted URL isn't http://127.0.0.1:8714/callback");
    expect(result.stderr).not.toContain('canary');
    expect(service.requests).toEqual([]);
  });

  it.each(['', 'hello there', 'http://127.0.0.1:8714/callback'])('%j: is refused', async (text) => {
    expect((await paste(text)).exitCode).toBe(2);
    expect(service.requests).toEqual([]);
  });

  it('reads the client secret from a file, and stores it for the next time', async () => {
    const file = join(folder, 'secret.txt');
    writeFileSync(file, ` "${secrets.clientSecret}"\n`);
    const { exitCode } = await paste(secrets.code, ['--client-secret-file', file], { BOH_CLIENT_SECRET: '' });
    expect(exitCode).toBe(0);
    expect(storedConfig().profiles.default).toMatchObject({ client_secret: secrets.clientSecret });
    expect((await paste(secrets.code, [], { BOH_CLIENT_SECRET: '' })).exitCode).toBe(0);
  });

  it("is not requested if the file with the secret can't be read", async () => {
    const result = await paste(secrets.code, ['--client-secret-file', join(folder, 'none')]);
    expect(result.exitCode).toBe(2);
    expect(failureOf(result).message).toContain('no such file');
  });

  it.each([
    [401, '{"message":"Unauthenticated."}', 3, 'The token was not stored.'],
    [404, '{"message":"Not found."}', 5, 'api_prefix'],
  ])(
    'if whoami returns %i: stores no token, but the other settings',
    async (status, body, exitCode, message) => {
      service.whoami = { status, body };
      const result = await paste(secrets.code);
      expect([result.exitCode, result.stderr]).toEqual([exitCode, expect.stringContaining(message)]);
      expect(storedConfig().profiles.default).toMatchObject({ client_id: 'app-1' });
      expect(storedConfig().profiles.default).not.toHaveProperty('token');
    },
  );

  it('if whoami is not allowed for the token: stores the token anyway', async () => {
    service.whoami = { status: 403, body: '{"message":"This action is unauthorized."}' };
    expect((await paste(secrets.code)).exitCode).toBe(0);
    expect(storedConfig().profiles.default).toMatchObject({ token: secrets.token });
  });

  it('if whoami returns names with control characters: prints none of them', async () => {
    const data = { user: { name: 'Sa\u001b[31mra' }, business: { name: 'Di\u202ener' }, scopes: ['a\u0007'] };
    service.whoami = { status: 200, body: JSON.stringify({ data }) };
    const { exitCode, stderr } = await paste(secrets.code);
    expect(exitCode, stderr).toBe(0);
    expect(stderr).not.toMatch(/[\p{Cf}--\n]|[\p{Cc}--\n]/v);
  });

  it('needs a fixed port', async () => {
    const result = await paste(secrets.code, ['--port', '0']);
    expect(result.exitCode).toBe(2);
    expect(failureOf(result).hint).toContain('--port 8714');
  });
});

it.each(['65536', '-1', 'http', ''])('auth login --port %j: is refused', async (port) => {
  expect((await withToken(secrets.token, `--port=${port}`)).exitCode).toBe(2);
});

describe('auth login: profiles', () => {
  it('a sign-in to another service: needs --profile', async () => {
    await withToken(secrets.token);
    const otherService = await startAuthService();
    try {
      const result = await login(['--with-token', '--base-url', otherService.baseUrl], 'second-token');
      expect(result.exitCode).toBe(2);
      expect(failureOf(result).hint).toContain('--profile NAME');
      const namedProfile = ['--with-token', '--base-url', otherService.baseUrl, '--profile', 'Café'];
      expect((await login(namedProfile, 'second-token')).stderr).toContain('boh profiles use "Café"');
      const config = storedConfig();
      expect(config.active).toBe('default');
      expect(config.profiles.default).toMatchObject({ token: secrets.token });
      expect(config.profiles.Café).toMatchObject({ token: 'second-token', base_url: otherService.baseUrl });
    } finally {
      await otherService.close();
    }
  });

  it('a new token: replaces the old token and its user, business and scopes', async () => {
    await withToken(secrets.token);
    await withToken('second-token', '--unchecked');
    expect(storedConfig().profiles.default).toEqual({ base_url: service.baseUrl, token: 'second-token' });
  });

  describe('a profile of one business', () => {
    const setBusiness = (business: object) => {
      const data = { user: { name: 'Eve' }, business, scopes: [] };
      service.whoami = { status: 200, body: JSON.stringify({ data }) };
    };

    it('refuses the token of another business without confirmation', async () => {
      await withToken(secrets.token);
      setBusiness({ id: 'b2', name: 'Evil Eats' });
      const result = await withToken('second-token');
      expect(result.exitCode).toBe(2);
      expect(failureOf(result).message).toBe(
        'Profile default is for The Diner, and this token is for Evil Eats. The token was not stored.',
      );
      expect(storedConfig().profiles.default).toMatchObject({
        token: secrets.token,
        business_name: 'The Diner',
      });
      expect((await withToken('second-token', '--yes')).exitCode).toBe(0);
      expect(storedConfig().profiles.default).toMatchObject({
        token: 'second-token',
        business_name: 'Evil Eats',
      });
    });

    it('refuses it in the browser sign-in too, and keeps the settings', async () => {
      await withToken(secrets.token);
      setBusiness({ id: 'b2', name: 'Evil Eats' });
      const argv = ['--base-url', service.baseUrl, '--authorize-url', 'https://approve.example.com'];
      const result = await login([...argv, '--client-id', 'evil-app', '--no-browser'], secrets.code, {
        BOH_CLIENT_SECRET: secrets.clientSecret,
      });
      expect(result.exitCode).toBe(2);
      expect(storedConfig().profiles.default).toMatchObject({ token: secrets.token });
      expect(storedConfig().profiles.default).not.toHaveProperty('client_id');
    });

    it('accepts a renamed business', async () => {
      await withToken(secrets.token);
      setBusiness({ id: 'b1', name: 'The New Diner' });
      expect((await withToken('second-token')).exitCode).toBe(0);
      expect(storedConfig().profiles.default).toMatchObject({ business_name: 'The New Diner' });
    });
  });

  it.each(['-x', 'a b', '__proto__'])('the name %j: is refused before a request is sent', async (name) => {
    const result = await withToken(secrets.token, `--profile=${name}`);
    expect(result.exitCode).toBe(2);
    expect(service.requests).toEqual([]);
    expect(storedConfig().profiles).toEqual({});
  });
});
