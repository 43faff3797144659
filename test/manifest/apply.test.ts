import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { accountFile } from '../harness/account-folder.ts';
import { failureOf } from '../harness/run-boh.ts';
import { openManifestWorkspace } from './workspace.ts';

interface Outcome {
  key: string;
  outcome: string;
  error: { message: string } | null;
}

function rowsOf({ stdout }: { stdout: string }): Outcome[] {
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

interface NamedRecord {
  id: string;
  name: string;
}

describe('boh apply', () => {
  it('creates a record with links without reading it for each link, and undo deletes the record and its links', async () => {
    const workspace = await openManifestWorkspace();
    const items = [1, 2, 3].map((number) => ({
      item: `SKU-00${number}`,
      order_unit: 'box',
      order_to_storage_factor: number,
    }));
    workspace.write('suppliers.json', JSON.stringify([{ name: 'New House', items }]));
    const applyResult = await workspace.boh('apply @/suppliers.json --yes -v');
    expect(applyResult.exitCode, applyResult.stderr).toBe(0);
    const requests = applyResult.stderr.match(/^(GET|POST) \/suppliers\/.*$/gm) ?? [];
    expect(requests.map((line) => line.split(' ')[0])).toEqual(['POST', 'POST', 'POST']);
    const [link] = await workspace.json<{ ids: string[]; before: unknown }[]>('history --limit 1');
    expect(link?.before).toEqual({ id: link?.ids[0], items: [] });
    const undoResult = await workspace.boh('undo --last --yes');
    expect(undoResult.exitCode, undoResult.stderr).toBe(0);
    const remainingSuppliers = await workspace.json<{ name: string }[]>('suppliers list --all');
    expect(remainingSuppliers.map(({ name }) => name)).not.toContain('New House');
  });

  it('creates records that refer to each other in any order, such as users with roles, and groups in groups', async () => {
    const workspace = await openManifestWorkspace({ isEmpty: true });
    workspace.write(
      'a.yaml',
      `users:
  - { name: Sara, number: "10", lang: en, roles: [Keeper], tags: [Staff] }
roles:
  - { name: Keeper, users: [Sara] }
groups:
  - { name: All Day, subgroups: [Drinks, Food] }
  - { name: Drinks, subgroups: [Food] }
  - { name: Food, subgroups: [] }
tags:
  - { name: Staff, type: user }
taxes:
  - { name: VAT, rate: 15, tax_groups: [Standard] }
tax-groups:
  - { name: Standard, taxes: [VAT] }
inventory-items:
  - { sku: MIX, name: Mix, storage_unit: kg, ingredient_unit: g, storage_to_ingredient_factor: 1000, costing_method: fixed cost, ingredients: [{ ingredient: SALT, quantity: 5 }] }
  - { sku: SALT, name: Salt, storage_unit: kg, ingredient_unit: g, storage_to_ingredient_factor: 1000, costing_method: fixed cost }
`,
    );
    const result = await workspace.boh('apply @/a.yaml --yes --outputs @/ids.json');
    expect(result.exitCode, result.stderr).toBe(0);
    expect(await workspace.changes('@/a.yaml')).toEqual([]);
    const ids = JSON.parse(workspace.read('ids.json'));
    expect(Object.keys(ids).sort()).toEqual([
      'groups',
      'inventory-items',
      'roles',
      'tags',
      'tax-groups',
      'taxes',
      'users',
    ]);
    const [sara] = await workspace.json<NamedRecord[]>('users list --filter number=10');
    expect(ids.users).toEqual({ 10: sara?.id });
  });

  it('prints an empty list without changes, and CSV with the same header', async () => {
    const workspace = await openManifestWorkspace();
    workspace.write('a.yaml', 'tags:\n  - { name: Once, type: customer }\n');
    const rows = async (format: string) => (await workspace.boh(`apply @/a.yaml --yes -o ${format}`)).stdout;
    expect(JSON.parse(await rows('json'))).toMatchObject([{ key: 'Once', outcome: 'done' }]);
    expect(JSON.parse(await rows('json'))).toEqual([]);
    expect(await rows('ndjson')).toBe('');
    expect(await rows('csv')).toBe('resource,line,key,action,id,outcome,error\r\n');
  });

  it('without a terminal and without --yes: sends nothing', async () => {
    const workspace = await openManifestWorkspace();
    workspace.write('a.yaml', 'tags:\n  - { name: A, type: customer }\n  - { name: B, type: customer }\n');
    const result = await workspace.boh('apply @/a.yaml');
    expect(result.exitCode).toBe(2);
    expect(result.stderr).toContain('--yes');
    expect(await workspace.changes('@/a.yaml')).toHaveLength(2);
    const dryRunResult = await workspace.boh('apply @/a.yaml --dry-run -o json');
    expect(JSON.parse(dryRunResult.stdout).changes).toHaveLength(2);
    expect(await workspace.changes('@/a.yaml')).toHaveLength(2);
  });

  it("after a refused record: continues with records that don't depend on it, and a second apply writes the rest", async () => {
    const workspace = await openManifestWorkspace();
    workspace.write(
      'a.yaml',
      `delivery-zones:
  - { $key: [name], name: Twice, reference: ZONE-NORTH }
  - { name: Other, reference: ZONE-Y }
users:
  - { name: Too Many, number: "5000", lang: en, notifications: [new_transfer_order] }
addresses:
  - { $key: [name, customer], name: Here, customer: Huda Al-Amin, delivery_zone: Twice }
  - { $key: [name, customer], name: There, customer: Huda Al-Amin, delivery_zone: ZONE-Y }
`,
    );
    const firstApply = await workspace.boh('apply @/a.yaml --yes');
    expect(firstApply.exitCode).toBe(9);
    expect(firstApply.stderr).toMatch(/2 failed; 3 done/);
    const outcomes = rowsOf(firstApply).map(({ key, outcome, error }) => [
      key,
      outcome,
      error?.message ?? null,
    ]);
    expect(outcomes).toContainEqual([
      'Here, Huda Al-Amin',
      'failed',
      expect.stringContaining('depends on delivery-zones Twice'),
    ]);
    expect(outcomes.filter(([, outcome]) => outcome === 'done')).toHaveLength(3);
    expect(await workspace.changes('@/a.yaml')).toHaveLength(2);
    workspace.write('a.yaml', workspace.read('a.yaml').replace('ZONE-NORTH', 'ZONE-X'));
    const secondApply = await workspace.boh('apply @/a.yaml --yes');
    expect(secondApply.exitCode, secondApply.stderr).toBe(0);
    expect(await workspace.changes('@/a.yaml')).toEqual([]);
  });

  it('reads a secret from a variable when it creates a record, and never stores or compares it', async () => {
    const workspace = await openManifestWorkspace();
    workspace.write('a.yaml', `users:\n  - { name: Till, number: "70", lang: en, pin: "$\{TILL_PIN}" }\n`);
    const env = { TILL_PIN: '98761' };
    const result = await workspace.boh('apply @/a.yaml --yes -v', undefined, env);
    expect(result.exitCode, result.stderr).toBe(0);
    expect(result.stdout + result.stderr).not.toContain('98761');
    const log = readFileSync(accountFile(join(workspace.folder, '.config'), 'history.sqlite'));
    expect([log.includes('Till'), log.includes('98761')]).toEqual([true, false]);
    const [user] = await workspace.json<{ number: string }[]>(
      'users list --filter number=70 --filter has_app_access=true',
    );
    expect(user?.number).toBe('70');
    expect((await workspace.boh('diff @/a.yaml', undefined, { TILL_PIN: 'another' })).exitCode).toBe(0);
  });

  it('sends nothing if a variable of a saved plan is not set', async () => {
    const workspace = await openManifestWorkspace();
    workspace.write(
      'a.yaml',
      `tags:
  - { name: First, type: customer }
users:
  - { name: Till, number: "71", lang: en, pin: "$\{TILL_PIN}" }
`,
    );
    const planResult = await workspace.boh('plan @/a.yaml --out @/a.plan', undefined, { TILL_PIN: '9182' });
    expect(planResult.exitCode).toBe(0);
    const result = await workspace.boh('apply --plan @/a.plan --yes --json');
    expect([result.exitCode, failureOf(result)]).toEqual([
      2,
      expect.objectContaining({
        outcome: 'not_sent',
        fields: { 'users 71 pin': ['needs the variable TILL_PIN, which is not set'] },
      }),
    ]);
    expect(await workspace.json('tags list --filter name=First')).toEqual([]);
    expect((await workspace.boh('runs list -o id')).stdout).toBe('');
    const applyResult = await workspace.boh('apply --plan @/a.plan --yes', undefined, { TILL_PIN: '9182' });
    expect(applyResult.exitCode).toBe(0);
  });
});

describe('a saved plan', () => {
  it('is applied as it was saved, and only once', async () => {
    const workspace = await openManifestWorkspace();
    workspace.write(
      'a.yaml',
      'inventory-items:\n  - { sku: SKU-001, cost: 5 }\ntags:\n  - { name: New, type: customer }\n',
    );
    expect((await workspace.boh('plan @/a.yaml --out @/monday.plan')).exitCode).toBe(0);
    workspace.write('a.yaml', 'inventory-items:\n  - { sku: SKU-001, cost: 99 }\n');
    expect((await workspace.boh('apply --plan @/monday.plan --yes')).exitCode).toBe(0);
    const [item] = await workspace.json<{ cost: number }[]>('inventory-items list --filter sku=SKU-001');
    expect(item?.cost).toBe(5);
    const repeatResult = await workspace.boh('apply --plan @/monday.plan --yes');
    expect([repeatResult.exitCode, repeatResult.stderr]).toEqual([
      2,
      expect.stringContaining('was already applied'),
    ]);
  });

  it('replaces a plan that was not applied, and refuses to replace other files', async () => {
    const workspace = await openManifestWorkspace();
    workspace.write('a.yaml', 'tags:\n  - { name: New, type: customer }\n');
    for (let count = 0; count < 2; count++)
      expect((await workspace.boh('plan @/a.yaml --out @/monday.plan')).exitCode).toBe(0);
    expect((await workspace.boh('apply --plan @/monday.plan --yes')).exitCode).toBe(0);
    expect((await workspace.boh('plan @/a.yaml --out @/a.yaml')).exitCode).toBe(2);
    expect(workspace.read('a.yaml')).toContain('New');
  });

  it('is refused if a record has changed, and for another account', async () => {
    const workspace = await openManifestWorkspace();
    workspace.write(
      'a.yaml',
      'inventory-items:\n  - { sku: SKU-001, cost: 5 }\n  - { sku: SKU-002, barcode: "7" }\n',
    );
    await workspace.boh('plan @/a.yaml --out @/monday.plan');
    expect((await workspace.boh('apply --plan @/a.yaml --yes')).stderr).toContain("isn't a saved plan");
    const missingPlan = await workspace.boh('apply --plan @/nowhere.plan --yes');
    expect([missingPlan.exitCode, missingPlan.stderr]).toEqual([
      2,
      expect.stringContaining("Can't read the plan"),
    ]);
    const otherAccount = await workspace.boh('apply --plan @/monday.plan --yes', undefined, {
      BOH_SANDBOX: 'other',
    });
    expect([otherAccount.exitCode, otherAccount.stderr]).toEqual([
      2,
      expect.stringContaining('the plan of another account'),
    ]);
    for (const option of ['@/a.yaml', '--prune tags', '--normalize-phones'])
      expect((await workspace.boh(`apply --plan @/monday.plan ${option} --yes`)).stderr).toContain(
        "can't be combined",
      );
    // Fields that aren't in the plan may change.
    await workspace.boh('inventory-items update @SKU-001 --name-localized=x');
    await workspace.boh('inventory-items update @SKU-001 --cost 6');
    const changedResult = await workspace.boh('apply --plan @/monday.plan --yes');
    expect([changedResult.exitCode, changedResult.stderr]).toEqual([
      2,
      expect.stringContaining('have changed since'),
    ]);
    const items = await workspace.json<{ cost: number; barcode: string }[]>(
      'inventory-items list --filter sku=SKU-001,SKU-002',
    );
    expect(items.map(({ cost }) => cost)).toContain(6);
    expect(items.map(({ barcode }) => barcode)).not.toContain('7');
  });
});

it('apply --outputs: replaces the file atomically', async () => {
  const workspace = await openManifestWorkspace();
  workspace.write('a.yaml', 'tags:\n  - { name: One, type: customer }\n');
  writeFileSync(join(workspace.folder, 'ids.json'), 'old');
  await workspace.boh('apply @/a.yaml --yes --outputs @/ids.json');
  expect(JSON.parse(workspace.read('ids.json'))).toEqual({ tags: { One: expect.any(String) } });
  expect(existsSync(join(workspace.folder, 'ids.json.part'))).toBe(false);
  expect(statSync(join(workspace.folder, 'ids.json')).isFile()).toBe(true);
});
