import { afterAll, describe, expect } from 'vitest';
import { startDemo } from '../harness/demo.ts';
import { terminalTest as test } from '../harness/terminal.ts';

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
