/** Tests that a change set compares records with its own plan, and not with what an earlier promotion wrote. */
import { expect, test } from 'vitest';
import { createCostSet, openWorkspaceAt, readCost, runDueSets, setClock } from './change-workspace.ts';

const [first, second] = [
  ['--at', '2027-05-01', '--until', '2027-05-03', '--yes'],
  ['--at', '2027-06-01', '--until', '2027-06-03', '--yes'],
];

/** Runs a promotion during which a user edits the price outside of boh's history, as in a web console. */
async function afterPromotionWithEdit(price: string) {
  const workspace = openWorkspaceAt();
  await createCostSet(workspace, 'may', 9, ...(first ?? []));
  await runDueSets(workspace, '2027-05-01 00:00');
  await workspace.bohWith(
    { BOH_HISTORY_JOURNAL: 'off' },
    ...['inventory-items', 'update', '@SKU-001', '--cost', price],
  );
  await runDueSets(workspace, '2027-05-03 00:00');
  expect(await readCost(workspace)).toBe(Number(price));
  return workspace;
}

test('the next promotion after an edit during an earlier one: starts, and restores the edited value', async () => {
  const workspace = await afterPromotionWithEdit('7');
  setClock('2027-05-20 12:00');
  await createCostSet(workspace, 'june', 8, ...(second ?? []));
  expect((await runDueSets(workspace, '2027-06-01 00:00')).acts).toEqual(['june begin done']);
  expect(await readCost(workspace)).toBe(8);
  await runDueSets(workspace, '2027-06-03 00:00');
  expect(await readCost(workspace)).toBe(7);
});

test('an edit after the plan that equals the value of an earlier promotion: is not overwritten', async () => {
  const workspace = await afterPromotionWithEdit('7');
  setClock('2027-05-20 12:00');
  await createCostSet(workspace, 'june', 8, '--on-changed', 'stop', ...(second ?? []));
  await workspace.bohWith(
    { BOH_HISTORY_JOURNAL: 'off' },
    ...['inventory-items', 'update', '@SKU-001', '--cost', '9'],
  );
  expect((await runDueSets(workspace, '2027-06-01 00:00')).acts).toEqual(['june begin stopped']);
  expect(await readCost(workspace)).toBe(9);
});

test('a set in progress: keeps its run and its history, whatever is pruned and however long it lasts', async () => {
  const workspace = openWorkspaceAt();
  await createCostSet(workspace, 'long', 9, '--at', '2027-05-01', '--until', '2029-05-03', '--yes');
  await runDueSets(workspace, '2027-05-01 00:00');
  setClock('2029-05-01 12:00');
  const pruned = await workspace.boh('history', 'prune', '--older-than', '1d', '--yes');
  expect([pruned.exitCode, pruned.stderr]).toEqual([0, expect.stringContaining('change set in progress')]);
  // A new run deletes the ledgers of old ones.
  await workspace.boh('suppliers', 'update', '--where', 'name=a', '--phone', '5', '--yes');
  expect((await runDueSets(workspace, '2029-05-03 00:00')).acts).toEqual(['long return done']);
  expect(await readCost(workspace)).toBe(4.5);
});
