import { afterAll, describe, expect, test } from 'vitest';
import { startDemo } from '../harness/demo.ts';

const demo = startDemo();
afterAll(() => demo.remove());

interface FoundRecord {
  resource: string;
  id: string;
  name: string;
}

describe('boh find', () => {
  const huda = { resource: 'customers', id: 'customer-1', name: 'Huda Al-Amin (510000000)' };

  test.each([
    ['a part of the name in several resources', 'huda', huda],
    ['a formatted phone number', '+966 51 000-0000', huda],
    ['a code', 'SUP-08', expect.objectContaining({ resource: 'suppliers', name: 'Oasis Drinks (SUP-08)' })],
  ])('finds records by %s', async (_, text, expected) => {
    const ran = await demo.boh(`find ${text} --json`);
    expect(ran.exitCode).toBe(0);
    expect(JSON.parse(ran.stdout)).toContainEqual(expected);
    expect(ran.stderr).toMatch(/Searched \d+ lists: /);
  });

  test('--in: searches only these resources, and names the lists that were read', async () => {
    const ran = await demo.boh('find onion --in inventory-items -o json');
    expect((JSON.parse(ran.stdout) as FoundRecord[]).map(({ resource }) => resource)).toContain(
      'inventory-items',
    );
    expect(ran.stderr).toContain(
      'Searched 2 lists: inventory-items by name, inventory-items by sku_partial.',
    );
    const refused = await demo.boh('find onion --in supplier,nothing');
    expect([refused.exitCode, refused.stderr]).toEqual([
      2,
      expect.stringContaining('Unknown resource "nothing"'),
    ]);
  });

  test('no match: prints a message and exits with 0', async () => {
    const ran = await demo.boh('find nobody-is-called-so -o table');
    expect([ran.exitCode, ran.stdout]).toEqual([0, '']);
    expect(ran.stderr).toContain('No matches for "nobody-is-called-so".');
  });
});

test('branches: lists the known records of a resource without a list in the API, by singular and plural', async () => {
  const branches = await demo.json<{ id: string; name: string }[]>('branches');
  expect(branches).toContainEqual({ id: 'branch-riverside', name: 'Riverside' });
  expect(await demo.json('branch')).toEqual(branches);
  const none = await demo.boh('price-tags -o table');
  expect(none.stderr).toContain('No known price tags yet.');
});

test.each([
  ['items', 'inventory-items'],
  ['login', 'auth login'],
  ['staff', 'users'],
  ['branchs', 'branches'],
])('boh %s: suggests %s', async (word, command) => {
  const ran = await demo.boh(word);
  expect(ran.exitCode).toBe(2);
  expect(ran.stderr).toContain(`Did you mean "${command}"?`);
});
