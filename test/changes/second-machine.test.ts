/** Two machines with the same change sets: the second machine detects and reports the changes of the first. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Workspace } from '../history/boh-in-sandbox.ts';
import { clock, costIn, costSet, runAt, secondMachine, statesOf, workspaceAt } from './change-workspace.ts';

const weekend = ['--at', '2027-05-01 04:00', '--until', '2027-05-03 04:00'];

/** Creates a set that changes the cost of tomatoes and cucumbers. */
async function twoCosts(workspace: Workspace, ...flags: string[]): Promise<void> {
  const file = join(workspace.config, 'items.csv');
  writeFileSync(file, 'sku,cost\nSKU-001,9.5\nSKU-002,8\n');
  const source = ['--import', file, '--key', 'sku', 'inventory-items', '--timezone', 'UTC', '--yes'];
  const { exitCode, stderr } = await workspace.boh(
    'change',
    'create',
    'sale',
    ...source,
    ...weekend,
    ...flags,
  );
  expect(exitCode, stderr).toBe(0);
}

test('a set that the first machine has begun: is stopped on the second machine, which restores nothing', async () => {
  const first = workspaceAt();
  await costSet(first, 'sale', 9.5, ...weekend);
  const second = secondMachine(first);
  expect((await runAt(first, '2027-05-01 04:00')).acts).toEqual(['sale begin done']);
  const result = await runAt(second, '2027-05-01 04:01');
  expect(result).toMatchObject({ exitCode: 9, acts: ['sale begin stopped'] });
  expect(result.stderr).toContain('another machine may have applied them');
  expect((await runAt(second, '2027-05-03 04:00')).acts).toEqual([]);
  expect(await costIn(first)).toBe(9.5);
  expect((await runAt(first, '2027-05-03 04:00')).acts).toEqual(['sale return done']);
  expect(await costIn(first)).toBe(4.5);
});

test.each(['stop', 'skip'])(
  'a set that another machine has begun in part, --on-changed %s: is stopped, and nothing is sent',
  async (choice) => {
    const first = workspaceAt();
    await twoCosts(first, '--on-changed', choice);
    const second = secondMachine(first);
    clock('2027-05-01 04:00');
    await first.boh('inventory-items', 'update', '@SKU-001', '--cost', '9.5');
    const result = await runAt(second, '2027-05-01 04:01');
    expect(result).toMatchObject({ exitCode: 9, acts: ['sale begin stopped'] });
    expect(result.reports[0]?.message).toBe(
      "1 record got the planned values after the start time; another machine may be applying the same changes. Nothing was sent, and this machine won't restore the earlier values.",
    );
    expect(await first.json('inventory-items', 'get', '@SKU-002', '--query', 'cost')).toBe(4);
  },
);

test("a value that a user set to the planned value before the start time: isn't attributed to another machine", async () => {
  const first = workspaceAt();
  await twoCosts(first, '--on-changed', 'skip');
  const second = secondMachine(first);
  clock('2027-04-20 04:00');
  await first.boh('inventory-items', 'update', '@SKU-001', '--cost', '9.5');
  expect((await runAt(second, '2027-05-01 04:01')).acts).toEqual(['sale begin done']);
});

test('records that another machine has created since the start time: stop the set', async () => {
  const first = workspaceAt();
  const menu = join(first.config, 'menu.yaml');
  writeFileSync(
    menu,
    'tags:\n  - { name: Ramadan, type: customer }\ninventory-items:\n  - { sku: SKU-001, cost: 9.5 }\n',
  );
  const flags = ['--timezone', 'UTC', '--yes', '--on-changed', 'skip'];
  await first.boh('change', 'create', 'sale', menu, ...weekend, ...flags);
  const second = secondMachine(first);
  clock('2027-05-01 04:00');
  await first.boh('tags', 'create', '--name', 'Ramadan', '--type', 'customer');
  const result = await runAt(second, '2027-05-01 04:01');
  expect(result).toMatchObject({ exitCode: 9, acts: ['sale begin stopped'] });
  expect(result.reports[0]?.message).toContain('another machine may be applying the same changes');
});

test('earlier values that another machine has restored: are reported at the end time', async () => {
  const first = workspaceAt();
  await twoCosts(first);
  await runAt(first, '2027-05-01 04:00');
  const second = secondMachine(first);
  clock('2027-05-03 04:00');
  await second.boh('inventory-items', 'update', '@SKU-001', '--cost', '4.5');
  const result = await runAt(first, '2027-05-03 04:00');
  expect(result).toMatchObject({ exitCode: 9, acts: ['sale return partial'] });
  expect(result.reports[0]?.left).toEqual([
    'Tomatoes: already has its earlier values; another machine may have restored them',
  ]);
  expect([await costIn(first), await statesOf(first)]).toEqual([4.5, { sale: 'ended' }]);
});

test("an earlier value that was restored on this machine: isn't attributed to another machine", async () => {
  const workspace = workspaceAt();
  await twoCosts(workspace);
  await runAt(workspace, '2027-05-01 04:00');
  clock('2027-05-02 04:00');
  await workspace.boh('inventory-items', 'update', '@SKU-001', '--cost', '4.5');
  expect((await runAt(workspace, '2027-05-03 04:00')).acts).toEqual(['sale return done']);
});
