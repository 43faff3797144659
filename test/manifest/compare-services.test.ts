import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { api } from '../../src/api/resources/index.ts';
import { runBoh } from '../harness/run-boh.ts';
import { serve } from '../harness/serve.ts';
import type { Change } from './workspace.ts';

type Lists = Record<string, readonly object[] | 'forbidden'>;

interface ComparisonResult {
  exitCode: number;
  changes: Change[];
  notCompared: string[];
  stderr: string;
}

/** Starts two services with these records, and compares them with `boh diff`. */
async function compare(from: Lists, to: Lists, ...flags: string[]): Promise<ComparisonResult> {
  const folder = mkdtempSync(join(tmpdir(), 'boh-two-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const env = { BOH_CONFIG_DIR: folder };
  for (const [name, lists] of Object.entries({ a: from, b: to })) {
    const responses = Object.entries(lists).map(([path, data]) => [
      `GET /${path}`,
      data === 'forbidden'
        ? [403, { message: 'This action is unauthorized.' }]
        : { data: data.map((row) => withAllFields(path, row)), meta: { last_page: 1, total: data.length } },
    ]);
    const emptyLists = api.collections.map((resource) => [
      `GET ${resource.path}`,
      { data: [], meta: { last_page: 1, total: 0 } },
    ]);
    const account = { user: { id: 'u', name: 'A' }, business: { id: name, name } };
    const service = await serve(
      Object.fromEntries([...emptyLists, ...responses, ['GET /whoami', { data: account }]]),
    );
    onTestFinished(() => service.close());
    const line = `auth login --with-token --base-url ${service.baseUrl} --profile ${name}`;
    expect(await runBoh(line.split(' '), { env, stdin: `token-${name}` })).toMatchObject({ exitCode: 0 });
  }
  const result = await runBoh(['diff', '--from', 'a', '--to', 'b', ...flags, '-o', 'json'], { env });
  const { changes = [], not_compared: notCompared = [] } =
    result.stdout === '' ? {} : JSON.parse(result.stdout);
  return { exitCode: result.exitCode, changes, notCompared, stderr: result.stderr };
}

const cash = { id: '1', name: 'Cash', code: 'CASH', type: 1, is_active: true, deleted_at: null };
const item = (id: string, name: string, fields: object = {}) => ({ id, sku: `SKU-${name}`, name, ...fields });
const flour = item('i1', 'Flour');
const recipe = (yieldPercentage: number | null, id = 'i1') =>
  item('i2', 'Bread', {
    ingredients: [{ id, name: 'Flour', pivot: { quantity: 250, yield_percentage: yieldPercentage } }],
  });

describe('boh diff --from A --to B: finds differences in', () => {
  test('payment methods of types that only the service creates', async () => {
    const otherMethods = [
      { ...cash, id: '2', name: 'Gift Card', code: 'GIFT', type: 4 },
      { ...cash, id: '3', name: 'House Account', code: 'HOUSE', type: 5 },
    ];
    const additional = await compare(
      { payment_methods: [cash, ...otherMethods] },
      { payment_methods: [cash] },
    );
    expect([additional.exitCode, additional.changes.map(({ action, key }) => [action, key])]).toEqual([
      10,
      [
        ['create', 'GIFT'],
        ['create', 'HOUSE'],
      ],
    ]);
    const comparison = await compare(
      { payment_methods: [cash] },
      { payment_methods: [cash, ...otherMethods] },
    );
    expect([comparison.exitCode, comparison.changes.map(({ action }) => action)]).toEqual([
      10,
      ['delete', 'delete'],
    ]);
  });

  test('the yield of an ingredient', async () => {
    const { exitCode, changes } = await compare(
      { inventory_items: [flour, recipe(90)] },
      { inventory_items: [{ ...flour, id: 'x1' }, recipe(80, 'x1')] },
    );
    const fields = { yield_percentage: { old: 80, new: 90 } };
    expect([exitCode, changes]).toMatchObject([
      10,
      [{ action: 'update', key: 'SKU-Bread', links: [{ action: 'update', key: 'SKU-Flour', fields }] }],
    ]);
  });

  test.each<[string, string, object, object]>([
    ['the branch levels of an item', 'inventory_items', branches('5'), branches('6')],
    ['the is_product flag of an item', 'inventory_items', { is_product: true }, { is_product: false }],
    ['a text that is empty on one side', 'inventory_items', { barcode: null }, { barcode: '123' }],
    ['a balance', 'customers', { house_account_balance: 5 }, { house_account_balance: 0 }],
    ['an address', 'addresses', { latitude: '24.7' }, { latitude: '24.8' }],
    ['a line of a count', 'inventory_counts', line({ quantity: 5 }), line({ quantity: 6 })],
    ['a variance', 'inventory_counts', line({ variance_cost: 5 }), line({ variance_cost: 6 })],
    ['a previous cost', 'cost_adjustments', line({ previous_cost_per_unit: 5 }), line({})],
    ['the status of an order', 'transfer_orders', { status: 1 }, { status: 2 }],
    ['the authorities of a role', 'roles', { authorities: ['menu:read'] }, { authorities: ['menu:manage'] }],
    ['the language of the owner', 'users', { is_owner: true, lang: 'en' }, { is_owner: true, lang: 'ar' }],
    ['a reward', 'loyalty_rewards', { amount: 5 }, { amount: 6 }],
    ['an option of a modifier', 'modifiers', option({ price: 2 }), option({ price: 3 })],
    ['the calories of an option', 'modifiers', option({ calories: 2 }), option({ calories: null })],
    ['a border', 'delivery_zones', { coordinates: [[1, 2]] }, { coordinates: [[1, 3]] }],
    ['a number beyond a double', 'taxes', { rate: 1e300 }, { rate: 1.1e300 }],
  ])('%s', async (_, path, fromFields, toFields) => {
    const row = { id: '1', name: 'A', reference: 'R', description: 'D' };
    const { exitCode, changes } = await compare(
      { [path]: [{ ...row, ...fromFields }] },
      { [path]: [{ ...row, id: '2', ...toFields }] },
    );
    expect([exitCode, changes]).toMatchObject([10, [{ action: 'update' }]]);
    const sameResult = await compare(
      { [path]: [{ ...row, ...fromFields }] },
      { [path]: [{ ...row, id: '2', ...fromFields, updated_at: '2026-11-20 08:00:00' }] },
    );
    expect([sameResult.exitCode, sameResult.changes]).toEqual([0, []]);
  });
});

describe('records without a unique key', () => {
  const tag = { name: 'VIP', type: 1, name_localized: null };

  test('with identical contents: are compared individually', async () => {
    const fromFields = [
      { ...tag, id: '1' },
      { ...tag, id: '2' },
      { ...tag, id: '3', type: 7 },
    ];
    const otherComparison = await compare({ tags: fromFields }, { tags: [fromFields[1] ?? {}] });
    expect([otherComparison.exitCode, otherComparison.changes.map(({ action }) => action)]).toEqual([
      10,
      ['create', 'create'],
    ]);
    const renamed = fromFields.with(1, { ...tag, id: '9', name_localized: 'كبار' } as never);
    const changed = await compare({ tags: fromFields }, { tags: renamed.toReversed() });
    expect(changed.changes).toMatchObject([
      { action: 'update', key: 'VIP', fields: { name_localized: { old: 'كبار', new: null } } },
    ]);
    expect(await compare({ tags: fromFields }, { tags: fromFields.toReversed() })).toMatchObject({
      exitCode: 0,
    });
  });

  test('without values: are counted', async () => {
    const empty = { id: '1', name: '', phone: null, email: null, is_blacklisted: false };
    const comparison = await compare({ customers: [empty, { ...empty, id: '2' }] }, { customers: [empty] });
    expect([comparison.exitCode, comparison.changes]).toMatchObject([10, [{ action: 'create' }]]);
  });
});

describe("records and fields that can't be compared", () => {
  test.each(['', '--resource=users,taxes'])(
    "a list that the token may not read: is reported, and the accounts aren't called identical %s",
    async (flag) => {
      const taxes = [{ id: '1', name: 'VAT', rate: 15 }];
      const comparison = await compare(
        { taxes, users: 'forbidden' },
        { taxes },
        ...(flag === '' ? [] : [flag]),
      );
      if (flag !== '')
        return expect([comparison.exitCode, comparison.stderr]).toEqual([
          4,
          expect.stringContaining('users.read'),
        ]);
      expect(comparison.exitCode).toBe(9);
      expect(comparison.notCompared).toEqual([
        'Not compared: users. The token of a may not list them (it needs the scope users.read).',
      ]);
      expect(comparison.stderr).toContain('identical in the compared fields');
    },
  );

  test("a field that one service doesn't return: is reported, and other differences determine the exit code", async () => {
    const [a, b] = [
      [{ id: '1', name: 'Menu', is_active: true, image: null }],
      [{ id: '2', name: 'Menu', image: null, is_active: undefined }],
    ];
    const comparison = await compare({ groups: a }, { groups: b });
    expect([comparison.exitCode, comparison.notCompared]).toEqual([
      9,
      ["Not compared: is_active of groups. b doesn't return it."],
    ]);
    const otherComparison = await compare({ groups: a }, { groups: [{ ...b[0], image: 'x' }] });
    expect([otherComparison.exitCode, otherComparison.notCompared.length]).toEqual([10, 1]);
  });
});

/**
 * Adds every field of the contract to a row, with an empty value as in responses. Fields that are undefined are omitted.
 */
function withAllFields(path: string, row: object): object {
  const fields = Object.entries(api.resource(path)?.fields ?? {});
  const isList = (kind: string) => ['many', 'objects', 'words', 'integers', 'ids'].includes(kind);
  return {
    ...Object.fromEntries(fields.map(([name, { kind }]) => [name, isList(kind) ? [] : null])),
    ...row,
  };
}

function branches(minimum: string): object {
  return { branches: [{ id: 'b', name: 'Riverside', pivot: { minimum_level: minimum } }] };
}

function line(pivot: object): object {
  return { items: [{ id: 'i', name: 'Flour', pivot }] };
}

function option(fields: object): object {
  return { options: [{ id: 'o', name: 'Tahini', ...fields }] };
}
