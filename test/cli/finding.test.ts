import { afterAll, describe, expect, test } from 'vitest';
import { startDemo } from '../harness/demo.ts';

const demo = startDemo();
afterAll(() => demo.remove());

interface Found {
  resource: string;
  id: string;
  name: string;
}

describe('boh find', () => {
  const huda = { resource: 'customers', id: 'customer-1', name: 'Huda Al-Amin (510000000)' };

  test.each([
    ['a part of a name, of several kinds', 'huda', huda],
    ['a phone number as it is said', '+966 51 000-0000', huda],
    ['a code', 'SUP-08', expect.objectContaining({ resource: 'suppliers', name: 'Oasis Drinks (SUP-08)' })],
  ])('finds by %s', async (_, text, expected) => {
    const ran = await demo.boh(`find ${text} --json`);
    expect(ran.exitCode).toBe(0);
    expect(JSON.parse(ran.stdout)).toContainEqual(expected);
    expect(ran.stderr).toMatch(/Asked \d+ lists: /);
  });

  test('asks those alone that it is told to, and says which', async () => {
    const ran = await demo.boh('find onion --in inventory-items -o json');
    expect((JSON.parse(ran.stdout) as Found[]).map(({ resource }) => resource)).toContain('inventory-items');
    expect(ran.stderr).toContain('Asked 2 lists: inventory-items by name, inventory-items by sku_partial.');
    const wrong = await demo.boh('find onion --in supplier,nothing');
    expect([wrong.exitCode, wrong.stderr]).toEqual([2, expect.stringContaining('no resource "nothing"')]);
  });

  test('says so where there is nothing', async () => {
    const ran = await demo.boh('find nobody-is-called-so -o table');
    expect([ran.exitCode, ran.stdout]).toEqual([0, '']);
    expect(ran.stderr).toContain('No matches for "nobody-is-called-so".');
  });
});

test('records that the API has no list of are listed as far as they are known, one word or the other', async () => {
  const known = await demo.json<{ id: string; name: string }[]>('branches');
  expect(known).toContainEqual({ id: 'branch-riverside', name: 'Riverside' });
  expect(await demo.json('branch')).toEqual(known);
  const none = await demo.boh('price-tags -o table');
  expect(none.stderr).toContain('No price tag is known yet.');
});

test.each([
  ['items', 'inventory-items'],
  ['login', 'auth login'],
  ['staff', 'users'],
  ['branchs', 'branches'],
])('%s is known to mean %s', async (word, command) => {
  const ran = await demo.boh(word);
  expect(ran.exitCode).toBe(2);
  expect(ran.stderr).toContain(`Did you mean "${command}"?`);
});
