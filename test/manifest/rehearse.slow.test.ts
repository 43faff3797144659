import { describe, expect, it } from 'vitest';
import { api } from '../../src/api/resources/index.ts';
import { defaultResources } from '../../src/engine/manifest/pull/pull.ts';
import { type ManifestWorkspace, openManifestWorkspace } from './workspace.ts';

const runRehearsal = async (workspace: ManifestWorkspace) => {
  const result = await workspace.boh('rehearse @/a.yaml -o json');
  return { ...result, ...(result.stdout === '' ? {} : JSON.parse(result.stdout)) };
};

describe('boh rehearse', () => {
  it('applies the files to a copy, reports what was refused, and writes nothing to the account', async () => {
    const workspace = await openManifestWorkspace();
    workspace.write(
      'a.yaml',
      `sections:
  - { name: Sky Deck, branch: Riverside }
inventory-items:
  - { sku: SKU-001, cost: 6, ingredients: [{ ingredient: SKU-001, quantity: 1 }] }
suppliers:
  - { name: Fresh Farms, phone: "1", items: [{ item: SKU-001, cost: 30 }] }
delivery-zones:
  - { $key: [name], name: Twice, reference: ZONE-NORTH }
`,
    );
    const recordsBefore = await workspace.boh('pull @/before');
    expect(recordsBefore.exitCode).toBe(0);
    const { exitCode, changes, refused, stderr } = await runRehearsal(workspace);
    expect(exitCode, stderr).toBe(6);
    expect(stderr).not.toContain("can't be copied");
    // The plan for the account itself is the same.
    expect(changes).toEqual(await workspace.changes('@/a.yaml'));
    expect(refused.map(({ key }: { key: string }) => key)).toEqual(['Twice', 'SKU-001 › SKU-001']);
    expect(JSON.stringify(refused)).toContain('has already been taken');
    await workspace.boh('pull @/after');
    expect(workspace.files('after')).toEqual(workspace.files('before'));
  });

  it('rehearses changes of deleted records, which apply restores', async () => {
    const workspace = await openManifestWorkspace();
    await workspace.boh('inventory-items delete @SKU-001 @SKU-002 --yes');
    workspace.write(
      'a.yaml',
      `inventory-items:
  - { sku: SKU-001, cost: 6 }
  - { sku: SKU-900, $renamed_from: SKU-002 }
  - { sku: SKU-901, $renamed_from: SKU-003 }
  - { sku: SKU-003, $renamed_from: SKU-004 }
suppliers:
  - { name: Fresh Farms, phone: "1", items: [{ item: SKU-001, order_unit: box, order_to_storage_factor: 2 }] }
  - { name: Green Valley, phone: "2" }
`,
    );
    const { exitCode, changes, not_rehearsed: limits, stderr } = await runRehearsal(workspace);
    expect([exitCode, limits], stderr).toEqual([0, []]);
    expect(changes).toEqual(await workspace.changes('@/a.yaml'));
    expect((await workspace.boh('apply @/a.yaml --yes')).exitCode).toBe(0);
  });

  it('lists the users who would be notified', async () => {
    const workspace = await openManifestWorkspace();
    workspace.write(
      'a.yaml',
      `users:
  - { name: Watcher, number: "9001", lang: en, branches: [Riverside], notifications: [count_transaction_closed] }
inventory-counts:
  - { $key: [branch, notes], branch: Riverside, notes: Rehearsed, status: closed, creator: Watcher, items: [{ item: SKU-001, quantity: 3 }] }
`,
    );
    const { exitCode, notifications, refused, stderr } = await runRehearsal(workspace);
    expect([exitCode, refused], stderr).toEqual([0, []]);
    expect(notifications).toContainEqual(
      expect.objectContaining({
        type: 'count_transaction_closed',
        users: expect.arrayContaining(['Watcher']),
      }),
    );
  });

  it('computes stock changes from the last count, and reports the limits of the rehearsal', async () => {
    const workspace = await openManifestWorkspace();
    const line =
      'inventory-counts create --branch-id branch-riverside --status closed --items @SKU-001=9 --yes';
    expect((await workspace.boh(line)).exitCode).toBe(0);
    workspace.write(
      'a.yaml',
      `inventory-counts:
  - { $key: [branch, notes], branch: Riverside, notes: Rehearsed, status: closed, creator: { number: "1000" }, items: [{ item: SKU-001, quantity: 3 }] }
transfer-orders:
  - { $key: [branch, notes], branch: Riverside, notes: Rehearsed, status: accepted, warehouse: { id: warehouse-central }, creator: { number: "1000" }, poster: { number: "1000" }, items: [{ item: SKU-001, quantity: 2 }] }
`,
    );
    const { stock, loyalty, notifications, not_rehearsed: limits, stderr } = await runRehearsal(workspace);
    expect(stock, stderr).toContainEqual(expect.objectContaining({ place: 'Riverside', old: 9, new: 5 }));
    expect(loyalty).toEqual([]);
    expect(limits).toEqual([expect.stringContaining("The API doesn't return stock levels")]);
    // Only users of the account are notified, including the owner.
    const users = await workspace.json<{ name: string }[]>('users list');
    const names = users.map(({ name }) => name);
    for (const { users } of notifications) for (const name of users) expect(names).toContain(name);
    expect(notifications).toContainEqual(
      expect.objectContaining({ users: expect.arrayContaining(['Nadia Rahman']) }),
    );
  });

  it('uses the deployment settings of the sandbox', async () => {
    const workspace = await openManifestWorkspace();
    workspace.write('a.yaml', 'suppliers:\n  - { name: Fresh Farms, phone: "1" }\n');
    expect((await runRehearsal(workspace)).exitCode).toBe(0);
    // This deployment requires all required fields, and an update contains only the changed fields.
    await workspace.boh('sandbox settings set wire.put=replace');
    const { exitCode, refused } = await runRehearsal(workspace);
    expect(exitCode).toBe(6);
    expect(JSON.stringify(refused)).toContain('name');
    expect((await workspace.boh('apply @/a.yaml --yes')).exitCode).toBe(6);
  });

  it('reports a deployment that replaces records, with a hint, and leaves the account unchanged', async () => {
    const workspace = await openManifestWorkspace();
    await workspace.bohWithoutSandbox('profiles add here --sandbox');
    await workspace.boh('sandbox settings set wire.put=replace');
    workspace.write('a.yaml', 'customers:\n  - { phone: "510000000", name: Huda A. }\n');
    const recordsBefore = await workspace.json('customers list --phone 510000000');
    const result = await workspace.bohWithoutSandbox('rehearse @/a.yaml --from here -o json');
    expect(result.exitCode).toBe(6);
    expect(result.stderr).toMatch(/In the copy: .*but emptied .* gender, .*The account wasn't changed/);
    expect(result.stderr).toContain('boh config set wire.put replace');
    expect(await workspace.json('customers list --phone 510000000')).toEqual(recordsBefore);
    await workspace.bohWithoutSandbox('config set wire.put replace --profile here');
    const repeatResult = await workspace.bohWithoutSandbox('rehearse @/a.yaml --from here -o json');
    expect([repeatResult.exitCode, repeatResult.stderr]).toEqual([0, expect.any(String)]);
    expect((await workspace.bohWithoutSandbox('apply @/a.yaml --yes --profile here')).exitCode).toBe(0);
    const [{ updated_at: _, ...customerBefore }] = recordsBefore as [Record<string, unknown>];
    expect(await workspace.json('customers list --phone 510000000')).toMatchObject([
      { ...customerBefore, name: 'Huda A.' },
    ]);
  });

  it('sends requests to the copy with the settings of the account', async () => {
    const workspace = await openManifestWorkspace();
    workspace.write('a.yaml', 'suppliers:\n  - { name: Fresh Farms, phone: "1" }\n');
    const settings = { 'wire.deleted_filter': 'only', 'wire.envelope': 'items', 'wire.page_param': 'p' };
    await workspace.bohWithoutSandbox('profiles add other --sandbox');
    for (const [name, value] of Object.entries(settings)) {
      expect((await workspace.boh(`sandbox settings set ${name}=${value}`)).exitCode).toBe(0);
      expect(
        (await workspace.bohWithoutSandbox(`config set ${name} ${value} --profile other`)).exitCode,
      ).toBe(0);
    }
    const result = await workspace.bohWithoutSandbox('rehearse @/a.yaml --from other -o json');
    expect(result.exitCode, result.stderr).toBe(0);
    expect(JSON.parse(result.stdout)).toMatchObject({ changes: [{ key: 'Fresh Farms' }], not_rehearsed: [] });
  });

  it.each(['csv', 'ndjson'])('accepts tables that export wrote as %s', async (format) => {
    const workspace = await openManifestWorkspace();
    workspace.write('tables/.keep', '');
    const tables = defaultResources({ api }).filter(({ key }) => key.length > 0);
    for (const { command } of tables)
      expect((await workspace.boh(`${command} export --to @/tables/${command}.${format}`)).exitCode).toBe(0);
    const result = await workspace.boh('rehearse @/tables -o json');
    expect(result.exitCode, result.stderr).toBe(0);
    expect(JSON.parse(result.stdout)).toMatchObject({
      changes: [],
      not_rehearsed: [],
    });
  });

  it('rehearses changes that refer to records by ID', async () => {
    const workspace = await openManifestWorkspace();
    const id = (await workspace.boh('tags create --name Same --type customer -o id')).stdout.trim();
    await workspace.boh('tags create --name Same --type customer');
    workspace.write('customers.csv', `phone,name,tags\n5550001,Customer,${id}\n`);
    const rehearsal = await workspace.boh('rehearse @/customers.csv -o json');
    expect(rehearsal.exitCode, rehearsal.stderr).toBe(0);
    expect(JSON.parse(rehearsal.stdout)).toMatchObject({ changes: [{ key: '5550001' }], not_rehearsed: [] });
  });

  it('refuses files without records, and files with unknown names', async () => {
    const workspace = await openManifestWorkspace();
    workspace.write('a.yaml', 'sections:\n  - { name: Roof, branch: Not A Branch }\n');
    expect(await workspace.mistakes('rehearse @/a.yaml')).toEqual({
      'a.yaml:2:27': [expect.stringContaining('Not A Branch')],
    });
    workspace.write('a.yaml', 'sections: []\n');
    expect((await workspace.boh('rehearse @/a.yaml')).exitCode).toBe(2);
  });
});
