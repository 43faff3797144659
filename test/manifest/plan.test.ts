import { describe, expect, it, test } from 'vitest';
import { failureOf } from '../harness/run-boh.ts';
import { openManifestWorkspace } from './workspace.ts';

const requests = (stderr: string) => stderr.match(/^(GET|POST|PUT|DELETE) .*$/gm) ?? [];

describe('boh plan', () => {
  it('prints changes as JSON, with links in a separate list', async () => {
    const workspace = await openManifestWorkspace();
    workspace.write(
      'a.yaml',
      `tags:
  - { name: Frozen, type: inventory item }
suppliers:
  - name: Fresh Farms
    phone: "1"
    items:
      - { item: SKU-001, cost: 21 }
      - { item: SKU-060, order_unit: box, order_to_storage_factor: 4 }
`,
    );
    expect(JSON.parse((await workspace.boh('plan @/a.yaml -o json')).stdout)).toEqual({
      changes: [
        {
          action: 'create',
          resource: 'tags',
          key: 'Frozen',
          fields: { name: { old: null, new: 'Frozen' }, type: { old: null, new: 'inventory item' } },
        },
        {
          action: 'update',
          resource: 'suppliers',
          key: 'Fresh Farms',
          fields: { phone: { old: '555000200', new: '1' } },
          links: [
            { action: 'update', link: 'items', key: 'SKU-001', fields: { cost: { old: 20, new: 21 } } },
            {
              action: 'create',
              link: 'items',
              key: 'SKU-060',
              fields: {
                order_unit: { old: null, new: 'box' },
                order_to_storage_factor: { old: null, new: 4 },
              },
            },
          ],
        },
      ],
    });
  });

  it('writes nothing, and exits with 10 for changes with --detailed-exitcode', async () => {
    const workspace = await openManifestWorkspace();
    workspace.write('a.yaml', 'inventory-items:\n  - { sku: SKU-001, cost: 5 }\n');
    expect((await workspace.boh('plan @/a.yaml')).exitCode).toBe(0);
    const planResult = await workspace.boh('plan @/a.yaml --detailed-exitcode -v');
    expect(planResult.exitCode).toBe(10);
    expect(requests(planResult.stderr).filter((line) => !line.startsWith('GET '))).toEqual([]);
    expect((await workspace.boh('diff @/a.yaml')).exitCode).toBe(10);
    workspace.write('a.yaml', 'inventory-items:\n  - { sku: SKU-001, cost: 4.50, tags: [] }\n');
    expect((await workspace.boh('plan @/a.yaml --detailed-exitcode')).exitCode).toBe(0);
    expect((await workspace.boh('diff @/a.yaml')).exitCode).toBe(0);
  });

  it("keeps links and list members that the file doesn't contain, and removes them with $exact", async () => {
    const workspace = await openManifestWorkspace();
    const [item] = await workspace.json<{ tags: { id: string }[] }[]>(
      'inventory-items list --filter sku=SKU-001',
    );
    expect(item?.tags).toHaveLength(1);
    workspace.write('a.yaml', 'inventory-items:\n  - { sku: SKU-001, tags: [], branches: [] }\n');
    expect(await workspace.changes('@/a.yaml')).toEqual([]);
    workspace.write(
      'a.yaml',
      'inventory-items:\n  - { sku: SKU-001, $exact: true, tags: [], branches: [] }\n',
    );
    const [change] = await workspace.changes('@/a.yaml');
    expect(change?.fields.tags).toEqual({ old: [expect.any(String)], new: [] });
    expect(change?.links).toEqual([
      expect.objectContaining({ action: 'delete', link: 'branches', key: 'Airport Road' }),
    ]);
  });

  it('removes nothing for an empty or null list without $exact', async () => {
    const workspace = await openManifestWorkspace();
    const supplier = (exactLine: string) =>
      `suppliers:\n  - code: SUP-01${exactLine}\n    items:\n    #  - { item: SKU-001, cost: 3 }\n    tags: null\n`;
    workspace.write('a.yaml', supplier(''));
    expect(await workspace.mistakes('plan @/a.yaml')).toEqual({
      'a.yaml:3:11': ['items would lose all its entries: to allow this, set $exact: true'],
      'a.yaml:5:11': ['tags would lose all its entries: to allow this, set $exact: true'],
    });
    workspace.write('suppliers.ndjson', '{"code":"SUP-01","tags":null}\n');
    expect(Object.values(await workspace.mistakes('plan @/suppliers.ndjson'))).toHaveLength(1);
    workspace.write('a.yaml', supplier('\n    $exact: true'));
    const [change] = await workspace.changes('@/a.yaml');
    expect(change?.fields.tags?.new).toBeNull();
    expect(change?.links?.every(({ action }) => action === 'delete')).toBe(true);
    workspace.write('a.yaml', 'suppliers:\n  - { code: SUP-01, items: [], tags: [] }\n');
    expect(await workspace.changes('@/a.yaml')).toEqual([]);
  });

  it('shows the names that the files or the account contain', async () => {
    const workspace = await openManifestWorkspace();
    const [card] = await workspace.json<{ id: string }[]>('gift-card-products list --filter sku=GIFT-100');
    workspace.write(
      'a.yaml',
      `users: []
groups:
  - { name: New Group, items_index: [{ gift-card-product: GIFT-100 }, product-kofta] }
gift-card-products:
  - { sku: GIFT-100, name: Gift of a Hundred }
suppliers:
  - { code: SUP-01, $exact: true, items: [{ item: SKU-060, order_unit: box, order_to_storage_factor: 4 }] }
modifiers:
  - { reference: SZ, name: Sizes, options: [{ name: Small, price: 0, tax_group: Standard Rate }] }
`,
    );
    const { stdout } = await workspace.boh('plan @/a.yaml --prune users --max-deletes 100% -o table');
    expect(stdout).toContain('- user 1001 (Omar Nasser)\n');
    expect(stdout).toContain('items_index  GIFT-100, product-kofta');
    expect(stdout).not.toContain(String(card?.id));
    expect(stdout).toContain('~ supplier SUP-01 (');
    expect(stdout).toContain('    - items Tomatoes\n');
    expect(stdout).toMatch(/options +Small \(price 0, tax_group Standard Rate\)\n/);
  });

  it('identifies a record by the values of its key', async () => {
    const workspace = await openManifestWorkspace();
    workspace.write('a.yaml', 'tags:\n  - { $key: [name, type], name: Local, type: order }\n');
    expect((await workspace.changes('@/a.yaml'))[0]?.key).toBe('Local, order');
    expect((await workspace.boh('apply @/a.yaml --yes --outputs @/ids.json')).exitCode).toBe(0);
    expect(Object.keys(JSON.parse(workspace.read('ids.json')).tags)).toEqual(['Local, order']);
  });

  it('updates a renamed record and creates no second record', async () => {
    const workspace = await openManifestWorkspace();
    workspace.write('a.yaml', 'suppliers:\n  - { name: Fresher Farms, $renamed_from: Fresh Farms }\n');
    const [change, ...otherChanges] = await workspace.changes('@/a.yaml');
    expect(otherChanges).toEqual([]);
    expect(change).toMatchObject({
      action: 'update',
      fields: { name: { old: 'Fresh Farms', new: 'Fresher Farms' } },
    });
    expect((await workspace.boh('apply @/a.yaml --yes')).exitCode).toBe(0);
    expect(await workspace.changes('@/a.yaml')).toEqual([]);
    await workspace.boh('suppliers create --name=OldFarms');
    workspace.write('a.yaml', 'suppliers:\n  - { name: Fresher Farms, $renamed_from: OldFarms }\n');
    expect(Object.values(await workspace.mistakes('plan @/a.yaml')).flat()[0]).toContain('already');
  });

  it('matches a record without the first key by its second key', async () => {
    const workspace = await openManifestWorkspace();
    await workspace.boh('suppliers create --name=Nameless');
    workspace.write('a.yaml', 'suppliers:\n  - { code: NEW-1, name: Nameless }\n');
    expect(await workspace.changes('@/a.yaml')).toMatchObject([
      { action: 'update', fields: { code: { new: 'NEW-1' } } },
    ]);
  });

  it('restores a deleted record', async () => {
    const workspace = await openManifestWorkspace();
    await workspace.boh('tags delete @Regular --yes');
    workspace.write('a.yaml', 'tags:\n  - { name: Regular, type: customer }\n');
    const [change] = await workspace.changes('@/a.yaml');
    expect(change).toMatchObject({
      action: 'update',
      fields: { deleted_at: { old: expect.any(String), new: null } },
    });
    expect((await workspace.boh('apply @/a.yaml --yes')).exitCode).toBe(0);
    expect((await workspace.json<{ id: string }>('tags get tag-1')).id).toBe('tag-1');
    expect(await workspace.changes('@/a.yaml')).toEqual([]);
  });

  it('refuses to change a field that can only be set at creation', async () => {
    const workspace = await openManifestWorkspace();
    workspace.write('a.yaml', 'tags:\n  - { name: Regular, type: supplier }\n');
    expect(await workspace.mistakes('plan @/a.yaml')).toEqual({
      'a.yaml:2:28': ['type can\'t be changed after creation (from "customer" to "supplier")'],
    });
  });

  it('reports missing fields of a new record before it sends anything', async () => {
    const workspace = await openManifestWorkspace();
    workspace.write('a.yaml', 'inventory-items:\n  - { sku: NEW-1, name: New }\n');
    const [messages] = Object.values(await workspace.mistakes('plan @/a.yaml'));
    expect(messages).toContain('is new, and storage_unit is required');
    expect(messages?.length).toBeGreaterThan(2);
  });

  it('matches options of a modifier by name and keeps the others', async () => {
    const workspace = await openManifestWorkspace();
    workspace.write(
      'a.yaml',
      `modifiers:
  - reference: MOD-BREAD
    options:
      - { name: Saj, price: 2.5, ingredients: [{ ingredient: SKU-001, quantity: 10 }] }
`,
    );
    const [change] = await workspace.changes('@/a.yaml');
    expect(change?.fields.options?.old).toHaveLength(3);
    expect(change?.fields.options?.new).toHaveLength(3);
    const modifierBefore = await workspace.json<{ options: { id: string }[] }>(
      'modifiers get modifier-1 --include options',
    );
    expect((await workspace.boh('apply @/a.yaml --yes')).exitCode).toBe(0);
    const modifierAfter = await workspace.json<{ options: { id: string; price: number }[] }>(
      'modifiers get modifier-1 --include options',
    );
    expect(modifierAfter.options.map(({ id }) => id)).toEqual(modifierBefore.options.map(({ id }) => id));
    expect(modifierAfter.options.map(({ price }) => price)).toContain(2.5);
    expect(await workspace.changes('@/a.yaml')).toEqual([]);
  });
});

describe('--prune', () => {
  it("deletes records that aren't in the files, only of the named resources and up to the limit", async () => {
    const workspace = await openManifestWorkspace();
    workspace.write('a.yaml', 'tags:\n  - { name: Regular, type: customer }\n');
    expect((await workspace.boh('plan @/a.yaml --prune suppliers')).exitCode).toBe(2);
    expect((await workspace.boh('plan @/a.yaml --prune suplliers')).exitCode).toBe(2);
    const refusedResult = await workspace.boh('apply @/a.yaml --prune tags --yes');
    expect(refusedResult.exitCode).toBe(2);
    expect(refusedResult.stderr).toContain('Would delete 15 of 16 tags; the limit is 1');
    const result = await workspace.boh('plan @/a.yaml --prune tags --max-deletes 15 -o json');
    const { changes } = JSON.parse(result.stdout);
    expect(changes).toHaveLength(15);
    expect(changes[0]).toEqual({ action: 'delete', resource: 'tags', key: expect.any(String), fields: {} });
  });

  it("doesn't delete records that the files name by any key", async () => {
    const workspace = await openManifestWorkspace();
    for (const name of ['A', 'B']) await workspace.boh(`tax-groups create --name=${name}`);
    workspace.write(
      'a.yaml',
      'tax-groups:\n  - { name: Standard Rate }\n  - { name: Soft Drinks }\n  - { name: Dine In }\n  - { name: A }\n',
    );
    const result = await workspace.boh('apply @/a.yaml --prune tax-groups --max-deletes 1 --yes');
    expect(result.exitCode).toBe(0);
    const remainingGroups = await workspace.json<{ name: string }[]>('tax-groups list --all');
    expect(remainingGroups.map(({ name }) => name).sort()).toEqual([
      'A',
      'Dine In',
      'Soft Drinks',
      'Standard Rate',
    ]);
    expect((await workspace.boh('diff @/a.yaml --prune tax-groups')).exitCode).toBe(0);
  });
});

describe('the requests of diff', () => {
  it('are one list of each resource', async () => {
    const workspace = await openManifestWorkspace();
    const items = await workspace.json<{ sku: string; cost: number }[]>('inventory-items list --all');
    workspace.write(
      'a.json',
      JSON.stringify({ 'inventory-items': items.map(({ sku, cost }) => ({ sku, cost })) }),
    );
    const { stderr, exitCode } = await workspace.boh('diff @/a.json -v');
    expect(exitCode).toBe(0);
    expect(requests(stderr)).toHaveLength(2);
  });
});

test('a name that is too long for a filter: is found in the complete list', async () => {
  const workspace = await openManifestWorkspace();
  const name = 'ط'.repeat(6000);
  workspace.write('a.yaml', `tags:\n  - { name: ${name}, type: customer }\n`);
  expect((await workspace.boh('apply @/a.yaml')).exitCode).toBe(0);
  expect(await workspace.changes('@/a.yaml')).toEqual([]);
});

test('many unknown names: the first hundred and their number are reported', async () => {
  const workspace = await openManifestWorkspace();
  const items = Array.from({ length: 8000 }, (_, index) => ({
    sku: `X-${index}`,
    name: 'x',
    category: `Nothing ${index}`,
  }));
  const result = await workspace.boh(
    `plan ${workspace.write('inventory-items.json', JSON.stringify(items))}`,
  );
  expect(result.exitCode).toBe(2);
  expect(failureOf(result).message).toContain('have 40000 mistakes, the first 100');
});
