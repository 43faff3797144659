import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defaultResources } from '../../src/manifest/pull/pull.ts';
import { api } from '../../src/resources/index.ts';
import { putEmptyBusiness } from '../harness/demo-business.ts';
import { type Declaring, openDeclaring } from './declaring.ts';

const inSandbox = (place: Declaring, name: string) => (line: string) =>
  place.boh(line, undefined, { BOH_SANDBOX: name });

describe('boh pull', () => {
  it('of the demo business: apply to an empty account and a second pull give identical bytes', async () => {
    const place = await openDeclaring();
    const other = inSandbox(place, 'other');
    expect((await place.boh('pull @/first')).exitCode).toBe(0);
    putEmptyBusiness(join(place.folder, '.config'), 'other');
    const applied = await other('apply @/first --yes');
    expect(applied.exitCode, applied.stderr).toBe(0);
    expect((await other('pull @/second')).exitCode).toBe(0);
    const files = place.files('first');
    const names = defaultResources({ api }).map(({ command }) => `${command}.yaml`);
    expect(Object.keys(files).sort()).toEqual(names.sort());
    expect(place.files('second')).toEqual(files);
    expect((await other('diff @/first')).exitCode).toBe(0);
    expect((await place.boh('diff @/second')).exitCode).toBe(0);
  });

  it('escapes texts that look like variables, so that they keep their value', async () => {
    const place = await openDeclaring({ isEmpty: true });
    const other = inSandbox(place, 'other');
    putEmptyBusiness(join(place.folder, '.config'), 'other');
    const names = ['$', '$$', '$$$'].flatMap((sign) => [`${sign}{HOME}`, `a ${sign}{`, `${sign}HOME`]).sort();
    for (const name of names)
      await place.boh('tags create --type customer --data -', JSON.stringify({ name }));
    place.write('groups.json', JSON.stringify({ customers: [{ name: 'Huda', tags: [`$$\{HOME}`] }] }));
    expect((await place.boh('apply @/groups.json --yes')).exitCode).toBe(0);
    expect((await place.boh('pull @/account')).exitCode).toBe(0);
    expect((await place.boh('diff @/account')).exitCode).toBe(0);
    await other('apply @/account --yes');
    const applied = JSON.parse((await other('tags list -o json')).stdout) as { name: string }[];
    expect(applied.map(({ name }) => name).sort()).toEqual(names);
    expect((await other('diff @/account')).exitCode).toBe(0);
  });

  it('leaves out the owner of an account, whom no file changes or deletes', async () => {
    const place = await openDeclaring();
    await place.boh('pull @/account --resource users');
    const users = place.read('account/users.yaml');
    expect(users).toContain('Skipped the owner of the account');
    expect(users).not.toContain('number: "1000"');
    // The file is of another account, where the number belongs to another user.
    place.write('users.yaml', 'users:\n  - { number: "1000", name: Nadia Rahman }\n');
    expect(await place.changes('@/users.yaml')).toEqual([]);
    place.write(
      'users.yaml',
      'users:\n  - { number: "1000", name: Another User, email: else@example.com }\n',
    );
    for (const command of ['plan', 'apply --yes'])
      expect(await place.mistakes(`${command} @/users.yaml`)).toEqual({
        'users.yaml:2:5': [expect.stringMatching(/^is the owner of the account.* name, email /)],
      });
    place.write('users.yaml', 'users: []\n');
    const ran = await place.boh('plan @/users.yaml --prune users --max-deletes 100% -o json');
    const gone = JSON.parse(ran.stdout).changes.map(({ key }: { key: string }) => key);
    expect(gone).toHaveLength(14);
    expect(gone).not.toContain('1000');
  });

  it('--exact: makes accounts that have diverged the same', async () => {
    const place = await openDeclaring();
    const [north, south] = ['north', 'south'].map((name) => inSandbox(place, name));
    if (!north || !south) throw new Error('no accounts');
    await place.boh('pull @/truth --exact');
    const drifts = [
      north('customers update @510000000 --email=drifted@example.com --add-tags @VIP'),
      north('tax-groups update tax-group-1 --clear taxes'),
      north('inventory-items unlink-branch @SKU-001 branch-airport --yes'),
      south('suppliers unlink-item @SUP-01 @SKU-002 --yes'),
      south('suppliers link-item @SUP-02 @SKU-060 --order-unit=box --order-to-storage-factor=3'),
      south('tags delete @Corporate --yes'),
      // Each account keeps its own owner.
      south('users update @1000 --name=Another'),
    ];
    for (const drift of drifts) expect(await drift).toMatchObject({ exitCode: 0 });
    for (const account of [north, south]) {
      expect((await account('diff @/truth')).exitCode).toBe(10);
      const applied = await account('apply @/truth --yes');
      expect(applied.exitCode, applied.stderr).toBe(0);
      expect((await account('diff @/truth')).exitCode).toBe(0);
      expect((await account('pull @/after --exact')).exitCode).toBe(0);
      expect(place.files('after')).toEqual(place.files('truth'));
    }
  });

  it('names the fields that distinguish records, and reports records that nothing distinguishes', async () => {
    const place = await openDeclaring({ isEmpty: true });
    await place.boh('tags create --name Local --type supplier');
    await place.boh('tags create --name Local --type user');
    for (let count = 0; count < 2; count++) await place.boh('tags create --name Same --type user');
    await place.boh('pull @/all --resource tags');
    const text = place.files('all')['tags.yaml'] ?? '';
    expect(text).toContain('- $key: [ name, type ]\n    name: Local\n    type: supplier\n');
    expect(text.match(/^# Skipped the tag \w+: no fields identify it\.$/gm)).toHaveLength(2);
    expect(text).not.toContain('name: Same');
    expect((await place.boh('diff @/all')).exitCode).toBe(0);
  });

  it('refers to a record by id if its name is ambiguous', async () => {
    const place = await openDeclaring({ isEmpty: true });
    await place.boh('tax-groups create --name=Same');
    const second = await place.boh('tax-groups create --name=Same --json');
    const { id } = JSON.parse(second.stdout);
    await place.boh(
      `modifiers upsert --key name --name=Sauces --options [{"name":"Tahini","tax_group_id":"${id}"}]`,
    );
    await place.boh('pull @/all --resource modifiers');
    expect(place.files('all')['modifiers.yaml']).toContain(`tax_group: { id: ${id} }`);
    expect((await place.boh('diff @/all')).exitCode).toBe(0);
  });

  it("includes transactional resources only if they are named, and refuses those that can't be declared", async () => {
    const place = await openDeclaring();
    await place.boh('pull @/all --resource inventory-counts --resource transfer-orders');
    expect(Object.keys(place.files('all'))).toEqual(['inventory-counts.yaml', 'transfer-orders.yaml']);
    expect((await place.boh('diff @/all')).exitCode).toBe(0);
    for (const word of ['loyalty-rewards', 'nothing']) {
      expect((await place.boh(`pull @/all --resource ${word}`)).exitCode).toBe(2);
    }
  });

  it("explains why a folder of that name can't be created", async () => {
    const place = await openDeclaring();
    place.write('menu', 'a file');
    for (const line of ['pull @/menu', 'backup @/menu', 'export --to @/menu']) {
      const ran = await place.boh(line);
      expect([ran.exitCode, ran.stderr]).toEqual([
        2,
        expect.stringContaining('/menu is a file, not a folder'),
      ]);
    }
    const below = await place.boh('pull @/menu/deeper');
    expect([below.exitCode, below.stderr]).toEqual([2, expect.stringContaining('is a file')]);
  });

  it('--dry-run: writes nothing', async () => {
    const place = await openDeclaring();
    const ran = await place.boh('pull @/all --dry-run --resource tags -o json');
    expect(JSON.parse(ran.stdout)).toMatchObject([{ resource: 'tags', records: 16 }]);
    expect(() => place.files('all')).toThrow();
  });
});
