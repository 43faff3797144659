/** Checks the output, the changes and the errors of the commands that manage sandboxes. */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { failureOf, runBoh } from '../harness/run-boh.ts';
import { spawnBoh } from '../harness/spawn-boh.ts';

/** The demo business is created once; each test begins with a copy. */
const template = mkdtempSync(join(tmpdir(), 'boh-template-'));
beforeAll(async () => {
  await runBoh(['sandbox', 'status'], { env: { BOH_CONFIG_DIR: template } });
});
afterAll(() => rmSync(template, { recursive: true, force: true, maxRetries: 10 }));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'boh-commands-'));
  cpSync(template, folder, { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));

const boh = (...argv: string[]) => runBoh(argv, { env: { BOH_CONFIG_DIR: folder } });
const sandbox = (...argv: string[]) => boh('sandbox', ...argv);
const json = async (...argv: string[]) => JSON.parse((await boh(...argv)).stdout);

describe('boh sandbox token', () => {
  it('prints only the token, with and without --scopes', async () => {
    const { stdout, stderr } = await sandbox('token', '--scopes', 'customers.list,users.read');
    expect([stdout.trim(), stderr]).toEqual([expect.stringMatching(/^[\w-]{43}$/), '']);
    expect((await sandbox('token')).stdout).toMatch(/^[\w-]{43}\n$/);
  });

  it('--user: prints a token of another user', async () => {
    expect((await sandbox('token', '--user', '@Omar Nasser')).exitCode).toBe(0);
    expect((await sandbox('token', '--user', 'nobody')).exitCode).toBe(2);
    expect((await sandbox('token', '--user', '@Nobody')).exitCode).toBe(5);
  });

  it('an unknown scope: the error suggests the right one', async () => {
    const failedResult = await sandbox('token', '--scopes', 'customer.list');
    expect(failedResult.exitCode).toBe(2);
    expect(failureOf(failedResult).message).toContain('Did you mean "customers.list"?');
  });
});

describe('boh sandbox status and reset', () => {
  it('reset: restores the demo business, or deletes all records with --empty; status: counts the records', async () => {
    await boh('--sandbox', 'suppliers', 'create', '--name', 'Temporary');
    const before = await json('sandbox', 'status');
    expect(before).toMatchObject({ name: 'default', fault_rules: 0, clock: { is_frozen: false } });
    expect((await sandbox('reset', '--yes')).exitCode).toBe(0);
    const after = await json('sandbox', 'status');
    expect(after.records.suppliers.active).toBe(before.records.suppliers.active - 1);
    await sandbox('reset', '--yes', '--empty');
    expect((await json('sandbox', 'status')).records.customers).toEqual({ active: 0, deleted: 0 });
  });

  it.each([
    'status',
    'check',
    'token',
    'clock',
    'clock freeze',
    'settings',
    'events',
    'snapshot save s1',
    'faults show',
  ])('%s --name: refuses a sandbox that does not exist', async (line) => {
    const result = await sandbox(...line.split(' '), '--name', 'wrong');
    expect([result.exitCode, result.stdout]).toEqual([2, '']);
    expect(failureOf(result)).toMatchObject({
      message: 'Sandbox "wrong" not found.',
      hint: 'To create it: boh sandbox reset --name wrong',
    });
    expect((await sandbox('check', '--name', 'wrong')).exitCode).toBe(2);
  });

  it('reset --name: says that it created the sandbox', async () => {
    expect((await sandbox('reset', '--name', 'new')).stderr).toContain('Created the sandbox "new"');
    expect((await sandbox('status', '--name', 'new')).exitCode).toBe(0);
  });

  it('clock: shows the time', async () => {
    expect(await json('sandbox', 'clock')).toMatchObject({ now: expect.any(String), is_frozen: false });
  });

  it('reset --name: changes only the named sandbox', async () => {
    await sandbox('reset', '--empty', '--name', 'other');
    expect((await json('sandbox', 'status')).records.customers.active).toBe(200);
    expect((await json('sandbox', 'status', '--name', 'other')).records.customers.active).toBe(0);
  });

  it('without a name: use the sandbox of the active profile, or BOH_SANDBOX', async () => {
    const withEnv = (env: Record<string, string>, ...argv: string[]) =>
      runBoh(argv, { env: { BOH_CONFIG_DIR: folder, ...env } });
    await withEnv({ BOH_SANDBOX: 'rehearsal' }, 'profiles', 'add', 'mine', '--sandbox');
    await boh('profiles', 'use', 'mine');
    const nameOf = async (env: Record<string, string>, ...argv: string[]) =>
      JSON.parse((await withEnv(env, ...argv, 'sandbox', 'status')).stdout).name;
    expect(await nameOf({})).toBe('rehearsal');
    expect(await nameOf({ BOH_SANDBOX: 'other' })).toBe('other');
    expect(await nameOf({}, '--sandbox')).toBe('default');
    expect((await json('sandbox', 'status', '--name', 'other')).name).toBe('other');
    await boh('sandbox', 'reset', '--empty', '--yes');
    expect(await json('suppliers', 'list')).toEqual([]);
    expect((await json('--sandbox', 'suppliers', 'list')).length).toBeGreaterThan(0);
  });

  it('reset without --yes and a terminal: is refused', async () => {
    const before = await json('sandbox', 'status');
    const result = await sandbox('reset');
    expect([result.exitCode, failureOf(result).message]).toEqual([2, expect.stringContaining('add --yes')]);
    expect(await json('sandbox', 'status')).toMatchObject({ records: before.records });
  });

  it('a damaged file: reset renames it', async () => {
    const { file } = await json('sandbox', 'status');
    for (const suffix of ['-wal', '-shm']) rmSync(file + suffix, { force: true });
    writeFileSync(file, 'no sandbox'.repeat(1000));
    const failedResult = await sandbox('status');
    expect([failedResult.exitCode, failureOf(failedResult).hint]).toEqual([
      8,
      expect.stringContaining('boh sandbox reset'),
    ]);
    const reset = await sandbox('reset', '--yes');
    expect([reset.exitCode, reset.stderr]).toEqual([0, expect.stringContaining('.aside')]);
    expect((await sandbox('status')).exitCode).toBe(0);
  });
});

describe('boh sandbox clock', () => {
  it('freeze, advance, set and unfreeze: change the time', async () => {
    expect(await json('sandbox', 'clock', 'freeze', '2030-02-28 23:59:50')).toMatchObject({
      now: '2030-02-28 23:59:50',
      is_frozen: true,
    });
    expect(await json('sandbox', 'clock', 'advance', '10s')).toMatchObject({ now: '2030-03-01 00:00:00' });
    expect(await json('sandbox', 'clock', 'advance', '1d2h')).toMatchObject({ now: '2030-03-02 02:00:00' });
    expect(await json('sandbox', 'clock', 'set', '2031-01-01')).toMatchObject({
      now: '2031-01-01 00:00:00',
      is_frozen: true,
    });
    expect(await json('sandbox', 'clock', 'unfreeze')).toMatchObject({ is_frozen: false });
    expect(await json('sandbox', 'clock', 'reset')).toMatchObject({ is_frozen: false, ahead_seconds: 0 });
  });

  it('freeze: sets the timestamps of new records', async () => {
    await sandbox('clock', 'freeze', '2030-01-02 03:04:05');
    const supplier = await json('--sandbox', 'suppliers', 'create', '--name', 'Later');
    expect(supplier.created_at).toBe('2030-01-02 03:04:05');
  });

  it.each([
    ['set', 'someday'],
    ['set', '2026-02-30'],
    ['set', '7d'],
    ['advance', '26'],
    ['advance', 'h'],
  ])('%s %s: is refused', async (change, value) => {
    expect((await sandbox('clock', change, value)).exitCode).toBe(2);
  });
});

describe('orders, returns and loyalty', () => {
  it('order and return: change the points of a customer, which become a reward after a delay', async () => {
    const createCustomer = ['customers', 'create', '--name', 'Regular', '--is-loyalty-enabled'];
    const customer = await json('--sandbox', ...createCustomer);
    await sandbox('settings', 'loyaltyRewardMinimum=100', 'loyaltyDelayInHours=24');
    const order = await json('sandbox', 'order', '--customer', customer.id, '--total', '150');
    expect(order).toEqual({ id: expect.any(String), loyalty_transaction_id: expect.any(String) });
    const orderReturn = await json('sandbox', 'return', order.id, '--amount', '40');
    expect(orderReturn.order_id).toBe(order.id);
    const balance = async () => (await json('--sandbox', 'customers', 'get', customer.id)).loyalty_balance;
    expect(await balance()).toBe(110);
    const rewards = () => json('--sandbox', 'loyalty-rewards', 'list', '--customer-id', customer.id);
    expect(await rewards()).toEqual([]);
    await sandbox('clock', 'advance', '25h');
    expect(await rewards()).toHaveLength(1);
    expect(await balance()).toBe(0);
  });

  it('--product and --price: the order has these products, and their sum as its price', async () => {
    const customer = await json(
      '--sandbox',
      'customers',
      'create',
      '--name',
      'Regular',
      '--is-loyalty-enabled',
    );
    const flags = [
      '--customer',
      customer.id,
      '--product',
      '@Mixed Grill=2',
      '--product',
      '@Hummus',
      '--price',
      '50',
    ];
    const { id } = await json('sandbox', 'order', ...flags);
    const balance = (await json('--sandbox', 'customers', 'get', customer.id)).loyalty_balance;
    expect([id, balance]).toEqual([expect.any(String), 150]);
    const results = await Promise.all([
      sandbox('order', '--customer', customer.id, '--product', 'nothing', '--price', '1'),
      sandbox('order', '--customer', customer.id, '--product', '@Nothing', '--price', '1'),
      sandbox('order', '--customer', customer.id, '--product', '@Hummus'),
      sandbox('order', '--customer', customer.id, '--product', '@Hummus', '--price', '1', '--price', '2'),
    ]);
    expect(results.map(({ exitCode }) => exitCode)).toEqual([2, 5, 2, 2]);
  });

  it('--at: dates an order in the past', async () => {
    await sandbox('clock', 'freeze', '2030-05-05 12:00:00');
    await sandbox('order', '--customer', '@Huda Al-Amin', '--total', '10', '--at', '3h');
    const customer = await json('--sandbox', 'customers', 'get', '@Huda Al-Amin');
    expect(customer.last_order_at).toBe('2030-05-05 09:00:00');
  });

  it.each([
    [['order', '--customer', 'nobody', '--total', '1'], 2],
    [['order', '--customer', '@Nobody', '--total', '1'], 5],
    [['order', '--customer', '@Huda Al-Amin', '--total', 'much'], 2],
    [['order', '--customer', '@Huda Al-Amin', '--total', '-1'], 2],
    [['order', '--customer', '@Huda Al-Amin'], 2],
    [['order', '--customer', '@Huda Al-Amin', '--total', '1', '--at', 'noon'], 2],
    [['return', 'nothing', '--amount', '1'], 2],
    [['return', 'order-1', '--amount', '1000000'], 2],
  ])('%j: exits with %i', async (argv, exitCode) => {
    expect((await sandbox(...argv)).exitCode).toBe(exitCode);
  });
});

describe('boh sandbox settings', () => {
  it('NAME=VALUE and set NAME VALUE: change settings', async () => {
    await sandbox('settings', 'loyaltyDelayInHours=0');
    await sandbox('settings', 'set', 'loyaltyMinimumOrderPrice', '12.5');
    expect(await json('sandbox', 'settings')).toMatchObject({
      loyaltyDelayInHours: 0,
      loyaltyMinimumOrderPrice: 12.5,
    });
  });

  it.each([[['loyaltyDelay=1']], [['loyaltyDelayInHours=soon']], [['loyaltyDelayInHours']]])(
    '%j: is refused, and the settings stay unchanged',
    async (changes) => {
      const before = await json('sandbox', 'settings');
      expect((await sandbox('settings', 'loyaltyRewardMinimum=1', ...changes)).exitCode).toBe(2);
      expect(await json('sandbox', 'settings')).toEqual(before);
    },
  );
});

describe('boh sandbox events', () => {
  it('shows the events of a type, and refuses an unknown type', async () => {
    await sandbox(
      'stock',
      'purchasing',
      '--branch',
      'branch-riverside',
      '--item',
      '@SKU-001',
      '--quantity',
      '12',
    );
    const type = 'new_purchasing_inventory_transaction';
    const [event] = await json('sandbox', 'events', '--type', type);
    expect(event).toMatchObject({ type, branch: { id: 'branch-riverside' }, notified: expect.any(String) });
    expect((await sandbox('events', '--type', 'party')).exitCode).toBe(2);
  });

  it('--follow: prints a line for each event until it is stopped', async () => {
    const type = 'new_production_inventory_transaction';
    const env = { BOH_CONFIG_DIR: folder };
    await sandbox('status');
    const follower = spawnBoh(['sandbox', 'events', '--follow', '--type', type], { env, killOnOutput: '\n' });
    await sandbox(
      'stock',
      'production',
      '--branch',
      'branch-riverside',
      '--item',
      '@SKU-001',
      '--quantity',
      '1',
    );
    const { exitCode, stdout } = await follower;
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ type });
  });
});

describe('boh sandbox snapshot', () => {
  it('saves, lists, restores and deletes snapshots', async () => {
    await sandbox('snapshot', 'save', 'base');
    await boh('--sandbox', 'suppliers', 'create', '--name', 'After');
    expect(await json('sandbox', 'snapshot', 'list')).toMatchObject([{ name: 'base' }]);
    expect((await sandbox('snapshot', 'save', 'base')).exitCode).toBe(2);
    expect((await sandbox('snapshot', 'restore', 'base', '--yes')).exitCode).toBe(0);
    const suppliers = await json('--sandbox', 'suppliers', 'list', '--name', 'After');
    expect(suppliers).toEqual([]);
    expect((await sandbox('snapshot', 'save', 'base', '--yes')).exitCode).toBe(0);
    expect((await sandbox('snapshot', 'delete', 'base', '--yes')).exitCode).toBe(0);
    expect((await sandbox('snapshot', 'restore', 'base')).exitCode).toBe(5);
    expect((await sandbox('snapshot', 'delete', 'base')).exitCode).toBe(5);
  });

  it('restore and delete without --yes and a terminal: are refused', async () => {
    await sandbox('snapshot', 'save', 'base');
    await boh('--sandbox', 'suppliers', 'create', '--name', 'Since');
    for (const action of ['restore', 'delete']) {
      const { exitCode, stderr } = await sandbox('snapshot', action, 'base');
      expect(exitCode).toBe(2);
      expect(stderr).toContain('add --yes');
    }
    expect(await json('sandbox', 'snapshot', 'list')).toMatchObject([{ name: 'base' }]);
    expect(await json('--sandbox', 'suppliers', 'list', '--name', 'Since')).toHaveLength(1);
  });
});

describe('boh sandbox faults', () => {
  it('set, show and clear: change and print the rules', async () => {
    const file = join(folder, 'plan.yaml');
    writeFileSync(file, 'seed: 3\nrules:\n  - {route: GET /taxes, fault: status, status: 500}\n');
    expect((await sandbox('faults', 'set', file)).exitCode).toBe(0);
    expect(await json('sandbox', 'faults', 'show')).toMatchObject({ seed: 3, rules: [{ status: 500 }] });
    await sandbox('faults', 'set', file, '--seed', '9');
    expect(await json('sandbox', 'faults', 'show')).toMatchObject({ seed: 9 });
    await sandbox('faults', 'clear');
    expect(await json('sandbox', 'faults', 'show')).toBeNull();
  });

  it.each([
    [['set']],
    [['set', 'no-such-file']],
    [['set', '--rule', 'flood']],
    [['set', '--rule', '{}', '--seed', 'x']],
  ])('%j: is refused', async (argv) => {
    expect((await sandbox('faults', ...argv)).exitCode).toBe(2);
    expect(await json('sandbox', 'faults', 'show')).toBeNull();
  });
});

describe('boh openapi', () => {
  it('prints JSON, or YAML with -o yaml', async () => {
    expect(await json('openapi')).toMatchObject({ openapi: '3.1.0' });
    const yaml = (await boh('openapi', '-o', 'yaml')).stdout;
    expect(yaml).toMatch(/^openapi: 3\.1\.0\n/);
  });

  it('--base-url and --api-prefix: set the URLs of the document', async () => {
    const document = await json('openapi', '--base-url', 'https://api.example.com', '--api-prefix', '/v5');
    expect(document.servers).toEqual([{ url: 'https://api.example.com/v5' }]);
    const { tokenUrl } = document.components.securitySchemes.oauth.flows.authorizationCode;
    expect(tokenUrl).toBe('https://api.example.com/oauth/token');
  });
});
