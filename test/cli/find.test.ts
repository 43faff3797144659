import { afterAll, describe, expect, test } from 'vitest';
import { startDemo } from '../harness/demo.ts';
import { answerPrompts, keys, terminalTest } from '../harness/terminal.ts';

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
  ])('by %s: finds the record', async (_, text, expected) => {
    const result = await demo.boh(`find ${text} --json`);
    expect(result.exitCode).toBe(0);
    expect(JSON.parse(result.stdout)).toContainEqual(expected);
    expect(result.stderr).toMatch(/Searched \d+ lists[.:]/);
  });

  test('--in: searches only these resources, and names the lists that were read', async () => {
    const result = await demo.boh('find onion --in inventory-items -o json');
    expect((JSON.parse(result.stdout) as FoundRecord[]).map(({ resource }) => resource)).toContain(
      'inventory-items',
    );
    expect(result.stderr).toContain(
      'Searched 2 lists: inventory-items by name, inventory-items by sku_partial.',
    );
    const refusedResult = await demo.boh('find onion --in supplier,nothing');
    expect([refusedResult.exitCode, refusedResult.stderr]).toEqual([
      2,
      expect.stringContaining('Unknown resource "nothing"'),
    ]);
  });

  test('by a part of a phone number: finds what list --phone finds', async () => {
    const found = await demo.json<FoundRecord[]>('find 51000 --in customers');
    expect(found).toContainEqual(huda);
    const listed = await demo.json<FoundRecord[]>('customers list --phone 51000');
    expect(listed.map(({ id }) => id).sort()).toEqual(found.map(({ id }) => id).sort());
  });

  test('--open: shows the record, and refuses several without a terminal', async () => {
    expect(await demo.json('find huda --in customers --open')).toMatchObject({ id: 'customer-1' });
    const several = await demo.boh('find ahmad --in customers --open');
    expect([several.exitCode, several.stderr]).toEqual([2, expect.stringContaining('match "ahmad"')]);
  });

  terminalTest('--open on a terminal: asks which of several matches', async () => {
    const terminal = demo.terminal('boh --sandbox find ahmad --in customers --open -o json');
    await answerPrompts(terminal, ['Which of the matches', 'zayed'], ['❯ Ahmad Zayed', keys.enter]);
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text()).toContain('"name": "Ahmad Zayed"');
  });

  test('no match: prints a message and exits with 0', async () => {
    const result = await demo.boh('find no-such-name -o table');
    expect([result.exitCode, result.stdout]).toEqual([0, '']);
    expect(result.stderr).toContain('No matches for "no-such-name".');
  });
});

test('branches: lists the known records of a resource without a list in the API, by singular and plural', async () => {
  const branches = await demo.json<{ id: string; name: string }[]>('branches');
  expect(branches).toContainEqual({ id: 'branch-riverside', name: 'Riverside' });
  expect(await demo.json('branch')).toEqual(branches);
  const emptyList = await demo.boh('price-tags -o table');
  expect(emptyList.stderr).toContain('No known price tags yet.');
});

test.each([
  ['items', 'inventory-items'],
  ['login', 'auth login'],
  ['staff', 'users'],
  ['branchs', 'branches'],
])('boh %s: suggests %s', async (word, command) => {
  const result = await demo.boh(word);
  expect(result.exitCode).toBe(2);
  expect(result.stderr).toContain(`Did you mean "${command}"?`);
});
