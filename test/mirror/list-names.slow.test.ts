import { describe, expect, test } from 'vitest';
import { openSyncedWorkspace, openWorkspace } from './workspace.ts';

describe('boh RESOURCE list --mirror with names', () => {
  test('returns the records of the account without requests', async () => {
    const workspace = await openSyncedWorkspace();
    for (const line of [
      'customers list --tags-id @VIP',
      'inventory-items list --category-id @Vegetables',
      'inventory-items list --suppliers-id @SUP-01',
      'addresses list --customer-id @510000000',
    ]) {
      const account = await workspace.boh(`${line} -o id`);
      expect(account.stdout).not.toBe('');
      const mirror = await workspace.boh(`${line} --mirror -o id -v`);
      expect({ line, ids: mirror.stdout.split('\n').sort() }).toEqual({
        line,
        ids: account.stdout.split('\n').sort(),
      });
      expect(mirror.stderr).not.toMatch(/^GET \/(?!whoami)/m);
    }
  });

  test('refuses an unknown or ambiguous name, and a name in a list that was not synced', async () => {
    const workspace = openWorkspace();
    for (const name of ['Twice', 'Twice']) await workspace.boh(`tags create --name=${name} --type=customer`);
    await workspace.sync('--resource customers,tags');
    expect(await workspace.boh('customers list --mirror --tags-id @Absent')).toMatchObject({ exitCode: 5 });
    expect(await workspace.boh('customers list --mirror --tags-id @Twice')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('Twice'),
    });
    await workspace.sync('--resource inventory-items');
    expect(await workspace.boh('inventory-items list --mirror --category-id @Vegetables')).toMatchObject({
      exitCode: 5,
      stderr: expect.stringContaining("doesn't have all inventory item categories yet"),
    });
  });
});
