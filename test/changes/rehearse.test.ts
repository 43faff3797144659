/** `boh change rehearse` begins and ends a set in a copy of the account, and doesn't write to the account. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createCostSet, openWorkspaceAt, readCost, readStates, runDueSets } from './change-workspace.ts';

const weekend = ['--at', '2027-05-01', '--until', '2027-05-03'];

test('a valid set: is begun, checked and ended in the copy, and all fields have their earlier values', async () => {
  const workspace = openWorkspaceAt();
  await createCostSet(workspace, 'sale', 9.5, ...weekend);
  const rehearseResult = await workspace.boh('change', 'rehearse', 'sale', '-o', 'json');
  expect(rehearseResult.exitCode, rehearseResult.stderr).toBe(0);
  expect(JSON.parse(rehearseResult.stdout)).toMatchObject({
    changes: [{ key: 'Tomatoes', changes: { cost: { from: 4.5, to: 9.5 } } }],
    reports: [
      { act: 'begin', outcome: 'done' },
      { act: 'return', outcome: 'done' },
    ],
    not_as_before: [],
  });
  expect(rehearseResult.stderr).toMatch(
    /all \d{3,} fields of the affected resources have their earlier values/,
  );
  const { stdout: screen } = await workspace.boh('change', 'rehearse', 'sale', '-o', 'table');
  expect(screen).toContain('start: Changes applied.\nend: Earlier values restored.\n');
  expect([await readCost(workspace), await readStates(workspace)]).toEqual([4.5, { sale: 'planned' }]);
  expect(await workspace.json('history')).toEqual([]);
  expect((await runDueSets(workspace, '2027-05-01 00:00')).acts).toEqual(['sale begin done']);
});

test('created records and links: are checked by lint, and are removed at the end', async () => {
  const workspace = openWorkspaceAt();
  const menu = join(workspace.config, 'menu.yaml');
  writeFileSync(
    menu,
    `tags:
  - { name: Ramadan, type: customer }
inventory-items:
  - { sku: SKU-001, tags: [], name: Iftar Tomatoes }
suppliers:
  - { name: Fresh Farms, phone: "1", items: [{ item: SKU-002, order_unit: box, order_to_storage_factor: 2 }] }
`,
  );
  await workspace.boh('change', 'create', 'ramadan', menu, ...weekend, '--yes', '--timezone', 'UTC');
  const rehearseResult = await workspace.boh('change', 'rehearse', 'ramadan', '-o', 'json');
  expect(rehearseResult.exitCode, rehearseResult.stdout + rehearseResult.stderr).toBe(0);
  const { findings, not_as_before: different } = JSON.parse(rehearseResult.stdout);
  expect(different).toEqual([]);
  expect(findings).toContainEqual(expect.stringMatching(/^tag-unused: tags /));
});

test('a set that changes users: is rehearsed with the owner of the account', async () => {
  const workspace = openWorkspaceAt();
  const source = ['users', '--where', 'number=1000', '--set', 'phone=5551', ...weekend, '--yes'];
  await workspace.boh('change', 'create', 'phones', ...source, '--timezone', 'UTC');
  const rehearsed = await workspace.boh('change', 'rehearse', 'phones', '-o', 'json');
  expect(rehearsed.exitCode, rehearsed.stdout + rehearsed.stderr).toBe(0);
});

test('a record that already exists: stops the set with exit code 6', async () => {
  const workspace = openWorkspaceAt();
  const file = join(workspace.config, 'zones.yaml');
  writeFileSync(file, 'delivery-zones:\n  - { $key: [name], name: Twice, reference: ZONE-NORTH }\n');
  const result = await workspace.boh(
    'change',
    'create',
    'zones',
    file,
    ...weekend,
    '--yes',
    '--timezone',
    'UTC',
  );
  expect(result.exitCode, result.stderr).toBe(0);
  const rehearseResult = await workspace.boh('change', 'rehearse', 'zones', '-o', 'json');
  expect(rehearseResult.exitCode).toBe(6);
  expect(JSON.parse(rehearseResult.stdout).reports[0]).toMatchObject({
    outcome: 'stopped',
    left: [expect.stringContaining('delivery-zone-1 with its key')],
  });
});

test('a set that was planned before another one began: is rehearsed with the values of the other one', async () => {
  const workspace = openWorkspaceAt();
  await createCostSet(workspace, 'month', 9, '--at', '2027-05-01', '--until', '2027-06-01', '--yes');
  await createCostSet(
    workspace,
    'day',
    8,
    '--at',
    '2027-05-10',
    '--until',
    '2027-05-11',
    '--nested',
    '--yes',
  );
  await runDueSets(workspace, '2027-05-01 00:00');
  expect(await readCost(workspace)).toBe(9);
  const rehearsed = await workspace.boh('change', 'rehearse', 'day', '-o', 'json');
  expect(rehearsed.exitCode, rehearsed.stdout + rehearsed.stderr).toBe(0);
  expect(await readCost(workspace)).toBe(9);
  expect((await runDueSets(workspace, '2027-05-10 00:00')).acts).toEqual(['day begin done']);
});
