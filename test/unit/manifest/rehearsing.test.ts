import { describe, expect, it } from 'vitest';
import { type Declaring, openDeclaring } from './declaring.ts';

const rehearsed = async (place: Declaring) => {
  const ran = await place.boh('rehearse @/a.yaml -o json');
  return { ...ran, ...(ran.stdout === '' ? {} : JSON.parse(ran.stdout)) };
};

describe('boh rehearse', () => {
  it('applies the files to a copy, says what was refused, and writes nothing to the account', async () => {
    const place = await openDeclaring();
    place.write(
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
    const before = await place.boh('pull @/before');
    expect(before.exitCode).toBe(0);
    const { exitCode, changes, refused, stderr } = await rehearsed(place);
    expect(exitCode, stderr).toBe(6);
    expect(stderr).not.toContain('not copied');
    // The same as the plan for the account itself.
    expect(changes).toEqual(await place.changes('@/a.yaml'));
    expect(refused.map(({ key }: { key: string }) => key)).toEqual(['Twice', 'SKU-001 › SKU-001']);
    expect(JSON.stringify(refused)).toContain('has already been taken');
    await place.boh('pull @/after');
    expect(place.files('after')).toEqual(place.files('before'));
  });

  it('tells who would be notified', async () => {
    const place = await openDeclaring();
    place.write(
      'a.yaml',
      `users:
  - { name: Watcher, number: "9001", lang: en, branches: [Riverside], notifications: [count_transaction_closed] }
inventory-counts:
  - { $key: [branch, notes], branch: Riverside, notes: Rehearsed, status: closed, creator: Watcher, items: [{ item: SKU-001, quantity: 3 }] }
`,
    );
    const { exitCode, notifications, refused, stderr } = await rehearsed(place);
    expect([exitCode, refused], stderr).toEqual([0, []]);
    expect(notifications).toContainEqual(
      expect.objectContaining({
        type: 'count_transaction_closed',
        users: expect.arrayContaining(['Watcher']),
      }),
    );
  });

  it('is refused where the files name nothing, or names nobody has', async () => {
    const place = await openDeclaring();
    place.write('a.yaml', 'sections:\n  - { name: Roof, branch: Not A Branch }\n');
    expect(await place.mistakes('rehearse @/a.yaml')).toEqual({
      'a.yaml:2:27': [expect.stringContaining('Not A Branch')],
    });
    place.write('a.yaml', 'sections: []\n');
    expect((await place.boh('rehearse @/a.yaml')).exitCode).toBe(2);
  });
});
