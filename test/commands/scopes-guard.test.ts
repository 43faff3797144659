/** Checks of scopes before a request: a command outside the stored scopes fails, and unknown scopes aren't requested. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Recorder, startRecorder } from '../harness/recorder.ts';
import { failureOf, runBoh } from '../harness/run-boh.ts';
import { temporaryFolders } from '../settings/temporary-folder.ts';
import { tokenWith } from './jwt.ts';

const newFolder = temporaryFolders();
const readOnly = ['general.read', 'customers.list', 'customers.get'];

let service: Recorder;
beforeAll(async () => {
  service = await startRecorder({ 'GET /whoami': { user: { id: 'me' }, scopes: readOnly } });
});
afterAll(() => service.close());

function boh(line: string, { token = 'opaque', folder = newFolder() } = {}) {
  return runBoh(line.split(' '), {
    // The history requests the account of a new token, which this service describes in another way.
    env: {
      ...{ BOH_TOKEN: token, BOH_BASE_URL: service.baseUrl, BOH_CONFIG_DIR: folder },
      BOH_HISTORY_JOURNAL: 'off',
    },
  });
}

const takeRequestLines = () => service.takeRequests().map(({ method, target }) => `${method} ${target}`);

describe('a token whose scopes are unknown', () => {
  it.each([
    ['customers list', 'GET /customers'],
    ['customers create --name Sara', 'POST /customers'],
    ['customers delete 7 --yes', 'DELETE /customers/7'],
  ])('sends exactly one request for %s', async (line, request) => {
    expect((await boh(line)).exitCode).toBe(0);
    expect(takeRequestLines()).toEqual([request]);
  });

  it('stores nothing in the cache', async () => {
    const folder = newFolder();
    await boh('customers list', { folder });
    expect(takeRequestLines()).toHaveLength(1);
    // The command deletes its temporary files, such as locks.
    const cache = join(folder, 'cache');
    expect(existsSync(cache) ? readdirSync(cache) : []).toEqual([]);
  });
});

describe('a token whose claims contain scopes', () => {
  const token = tokenWith({ scopes: ['customers.list', 'customers.write'], exp: 4_000_000_000 });

  it.each([
    ['customers get 7', 'customers.get'],
    ['suppliers list', 'inventory.settings.read'],
    ['suppliers create --name Farm', 'inventory.settings.write'],
    ['payment-methods delete 7 --yes', 'admin.write or orders.limited.pay'],
    ['inventory-items link-ingredient 1 2 --quantity 3', 'inventory.settings.write'],
    ['api GET /suppliers', 'inventory.settings.read'],
    ['api DELETE /inventory_items/1/branches/2', 'inventory.settings.write'],
    ['api GET /loyalty_rewards/1?order_id=2', 'customers.loyalty.write'],
  ])('%s: is refused before anything is sent, and the message contains %s', async (line, scope) => {
    const result = await boh(line, { token });
    expect(result.exitCode).toBe(4);
    expect(failureOf(result)).toMatchObject({
      category: 'not_allowed',
      message: expect.stringContaining(scope),
    });
    expect(takeRequestLines()).toEqual([]);
  });

  it('allows commands within its scopes, and whoami, which has no documented scope', async () => {
    expect((await boh('customers list', { token })).exitCode).toBe(0);
    expect((await boh('whoami', { token })).exitCode).toBe(0);
    expect(takeRequestLines()).toEqual(['GET /customers', 'GET /whoami']);
  });

  it('--unchecked: sends anyway', async () => {
    expect((await boh('suppliers list --unchecked', { token })).exitCode).toBe(0);
    expect(takeRequestLines()).toEqual(['GET /suppliers']);
  });

  it('reports all fields that need a separate scope', async () => {
    const result = await boh(
      'customers update 7 --name Sara --is-loyalty-enabled --no-is-house-account-enabled',
      { token },
    );
    expect(result.exitCode).toBe(4);
    expect(failureOf(result).fields).toEqual({
      is_loyalty_enabled: ['needs the scope customers.loyalty.write'],
      is_house_account_enabled: ['needs the scope customers.accounts.write'],
    });
    expect(takeRequestLines()).toEqual([]);
  });

  it("sends no lookup for a write that isn't allowed", async () => {
    const result = await boh('customers delete @Sara --yes', { token });
    expect(result.exitCode).toBe(4);
    expect(takeRequestLines()).toEqual([]);
  });

  it('allows only some values if a scope is limited', async () => {
    const limited = tokenWith({ scopes: ['orders.limited.pay'] });
    const cash = await boh('payment-methods create --name Cash --type cash', { token: limited });
    expect(cash.exitCode).toBe(4);
    expect(failureOf(cash).fields).toEqual({ type: ['needs the scope admin.write'] });
    expect((await boh('payment-methods create --name Wallet --type 7', { token: limited })).exitCode).toBe(0);
    expect(takeRequestLines()).toEqual(['POST /payment_methods']);
  });

  it.each([[[]], [['*']], ['everything'], [undefined], [{ a: 1 }]])(
    'scopes %j in the claims: are treated as unknown',
    async (scopes) => {
      const unusualToken = tokenWith({ scopes: scopes === 'everything' ? 7 : scopes });
      expect((await boh('suppliers list', { token: unusualToken })).exitCode).toBe(0);
      expect(takeRequestLines()).toEqual(['GET /suppliers']);
    },
  );
});

describe('the response of whoami', () => {
  it("is used for ten minutes, only for this token, and takes precedence over the token's claims", async () => {
    const folder = newFolder();
    const tokenWithClaims = tokenWith({ scopes: ['inventory.settings.read'] });
    for (const token of ['first', tokenWithClaims]) {
      expect((await boh('whoami', { token, folder })).exitCode).toBe(0);
      expect((await boh('suppliers list', { token, folder })).exitCode).toBe(4);
      expect((await boh('customers list', { token, folder })).exitCode).toBe(0);
    }
    expect((await boh('suppliers list', { token: 'second', folder })).exitCode).toBe(0);
    expect(takeRequestLines()).toEqual([
      'GET /whoami',
      'GET /customers',
      'GET /whoami',
      'GET /customers',
      'GET /suppliers',
    ]);
  });

  it('is cached without the token', async () => {
    const folder = newFolder();
    await boh('whoami', { token: 'CANARY', folder });
    service.takeRequests();
    const text = readFileSync(join(folder, 'cache', 'whoami.json'), 'utf8');
    expect(Object.values(JSON.parse(text))).toEqual([{ at: expect.any(Number), content: readOnly }]);
    expect(text).not.toContain('CANARY');
  });
});
