import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { createWorkspace, type Workspace } from './sandbox-workspace.ts';

let workspace: Workspace;
const ids: Record<string, string> = {};
const file = (name: string) => join(workspace.config, name);

beforeAll(async () => {
  workspace = createWorkspace();
  const firstRecord = async (resource: string, ...filters: string[]) =>
    (await workspace.json(resource, 'list', ...filters, '--limit', '1'))[0].id;
  ids.COUNT = await firstRecord('inventory-counts', '--status', 'draft');
  ids.ORDER = await firstRecord('transfer-orders', '--status', 'draft');
  ids.REWARD = await firstRecord('loyalty-rewards');
  ids.ADDRESS = await firstRecord('addresses');
  const [{ email }] = await workspace.json('users', 'list', '--limit', '1');
  writeFileSync(file('pins.csv'), `email,pin\n${email},59038271\n`);
  ids.ITEM = (await workspace.json('inventory-items', 'list', '--limit', '1'))[0].id;
  ids.BARE = (await workspace.json('addresses', 'create', '--name', 'Bare')).id;
  writeFileSync(file('closed.csv'), `status,branch_id,items\nclosed,branch-riverside,${ids.ITEM}=3\n`);
  writeFileSync(file('bare.csv'), `id,customer_id\n${ids.BARE},customer-1\n`);
  writeFileSync(
    file('closed.yaml'),
    `cost_adjustments:\n  - {reference: CA-9, status: closed, branch: branch-riverside, items: [{id: ${ids.ITEM}, cost_per_unit: 3}]}\n`,
  );
  writeFileSync(file('gone.csv'), `id,_command\n${ids.ADDRESS},delete\n`);
});

const counts = "Inventory counts can't be restored.";
const addresses = "Addresses can't be restored.";
const pin = "The current PIN can't be read. Changing it can't be undone.";
const takesEffect = (noun: string) => `With this status, the ${noun} takes effect. This can't be undone.`;
const redeemed = "The loyalty reward will stay redeemed. This can't be undone.";
const newTakesEffect = (noun: string) =>
  `With this status, the new ${noun} takes effect immediately. This can't be undone.`;
const cannotReopen =
  "A transfer order with this status can't return to an earlier status. This can't be undone.";
const leavesCategory =
  "The gift card products are removed from their current category. This can't be undone.";
const noCustomer = "Once set, customer_id of an address can't be cleared. This can't be undone.";
const adjustment = '{"status":2,"branch_id":"branch-riverside","items":[{"id":"$ITEM","cost_per_unit":3}]}';
const unknown = "This request can't be undone: its changes are unknown.";

/** Replaces `$NAME` with an id and `@NAME` with a file. */
const irreversibleLines: [line: string, sentence: string][] = [
  ['inventory-counts delete $COUNT', counts],
  ['inventory-counts delete $COUNT other', counts],
  ['inventory-counts delete --where status=draft --max-deletes 100%', counts],
  ['inventory-counts update $COUNT --status closed', takesEffect('inventory count')],
  ['inventory-counts update $COUNT other --status closed', takesEffect('inventory count')],
  ['inventory-counts update --where status=draft --status closed', takesEffect('inventory count')],
  ['transfer-orders update $ORDER --status closed', takesEffect('transfer order')],
  [
    'cost-adjustments create --status closed --branch-id branch-riverside --items $ITEM=3',
    newTakesEffect('cost adjustment'),
  ],
  [`cost-adjustments create --data ${adjustment}`, newTakesEffect('cost adjustment')],
  [`api POST /cost_adjustments --data ${adjustment}`, newTakesEffect('cost adjustment')],
  [
    'inventory-counts upsert --key notes --notes IC-9 --status closed --branch-id branch-riverside --items $ITEM=3',
    newTakesEffect('inventory count'),
  ],
  [
    'inventory-counts create --if-missing --key notes --notes IC-9 --status closed --branch-id branch-riverside --items $ITEM=3',
    newTakesEffect('inventory count'),
  ],
  ['inventory-counts import @closed.csv --mode create', newTakesEffect('inventory count')],
  ['transfer-orders update $ORDER --status opened', cannotReopen],
  ['transfer-orders update --where id=$ORDER --status opened', cannotReopen],
  ['categories update category-1 --gift-card-products @GIFT-100', leavesCategory],
  ['categories update category-1 --add-gift-card-products @GIFT-100', leavesCategory],
  ['categories update --where id=category-1 --gift-card-products gift-card-product-1', leavesCategory],
  ['addresses import @bare.csv', noCustomer],
  ['users update user-1 --data {"pin":"59038271"}', pin],
  ['users import @pins.csv --key email', pin],
  ['addresses import @gone.csv', addresses],
  ['loyalty-rewards redeem $REWARD --order-id order-1', redeemed],
  ['api DELETE /addresses/$ADDRESS', addresses],
  ['api PUT /users/user-1 --data {"pin":"59038271"}', pin],
  ['api POST /elsewhere --data {}', unknown],
];

const argumentsOf = (line: string) =>
  line
    .split(' ')
    .map((word) =>
      word
        .replace(/\$([A-Z]+)/, (_, name) => ids[name] ?? '')
        .replace(/^@(.*\.\w+)$/, (_, name) => file(name)),
    );

describe('a dry run of an irreversible write: announces it once', () => {
  test.each(irreversibleLines)('%s', async (line, sentence) => {
    const result = await workspace.boh(...argumentsOf(line), '--dry-run');
    expect([result.exitCode, result.stderr]).toEqual([0, expect.stringContaining(sentence)]);
    expect(result.stderr.split(sentence)).toHaveLength(2);
    const announcesNothing = await workspace.boh(...argumentsOf(line), '--dry-run', '-q');
    expect([announcesNothing.stdout, announcesNothing.stderr]).toEqual([
      result.stdout,
      expect.not.stringContaining(sentence),
    ]);
    expect(result.stdout).not.toContain(sentence);
  });

  test('a dry run of a reversible write or a read: announces nothing', async () => {
    for (const line of [
      'suppliers delete supplier-1',
      'suppliers update supplier-1 --phone 1',
      'inventory-counts update $COUNT --status draft',
      'users update user-1 --name X',
      'suppliers create --name Zed',
      'api PUT /suppliers/supplier-1 --data {"phone":"1"}',
      'api GET /elsewhere',
    ]) {
      const result = await workspace.boh(...argumentsOf(line), '--dry-run');
      expect([line, result.exitCode, result.stderr]).toEqual([
        line,
        0,
        expect.not.stringMatching(/undone|brought/),
      ]);
    }
  });
});

describe('an irreversible write: is announced once before it is sent', () => {
  test('by a bulk run', async () => {
    const separateWorkspace = createWorkspace();
    const result = await separateWorkspace.boh(
      ...'inventory-counts update --where status=draft --status closed --yes -v'.split(' '),
    );
    expect(result.exitCode).toBe(0);
    const [before = '', ...after] = result.stderr.split(takesEffect('inventory count'));
    expect(before).not.toMatch(/^PUT /m);
    expect(after).toHaveLength(1);
    expect(after[0]).toMatch(/^PUT /m);
  });

  test('by api, for requests inside and outside of the contract', async () => {
    const result = await workspace.boh(...argumentsOf('api PUT /users/user-1 --data {"pin":"59038271"} -v'));
    expect(result.stderr).toMatch(new RegExp(`${pin}[\\s\\S]*PUT /users/user-1`));
    const unknownRequest = await workspace.boh(...argumentsOf('api POST /elsewhere --data {} -v'));
    expect([unknownRequest.exitCode, unknownRequest.stderr]).toEqual([5, expect.stringContaining(unknown)]);
  });
});

test('plan and apply with irreversible changes: announce them; diff does not', async () => {
  const separateWorkspace = createWorkspace();
  const manifest = join(separateWorkspace.config, 'counts.yaml');
  writeFileSync(manifest, 'inventory_counts:\n  - reference: IC-0001\n    status: closed\n');
  const sentence = takesEffect('inventory count');
  const [plan, dry, diff] = [
    await separateWorkspace.boh('plan', manifest),
    await separateWorkspace.boh('apply', manifest, '--dry-run'),
    await separateWorkspace.boh('diff', manifest),
  ];
  expect([plan.exitCode, plan.stderr]).toEqual([0, expect.stringContaining(sentence)]);
  expect([dry.exitCode, dry.stderr, dry.stdout]).toEqual([0, expect.stringContaining(sentence), plan.stdout]);
  expect([diff.exitCode, diff.stderr]).toEqual([10, expect.not.stringContaining(sentence)]);
  const applyResult = await separateWorkspace.boh('apply', manifest, '--yes', '-v');
  expect(applyResult.stderr).toMatch(new RegExp(`${sentence}[^]*PUT /inventory_counts`));
  expect(applyResult.stderr.split(sentence)).toHaveLength(2);
});
