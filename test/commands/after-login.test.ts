/** `boh auth status`, `token`, `scopes`, `can` and `logout` use the stored token. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { api } from '../../src/api/resources/index.ts';
import { type AuthService, secrets, startAuthService } from '../cli/auth-service.ts';
import { failureOf, type RunOptions, runBoh } from '../harness/run-boh.ts';
import { temporaryFolders } from '../settings/temporary-folder.ts';
import { tokenWith } from './jwt.ts';

const newFolder = temporaryFolders();
let service: AuthService;
let folder: string;
beforeAll(async () => {
  service = await startAuthService();
});
beforeEach(async () => {
  service.reset();
  folder = newFolder();
});
afterAll(() => service.close());

function boh(line: string, { env = {}, stdin = '' }: RunOptions = {}) {
  return runBoh(line.split(' '), { env: { BOH_CONFIG_DIR: folder, ...env }, stdin });
}

async function signIn(token = secrets.token): Promise<void> {
  const result = await boh(`auth login --with-token --base-url ${service.baseUrl}`, { stdin: token });
  expect(result.exitCode, result.stderr).toBe(0);
  service.requests.length = 0;
}

describe('boh auth status', () => {
  it('shows the account of the token without sending a request', async () => {
    await signIn();
    const { exitCode, stdout } = await boh('auth status');
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      profile: 'default',
      base_url: service.baseUrl,
      sandbox: null,
      token_from: 'profile',
      business: 'The Diner',
      user: 'Sara Haddad',
      scopes: ['general.read', 'customers.list'],
      scopes_from: 'service',
      expires_at: null,
      checked: false,
    });
    expect(service.requests).toEqual([]);
  });

  it('shows the claims of a token, and warns if it has expired', async () => {
    const token = tokenWith({ scopes: ['users.read'], business: 'The Diner', exp: 1_600_000_000 });
    const env = { BOH_TOKEN: token, BOH_BASE_URL: service.baseUrl };
    const { stdout, stderr } = await boh('auth status', { env });
    expect(JSON.parse(stdout)).toMatchObject({
      profile: null,
      token_from: 'environment',
      business: 'The Diner',
      scopes: ['users.read'],
      scopes_from: 'token',
      expires_at: '2020-09-13T12:26:40.000Z',
    });
    expect(stderr).toContain('token has expired');
  });

  it('--check: sends one request, and updates the profile', async () => {
    await signIn();
    const data = { user: { name: 'Sara H.' }, business: { name: 'The Diner' }, scopes: ['users.read'] };
    service.whoami = { status: 200, body: JSON.stringify({ data }) };
    const status = JSON.parse((await boh('auth status --check')).stdout);
    expect(status).toMatchObject({ user: 'Sara H.', scopes: ['users.read'], checked: true });
    expect(service.requests).toEqual(['GET /whoami']);
    expect(JSON.parse((await boh('profiles show')).stdout)).toMatchObject({
      user: 'Sara H.',
      token_scopes: ['users.read'],
    });
  });

  it('--check with a refused token: exits with 3', async () => {
    await signIn();
    service.whoami = { status: 401, body: '{"message":"Unauthenticated."}' };
    const result = await boh('auth status --check');
    expect(result.exitCode).toBe(3);
    expect(result.stdout).toBe('');
    expect((await boh('auth status')).exitCode).toBe(0);
  });

  it('without a token: exits with 3', async () => {
    const result = await boh('auth status');
    expect(result.exitCode).toBe(3);
    expect(failureOf(result).hint).toContain('boh auth login');
  });

  it('-o table: shows a field in each line', async () => {
    await signIn();
    const { stdout } = await boh('auth status -o table');
    expect(stdout).toMatch(/^user:\s+Sara Haddad$/m);
    expect(stdout).toMatch(/^checked:\s+no$/m);
  });
});

describe('boh auth token', () => {
  it.each(['auth token', 'auth token -o json', 'auth token -o table'])(
    '%s prints only the token',
    async (line) => {
      await signIn();
      const { exitCode, stdout, stderr } = await boh(line);
      expect([exitCode, stdout, stderr]).toEqual([0, `${secrets.token}\n`, '']);
    },
  );

  it('prints BOH_TOKEN if BOH_BASE_URL is also set', async () => {
    await signIn();
    const env = { BOH_TOKEN: 'Bearer other', BOH_BASE_URL: service.baseUrl };
    const { stdout } = await boh('auth token', { env });
    expect(stdout).toBe('other\n');
  });

  it('prints no token if BOH_TOKEN is set without BOH_BASE_URL and the profile has a token', async () => {
    await signIn();
    const result = await boh('auth token', { env: { BOH_TOKEN: 'other' } });
    expect([result.exitCode, result.stdout]).toEqual([2, '']);
    expect(failureOf(result).hint).toContain('--profile default');
    expect((await boh('auth token --profile default', { env: { BOH_TOKEN: 'other' } })).stdout).toBe(
      `${secrets.token}\n`,
    );
  });

  it('prints nothing without a token', async () => {
    const { exitCode, stdout } = await boh('auth token');
    expect([exitCode, stdout]).toEqual([3, '']);
  });
});

describe('boh auth scopes', () => {
  it("compares each operation with the token's scopes", async () => {
    await signIn();
    const { exitCode, stdout, stderr } = await boh('auth scopes');
    expect(exitCode).toBe(0);
    const rows = JSON.parse(stdout);
    expect(rows).toHaveLength(api.operations.length);
    expect(rows).toContainEqual({
      resource: 'customers',
      verb: 'list',
      scopes: ['customers.list'],
      allowed: true,
    });
    expect(rows).toContainEqual({
      resource: 'payment-methods',
      verb: 'delete',
      scopes: ['admin.write', 'orders.limited.pay'],
      allowed: false,
    });
    expect(rows).toContainEqual({ resource: 'whoami', verb: 'get', scopes: [], allowed: true });
    expect(stderr).toMatch(
      new RegExp(`^The token allows \\d+ of ${api.operations.length} commands\\.$`, 'm'),
    );
    expect(service.requests).toEqual([]);
  });

  it('-o table: shows the missing scopes', async () => {
    await signIn();
    const { stdout } = await boh('auth scopes -o table');
    expect(stdout).toMatch(/^customers +✓ +✗ +✗ .*customers\.get, customers\.write, admin\.write/m);
  });

  it('requests unknown scopes from the service, once', async () => {
    const env = { BOH_TOKEN: 'opaque', BOH_BASE_URL: service.baseUrl };
    expect((await boh('auth scopes', { env })).exitCode).toBe(0);
    expect((await boh('auth scopes', { env })).exitCode).toBe(0);
    expect(service.requests).toEqual(['GET /whoami']);
  });
});

describe('boh auth can', () => {
  beforeEach(() => signIn());

  it.each([
    ['customers list', 'the token has the scope customers.list'],
    ['customer ls', 'the token has the scope customers.list'],
    ['whoami get', 'lists no scope'],
  ])('%s: is allowed, with the reason', async (command, message) => {
    const { exitCode, stdout, stderr } = await boh(`auth can ${command}`);
    expect([exitCode, stdout]).toEqual([0, '']);
    expect(stderr).toContain(message);
  });

  it('inventory-items delete: is not allowed, with the missing scope and its permissions', async () => {
    const result = await boh('auth can inventory-items delete');
    expect(result.exitCode).toBe(4);
    expect(failureOf(result)).toMatchObject({
      category: 'not_allowed',
      message:
        "No: `inventory-items delete` needs the scope inventory.settings.write, which the token doesn't have.",
      hint: 'inventory.settings.write: Change inventory items, their categories and suppliers.',
    });
  });

  it('payment-methods delete: is not allowed, with each sufficient scope', async () => {
    const result = await boh('auth can payment-methods delete');
    expect(result.exitCode).toBe(4);
    expect(failureOf(result).hint).toMatch(/^admin\.write: .*\norders\.limited\.pay: /);
  });

  it.each([
    ['customer fly', 'customers has no verb "fly".'],
    ['costumers list', 'Did you mean "customers"?'],
    ['addresses restore', 'addresses has no verb "restore".'],
  ])('%s: is refused, because it does not exist', async (command, message) => {
    const result = await boh(`auth can ${command}`);
    expect(result.exitCode).toBe(2);
    expect(failureOf(result).message).toContain(message);
  });

  it('names the fields that need a separate scope', async () => {
    await signIn(tokenWith({ scopes: [] }));
    const data = { scopes: ['customers.write', 'customers.loyalty.write'] };
    service.whoami = { status: 200, body: JSON.stringify({ data }) };
    await boh('auth status --check');
    const { exitCode, stderr } = await boh('auth can customers update');
    expect(exitCode).toBe(0);
    expect(stderr).toContain('needs customers.accounts.write');
    expect(stderr).not.toContain('needs customers.loyalty.write');
  });
});

describe('boh auth logout', () => {
  it('removes the token and its account, and keeps the settings', async () => {
    await signIn();
    const { exitCode, stderr } = await boh('auth logout');
    expect(exitCode).toBe(0);
    expect(stderr).toContain('until it is revoked there');
    expect(JSON.parse((await boh('profiles list')).stdout)).toMatchObject([
      { name: 'default', base_url: service.baseUrl, business: null, user: null, signed_in: false },
    ]);
    expect((await boh('customers list')).exitCode).toBe(3);
    expect(service.requests).toEqual([]);
    expect((await boh('auth logout')).stderr).toContain('was not signed in');
  });

  it('without a profile: exits with 2', async () => {
    expect((await boh('auth logout')).exitCode).toBe(2);
  });
});
