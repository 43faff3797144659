/** Two machines with the same change sets: the second machine detects and reports the changes of the first. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Workspace } from '../history/sandbox-workspace.ts';
import {
  createCostSet,
  openSecondMachine,
  openWorkspaceAt,
  readCost,
  readStates,
  runDueSets,
  setClock,
} from './change-workspace.ts';

const weekend = ['--at', '2027-05-01 04:00', '--until', '2027-05-03 04:00'];

/** Creates a set that changes the cost of tomatoes and cucumbers. */
async function createTwoCostsSet(workspace: Workspace, ...flags: string[]): Promise<void> {
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
  const firstMachine = openWorkspaceAt();
  await createCostSet(firstMachine, 'sale', 9.5, ...weekend);
  const secondMachine = openSecondMachine(firstMachine);
  expect((await runDueSets(firstMachine, '2027-05-01 04:00')).acts).toEqual(['sale begin done']);
  const result = await runDueSets(secondMachine, '2027-05-01 04:01');
  expect(result).toMatchObject({ exitCode: 9, acts: ['sale begin stopped'] });
  expect(result.stderr).toContain('another machine may have applied them');
  expect((await runDueSets(secondMachine, '2027-05-03 04:00')).acts).toEqual([]);
  expect(await readCost(firstMachine)).toBe(9.5);
  expect((await runDueSets(firstMachine, '2027-05-03 04:00')).acts).toEqual(['sale return done']);
  expect(await readCost(firstMachine)).toBe(4.5);
});

test.each(['stop', 'skip'])(
  'a set that another machine has begun in part, --on-changed %s: is stopped, and nothing is sent',
  async (choice) => {
    const firstMachine = openWorkspaceAt();
    await createTwoCostsSet(firstMachine, '--on-changed', choice);
    const secondMachine = openSecondMachine(firstMachine);
    setClock('2027-05-01 04:00');
    await firstMachine.boh('inventory-items', 'update', '@SKU-001', '--cost', '9.5');
    const result = await runDueSets(secondMachine, '2027-05-01 04:01');
    expect(result).toMatchObject({ exitCode: 9, acts: ['sale begin stopped'] });
    expect(result.reports[0]?.message).toBe(
      "1 record got the planned values after the start time; another machine may be applying the same changes. Nothing was sent, and this machine won't restore the earlier values.",
    );
    expect(await firstMachine.json('inventory-items', 'get', '@SKU-002', '--query', 'cost')).toBe(4);
  },
);

test("a value that a user set to the planned value before the start time: isn't attributed to another machine", async () => {
  const firstMachine = openWorkspaceAt();
  await createTwoCostsSet(firstMachine, '--on-changed', 'skip');
  const secondMachine = openSecondMachine(firstMachine);
  setClock('2027-04-20 04:00');
  await firstMachine.boh('inventory-items', 'update', '@SKU-001', '--cost', '9.5');
  expect((await runDueSets(secondMachine, '2027-05-01 04:01')).acts).toEqual(['sale begin done']);
});

test('records that another machine has created since the start time: stop the set', async () => {
  const firstMachine = openWorkspaceAt();
  const menu = join(firstMachine.config, 'menu.yaml');
  writeFileSync(
    menu,
    'tags:\n  - { name: Ramadan, type: customer }\ninventory-items:\n  - { sku: SKU-001, cost: 9.5 }\n',
  );
  const flags = ['--timezone', 'UTC', '--yes', '--on-changed', 'skip'];
  await firstMachine.boh('change', 'create', 'sale', menu, ...weekend, ...flags);
  const secondMachine = openSecondMachine(firstMachine);
  setClock('2027-05-01 04:00');
  await firstMachine.boh('tags', 'create', '--name', 'Ramadan', '--type', 'customer');
  const result = await runDueSets(secondMachine, '2027-05-01 04:01');
  expect(result).toMatchObject({ exitCode: 9, acts: ['sale begin stopped'] });
  expect(result.reports[0]?.message).toContain('another machine may be applying the same changes');
});

test('earlier values that another machine has restored: are reported at the end time', async () => {
  const firstMachine = openWorkspaceAt();
  await createTwoCostsSet(firstMachine);
  await runDueSets(firstMachine, '2027-05-01 04:00');
  const secondMachine = openSecondMachine(firstMachine);
  setClock('2027-05-03 04:00');
  await secondMachine.boh('inventory-items', 'update', '@SKU-001', '--cost', '4.5');
  const result = await runDueSets(firstMachine, '2027-05-03 04:00');
  expect(result).toMatchObject({ exitCode: 9, acts: ['sale return partial'] });
  expect(result.reports[0]?.left).toEqual([
    'Tomatoes: already has its earlier values; another machine may have restored them',
  ]);
  expect([await readCost(firstMachine), await readStates(firstMachine)]).toEqual([4.5, { sale: 'ended' }]);
});

test("an earlier value that was restored on this machine: isn't attributed to another machine", async () => {
  const workspace = openWorkspaceAt();
  await createTwoCostsSet(workspace);
  await runDueSets(workspace, '2027-05-01 04:00');
  setClock('2027-05-02 04:00');
  await workspace.boh('inventory-items', 'update', '@SKU-001', '--cost', '4.5');
  expect((await runDueSets(workspace, '2027-05-03 04:00')).acts).toEqual(['sale return done']);
});
