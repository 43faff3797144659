import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { api } from '../../src/api/resources/index.ts';
import { defaultResources } from '../../src/engine/manifest/pull/pull.ts';
import { copyEmptyBusiness } from '../harness/demo-business.ts';
import { type ManifestWorkspace, openManifestWorkspace } from './workspace.ts';

const inSandbox = (workspace: ManifestWorkspace, name: string) => (line: string) =>
  workspace.boh(line, undefined, { BOH_SANDBOX: name });

describe('boh pull', () => {
  it('of the demo business: apply to an empty account and a second pull give identical bytes', async () => {
    const workspace = await openManifestWorkspace();
    const otherAccount = inSandbox(workspace, 'other');
    expect((await workspace.boh('pull @/first')).exitCode).toBe(0);
    copyEmptyBusiness(join(workspace.folder, '.config'), 'other');
    const applyResult = await otherAccount('apply @/first --yes');
    expect(applyResult.exitCode, applyResult.stderr).toBe(0);
    expect((await otherAccount('pull @/second')).exitCode).toBe(0);
    const files = workspace.files('first');
    const names = defaultResources({ api }).map(({ command }) => `${command}.yaml`);
    expect(Object.keys(files).sort()).toEqual(names.sort());
    expect(workspace.files('second')).toEqual(files);
    expect((await otherAccount('diff @/first')).exitCode).toBe(0);
    expect((await workspace.boh('diff @/second')).exitCode).toBe(0);
  });

  it('escapes texts that look like variables, so that they keep their value', async () => {
    const workspace = await openManifestWorkspace({ isEmpty: true });
    const otherAccount = inSandbox(workspace, 'other');
    copyEmptyBusiness(join(workspace.folder, '.config'), 'other');
    const names = ['$', '$$', '$$$'].flatMap((sign) => [`${sign}{HOME}`, `a ${sign}{`, `${sign}HOME`]).sort();
    for (const name of names)
      await workspace.boh('tags create --type customer --data -', JSON.stringify({ name }));
    workspace.write('groups.json', JSON.stringify({ customers: [{ name: 'Huda', tags: [`$$\{HOME}`] }] }));
    expect((await workspace.boh('apply @/groups.json --yes')).exitCode).toBe(0);
    expect((await workspace.boh('pull @/account')).exitCode).toBe(0);
    expect((await workspace.boh('diff @/account')).exitCode).toBe(0);
    await otherAccount('apply @/account --yes');
    const applied = JSON.parse((await otherAccount('tags list -o json')).stdout) as { name: string }[];
    expect(applied.map(({ name }) => name).sort()).toEqual(names);
    expect((await otherAccount('diff @/account')).exitCode).toBe(0);
  });

  it('skips the owner of an account, and files never change or delete the owner', async () => {
    const workspace = await openManifestWorkspace();
    await workspace.boh('pull @/account --resource users');
    const users = workspace.read('account/users.yaml');
    expect(users).toContain('Skipped the owner of the account');
    expect(users).not.toContain('number: "1000"');
    // The file is of another account, where the number belongs to another user.
    workspace.write('users.yaml', 'users:\n  - { number: "1000", name: Nadia Rahman }\n');
    expect(await workspace.changes('@/users.yaml')).toEqual([]);
    workspace.write(
      'users.yaml',
      'users:\n  - { number: "1000", name: Another User, email: else@example.com }\n',
    );
    for (const command of ['plan', 'apply --yes'])
      expect(await workspace.mistakes(`${command} @/users.yaml`)).toEqual({
        'users.yaml:2:5': [expect.stringMatching(/^is the owner of the account.* name, email /)],
      });
    workspace.write('users.yaml', 'users: []\n');
    const result = await workspace.boh('plan @/users.yaml --prune users --max-deletes 100% -o json');
    const deleted = JSON.parse(result.stdout).changes.map(({ key }: { key: string }) => key);
    expect(deleted).toHaveLength(14);
    expect(deleted).not.toContain('1000');
  });

  it('--exact: apply makes accounts that have diverged equal', async () => {
    const workspace = await openManifestWorkspace();
    const [north, south] = ['north', 'south'].map((name) => inSandbox(workspace, name));
    if (!north || !south) throw new Error('no accounts');
    await workspace.boh('pull @/reference --exact');
    const changes = [
      north('customers update @510000000 --email=drifted@example.com --add-tags @VIP'),
      north('tax-groups update tax-group-1 --clear taxes'),
      north('inventory-items unlink-branch @SKU-001 branch-airport --yes'),
      south('suppliers unlink-item @SUP-01 @SKU-002 --yes'),
      south('suppliers link-item @SUP-02 @SKU-060 --order-unit=box --order-to-storage-factor=3'),
      south('tags delete @Corporate --yes'),
      // Each account keeps its own owner.
      south('users update @1000 --name=Another'),
    ];
    for (const change of changes) expect(await change).toMatchObject({ exitCode: 0 });
    for (const account of [north, south]) {
      expect((await account('diff @/reference')).exitCode).toBe(10);
      const applyResult = await account('apply @/reference --yes');
      expect(applyResult.exitCode, applyResult.stderr).toBe(0);
      expect((await account('diff @/reference')).exitCode).toBe(0);
      expect((await account('pull @/after --exact')).exitCode).toBe(0);
      expect(workspace.files('after')).toEqual(workspace.files('reference'));
    }
  });

  it("writes the fields that identify records as $key, and reports records that can't be identified", async () => {
    const workspace = await openManifestWorkspace({ isEmpty: true });
    await workspace.boh('tags create --name Local --type supplier');
    await workspace.boh('tags create --name Local --type user');
    for (let count = 0; count < 2; count++) await workspace.boh('tags create --name Same --type user');
    await workspace.boh('pull @/all --resource tags');
    const text = workspace.files('all')['tags.yaml'] ?? '';
    expect(text).toContain('- $key: [ name, type ]\n    name: Local\n    type: supplier\n');
    expect(text.match(/^# Skipped the tag \w+: no fields identify it\.$/gm)).toHaveLength(2);
    expect(text).not.toContain('name: Same');
    expect((await workspace.boh('diff @/all')).exitCode).toBe(0);
  });

  it('refers to a record by id if its name is ambiguous', async () => {
    const workspace = await openManifestWorkspace({ isEmpty: true });
    await workspace.boh('tax-groups create --name=Same');
    const createResult = await workspace.boh('tax-groups create --name=Same --json');
    const { id } = JSON.parse(createResult.stdout);
    await workspace.boh(
      `modifiers upsert --key name --name=Sauces --options [{"name":"Tahini","tax_group_id":"${id}"}]`,
    );
    await workspace.boh('pull @/all --resource modifiers');
    expect(workspace.files('all')['modifiers.yaml']).toContain(`tax_group: { id: ${id} }`);
    expect((await workspace.boh('diff @/all')).exitCode).toBe(0);
  });

  it("includes transactional resources only if they are named, and refuses those that can't be declared", async () => {
    const workspace = await openManifestWorkspace();
    await workspace.boh('pull @/all --resource inventory-counts --resource transfer-orders');
    expect(Object.keys(workspace.files('all'))).toEqual(['inventory-counts.yaml', 'transfer-orders.yaml']);
    expect((await workspace.boh('diff @/all')).exitCode).toBe(0);
    for (const word of ['loyalty-rewards', 'nothing']) {
      expect((await workspace.boh(`pull @/all --resource ${word}`)).exitCode).toBe(2);
    }
  });

  it("reports why the folder can't be created", async () => {
    const workspace = await openManifestWorkspace();
    workspace.write('menu', 'a file');
    for (const line of ['pull @/menu', 'backup @/menu', 'export --to @/menu']) {
      const result = await workspace.boh(line);
      expect([result.exitCode, result.stderr]).toEqual([
        2,
        expect.stringContaining('/menu is a file, not a folder'),
      ]);
    }
    const below = await workspace.boh('pull @/menu/deeper');
    expect([below.exitCode, below.stderr]).toEqual([2, expect.stringContaining('is a file')]);
  });

  it('--dry-run: writes nothing', async () => {
    const workspace = await openManifestWorkspace();
    const result = await workspace.boh('pull @/all --dry-run --resource tags -o json');
    expect(JSON.parse(result.stdout)).toMatchObject([{ resource: 'tags', records: 16 }]);
    expect(() => workspace.files('all')).toThrow();
  });
});
