import { afterAll, describe, expect } from 'vitest';
import { startDemo } from '../harness/demo.ts';
import { answerPrompts, keys, terminalTest as test } from '../harness/terminal.ts';

const demo = startDemo();
afterAll(() => demo.remove());

describe('names of records that a response identifies only by ID', () => {
  test('stock documents: show the names and units of their items', async () => {
    const [item] = await demo.json<{ id: string; name: string; storage_unit: string }[]>(
      'inventory-items list --sku SKU-001',
    );
    const terminal = demo.terminal(
      'boh --sandbox inventory-counts create --status draft --branch-id @Riverside --items @SKU-001=4',
    );
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text()).toContain(`${item?.name} (${item?.id})`);
    expect(terminal.text()).toContain(`4 ${item?.storage_unit}`);
  });

  test('a created cost adjustment: shows the names of its branch and its creator', async () => {
    const terminal = demo.terminal(
      'boh --sandbox cost-adjustments create --status draft --branch-id @Riverside --items @SKU-001=3',
    );
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text()).toMatch(/^branch: +Riverside \(branch-riverside\)$/m);
    expect(terminal.text()).toMatch(/^creator: +\S+ \S+ \(\w+\)$/m);
  });

  test('get into a pipe: adds no names to the response', async () => {
    const [count] = await demo.json<{ id: string }[]>('inventory-counts list --limit 1');
    const { items } = await demo.json<{ items: object[] }>(`inventory-counts get ${count?.id}`);
    expect(Object.keys(items[0] ?? {})).toEqual(['id', 'pivot']);
  });
});

describe('a new record that looks like an existing one', () => {
  test.each([
    [
      'the phone number in another spelling',
      '--name Someone --dial-code 966 --phone "+966 51 000 0000"',
      'phone',
    ],
    ['the folded name', '--name "HUDA  al-amin" --dial-code 966 --phone 599111222', 'name'],
  ])('%s: names it, and asks', async (_, flags, field) => {
    const terminal = demo.terminal(`boh --sandbox customers create ${flags}`, { columns: 120 });
    await answerPrompts(terminal, ['Create another customer?', 'n', keys.enter]);
    expect(await terminal.ended()).toBe(130);
    expect(terminal.text()).toMatch(
      new RegExp(`looks like customer "Huda Al-Amin" \\(.*\\): same .*${field}`),
    );
  });

  test('a different one: asks nothing', async () => {
    const flags = '--name Someone --dial-code 966 --phone 598111333';
    expect(await demo.terminal(`boh --sandbox customers create ${flags}`).ended()).toBe(0);
  });
});
