import { describe, expect, test } from 'vitest';
import { openPlace, synced } from './mirroring.ts';

describe('boh RESOURCE list --mirror with names', () => {
  test('finds the same records as the account, without a request', async () => {
    const place = await synced();
    for (const line of [
      'customers list --tags-id @VIP',
      'inventory-items list --category-id @Vegetables',
      'inventory-items list --suppliers-id @SUP-01',
      'addresses list --customer-id @510000000',
    ]) {
      const account = await place.boh(`${line} -o id`);
      expect(account.stdout).not.toBe('');
      const mirror = await place.boh(`${line} --mirror -o id -v`);
      expect({ line, ids: mirror.stdout.split('\n').sort() }).toEqual({
        line,
        ids: account.stdout.split('\n').sort(),
      });
      expect(mirror.stderr).not.toMatch(/^GET \/(?!whoami)/m);
    }
  });

  test('refuses an unknown or ambiguous name, and a name of a list that was not synced', async () => {
    const place = openPlace();
    for (const name of ['Twice', 'Twice']) await place.boh(`tags create --name=${name} --type=customer`);
    await place.sync('--resource customers,tags');
    expect(await place.boh('customers list --mirror --tags-id @Absent')).toMatchObject({ exitCode: 5 });
    expect(await place.boh('customers list --mirror --tags-id @Twice')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('Twice'),
    });
    await place.sync('--resource inventory-items');
    expect(await place.boh('inventory-items list --mirror --category-id @Vegetables')).toMatchObject({
      exitCode: 5,
      stderr: expect.stringContaining("doesn't have all inventory item categories yet"),
    });
  });
});
