/** Change sets begin and end once, at their start and end times, and don't overwrite changes by other users. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ChangeSets } from '../../src/engine/changes/change-sets.ts';
import { executeAction } from '../../src/engine/changes/execute-actions.ts';
import type { Host } from '../../src/engine/changes/host.ts';
import { failureOf } from '../harness/run-boh.ts';
import {
  createCostSet,
  openWorkspaceAt,
  readCost,
  readStates,
  runDueSets,
  setClock,
} from './change-workspace.ts';

const weekend = ['--at', '2027-05-01 04:00', '--until', '2027-05-03 04:00'];

describe('change run', () => {
  test('a set with an end: begins at its start time, and restores the earlier value at its end time', async () => {
    const workspace = openWorkspaceAt();
    expect((await createCostSet(workspace, 'sale', 9.5, ...weekend)).exitCode).toBe(0);
    expect(await runDueSets(workspace, '2027-05-01 03:59')).toMatchObject({ exitCode: 0, acts: [] });
    expect(await readCost(workspace)).toBe(4.5);
    expect(await runDueSets(workspace, '2027-05-01 04:00')).toMatchObject({
      exitCode: 0,
      acts: ['sale begin done'],
    });
    expect(await readCost(workspace)).toBe(9.5);
    expect((await runDueSets(workspace, '2027-05-02 12:00')).acts).toEqual([]);
    expect((await runDueSets(workspace, '2027-05-03 04:01')).acts).toEqual(['sale return done']);
    expect(await readCost(workspace)).toBe(4.5);
    expect((await runDueSets(workspace, '2027-05-04 00:00')).acts).toEqual([]);
    expect(await readStates(workspace)).toEqual({ sale: 'ended' });
  });

  test('a set without an end time: its values are kept', async () => {
    const workspace = openWorkspaceAt();
    await createCostSet(workspace, 'rise', 5, '--at', '2027-05-01');
    expect((await runDueSets(workspace, '2027-05-01 00:30')).acts).toEqual(['rise begin done']);
    expect((await runDueSets(workspace, '2029-01-01 00:00')).acts).toEqual([]);
    expect([await readCost(workspace), await readStates(workspace)]).toEqual([5, { rise: 'ended' }]);
  });

  test('a set that is late by more than its grace period: is not begun, and is reported with exit code 9', async () => {
    const workspace = openWorkspaceAt();
    await createCostSet(workspace, 'sale', 9.5, ...weekend, '--grace', '30m');
    const lateResult = await runDueSets(workspace, '2027-05-01 04:31');
    expect(lateResult).toMatchObject({ exitCode: 9, acts: ['sale begin missed'] });
    expect(lateResult.reports[0]?.message).toBe(
      'The start time passed longer ago than --grace allows. Nothing was sent.',
    );
    expect(lateResult.stderr).toContain("1 of 1 due change set wasn't completed as planned.");
    expect([await readCost(workspace), await readStates(workspace)]).toEqual([4.5, { sale: 'missed' }]);
    expect((await runDueSets(workspace, '2027-05-01 04:32')).acts).toEqual([]);
    const editResult = await workspace.boh(
      'change',
      'edit',
      'sale',
      '--at',
      '2027-05-01 05:00',
      '--timezone',
      'UTC',
    );
    expect(editResult.exitCode).toBe(0);
    expect((await runDueSets(workspace, '2027-05-01 05:00')).acts).toEqual(['sale begin done']);
  });

  test('a machine that is asleep at the end time: restores the values later', async () => {
    const workspace = openWorkspaceAt();
    await createCostSet(workspace, 'sale', 9.5, ...weekend);
    await runDueSets(workspace, '2027-05-01 04:00');
    expect((await runDueSets(workspace, '2027-06-20 09:00')).acts).toEqual(['sale return done']);
    expect(await readCost(workspace)).toBe(4.5);
  });

  test('a machine that is asleep during the whole set: does not begin the set', async () => {
    const workspace = openWorkspaceAt();
    await createCostSet(workspace, 'sale', 9.5, ...weekend, '--grace', '90d');
    expect((await runDueSets(workspace, '2027-05-03 04:00')).acts).toEqual(['sale begin missed']);
    expect(await readCost(workspace)).toBe(4.5);
  });

  test('a clock that is set back: does not begin or end a set twice', async () => {
    const workspace = openWorkspaceAt();
    await createCostSet(workspace, 'sale', 9.5, ...weekend);
    await runDueSets(workspace, '2027-05-01 04:00');
    expect((await runDueSets(workspace, '2027-04-30 04:00')).acts).toEqual([]);
    expect((await runDueSets(workspace, '2027-05-01 04:00')).acts).toEqual([]);
    await runDueSets(workspace, '2027-05-03 04:00');
    expect((await runDueSets(workspace, '2027-05-01 04:00')).acts).toEqual([]);
    expect((await runDueSets(workspace, '2027-05-03 04:00')).acts).toEqual([]);
    expect(await readCost(workspace)).toBe(4.5);
    setClock('2027-05-03 05:00');
    expect(await workspace.json('history', 'inventory-items', '@SKU-001')).toHaveLength(2);
  });

  test('two concurrent runs: only one of them begins the set', async () => {
    const workspace = openWorkspaceAt();
    await createCostSet(workspace, 'sale', 9.5, ...weekend);
    setClock('2027-05-01 04:00');
    const results = await Promise.all([workspace.boh('change', 'run'), workspace.boh('change', 'run')]);
    expect(results.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    expect(results.flatMap(({ stdout }) => JSON.parse(stdout))).toHaveLength(1);
    expect(await workspace.json('history')).toHaveLength(1);
  });

  test('records that another user has changed since the plan: stop the set, or are skipped with --on-changed skip', async () => {
    const workspace = openWorkspaceAt();
    await createCostSet(workspace, 'stops', 9.5, '--at', '2027-05-01', '--until', '2027-05-02');
    await createCostSet(
      workspace,
      'skips',
      9.5,
      '--at',
      '2027-06-01',
      '--until',
      '2027-06-02',
      '--on-changed',
      'skip',
    );
    await workspace.boh('inventory-items', 'update', '@SKU-001', '--cost', '77');
    const stopped = await runDueSets(workspace, '2027-05-01 00:00');
    expect(stopped).toMatchObject({ exitCode: 9, acts: ['stops begin stopped'] });
    expect(stopped.reports[0]?.left).toEqual([
      expect.stringMatching(/^Tomatoes: Cost left .*changed since the run was planned/),
    ]);
    expect((await runDueSets(workspace, '2027-06-01 00:00')).acts).toEqual(['skips begin partial']);
    expect(await readCost(workspace)).toBe(77);
  });

  test('a value that another user changes during the set: is kept at the end, and is reported', async () => {
    const workspace = openWorkspaceAt();
    const file = join(workspace.config, 'items.csv');
    writeFileSync(file, 'sku,cost,name\nSKU-001,9.5,Red Tomatoes\nSKU-002,8,Cucumbers\n');
    const source = ['--import', file, '--key', 'sku', 'inventory-items', '--timezone', 'UTC'];
    const createResult = await workspace.boh('change', 'create', 'sale', ...source, ...weekend, '--yes');
    expect(createResult.exitCode).toBe(0);
    await runDueSets(workspace, '2027-05-01 04:00');
    await workspace.boh('inventory-items', 'update', '@SKU-001', '--cost', '6');
    const endResult = await runDueSets(workspace, '2027-05-03 04:00');
    expect(endResult).toMatchObject({ exitCode: 9, acts: ['sale return partial'] });
    expect(endResult.reports[0]?.message).toBe('Earlier values restored, except for 1 record.');
    expect(endResult.reports[0]?.left).toEqual([expect.stringMatching(/Cost left .*changed since/)]);
    const shownSet = await workspace.json(
      'inventory-items',
      'list',
      '--query',
      "[?sku=='SKU-001' || sku=='SKU-002'].[name, cost]",
    );
    expect(shownSet).toEqual([
      ['Tomatoes', 6],
      ['Cucumbers', 4],
    ]);
  });

  test('records that the set creates and deletes: are deleted and restored at the end', async () => {
    const workspace = openWorkspaceAt();
    const folder = join(workspace.config, 'menu.yaml');
    writeFileSync(folder, 'tags:\n  - name: Ramadan\n    type: customer\n');
    const flags = ['--timezone', 'UTC', ...weekend, '--yes'];
    expect((await workspace.boh('change', 'create', 'tags', folder, ...flags)).exitCode).toBe(0);
    const plan = join(workspace.config, 'deletions.plan');
    const deletion = `suppliers delete --where name=Fresh* --max-deletes 1 --out ${plan}`;
    await workspace.boh(...deletion.split(' ').map((word) => word.replace('*', ' Farms')));
    expect((await workspace.boh('change', 'create', 'closed', '--plan', plan, ...flags)).exitCode).toBe(0);
    const readNames = async () => [
      await workspace.json('tags', 'list', '--query', "[?name=='Ramadan'].name"),
      await workspace.json('suppliers', 'list', '--query', "[?name=='Fresh Farms'].name"),
    ];
    expect(await readNames()).toEqual([[], ['Fresh Farms']]);
    expect((await runDueSets(workspace, '2027-05-01 04:00')).acts).toEqual([
      'tags begin done',
      'closed begin done',
    ]);
    expect(await readNames()).toEqual([['Ramadan'], []]);
    expect((await runDueSets(workspace, '2027-05-03 04:00')).acts).toEqual([
      'closed return done',
      'tags return done',
    ]);
    expect(await readNames()).toEqual([[], ['Fresh Farms']]);
  });

  test('a set that another machine has begun: is reported, and this machine restores nothing', async () => {
    const workspace = openWorkspaceAt();
    await createCostSet(workspace, 'sale', 9.5, ...weekend);
    setClock('2027-05-01 03:59');
    await workspace.boh('inventory-items', 'update', '@SKU-001', '--cost', '9.5');
    const result = await runDueSets(workspace, '2027-05-01 04:00');
    expect(result).toMatchObject({ exitCode: 9, acts: ['sale begin stopped'] });
    expect(result.stderr).toContain('another machine may have applied them');
    expect((await runDueSets(workspace, '2027-05-03 04:00')).acts).toEqual([]);
    expect(await readCost(workspace)).toBe(9.5);
  });

  test('a set that is edited just before it begins: never begins with the earlier contents', async () => {
    const workspace = openWorkspaceAt();
    await createCostSet(workspace, 'sale', 9.5, ...weekend);
    const sets = new ChangeSets(workspace.account);
    const set = sets.get('sale');
    await workspace.boh(
      'change',
      'edit',
      'sale',
      'inventory-items',
      '--where',
      'sku=SKU-001',
      '--set',
      'cost=8',
    );
    const open = async () => ({ settings: { history: { journal: true } } });
    const host = { now: () => set.startsAt, open } as unknown as Host;
    expect(await executeAction({ set, kind: 'begin', dueAt: set.startsAt }, { sets, host })).toMatchObject({
      outcome: 'failed',
      message: 'The set was edited or canceled at the same time.',
    });
    sets.close();
    expect((await runDueSets(workspace, '2027-05-01 04:00')).acts).toEqual(['sale begin done']);
    expect(await readCost(workspace)).toBe(8);
  });

  test('--notify: passes a report of the run to the program', async () => {
    const workspace = openWorkspaceAt();
    await createCostSet(workspace, 'sale', 9.5, ...weekend);
    const report = join(workspace.config, 'report.json');
    await runDueSets(workspace, '2027-05-01 00:00', '--notify', `cat > ${report}`);
    await runDueSets(workspace, '2027-05-01 04:00', '--notify', `cat > ${report}`);
    const { default: read } = await import(report, { with: { type: 'json' } });
    expect(read).toMatchObject({ reports: [{ name: 'sale', act: 'begin', outcome: 'done', left: [] }] });
  });

  test('--dry-run: shows the sets that are due, and sends nothing', async () => {
    const workspace = openWorkspaceAt();
    await createCostSet(workspace, 'sale', 9.5, ...weekend);
    setClock('2027-05-01 04:00');
    const result = await workspace.json('change', 'run', '--dry-run');
    expect(result).toEqual([{ name: 'sale', act: 'begin', due_at: '2027-05-01 04:00:00' }]);
    expect(await readCost(workspace)).toBe(4.5);
  });
});

describe('history and undo', () => {
  test('history: names the change set of a write', async () => {
    const workspace = openWorkspaceAt();
    await createCostSet(workspace, 'sale', 9.5, ...weekend);
    await runDueSets(workspace, '2027-05-01 04:00');
    await runDueSets(workspace, '2027-05-03 04:00');
    const writes: { change: string }[] = await workspace.json('history');
    expect(writes.map(({ change }) => change)).toEqual(['sale', 'sale']);
  });

  test('undo --change: restores the earlier values immediately, and the end of the set changes nothing', async () => {
    const workspace = openWorkspaceAt();
    await createCostSet(workspace, 'sale', 9.5, ...weekend);
    expect(failureOf(await workspace.boh('undo', '--change', 'sale', '--yes')).message).toContain(
      "hasn't started",
    );
    await runDueSets(workspace, '2027-05-01 04:00');
    expect((await workspace.boh('undo', '--change', 'sale', '--dry-run')).exitCode).toBe(0);
    expect(await readStates(workspace)).toEqual({ sale: 'active' });
    expect((await workspace.boh('undo', '--change', 'sale', '--yes')).exitCode).toBe(0);
    expect([await readCost(workspace), await readStates(workspace)]).toEqual([4.5, { sale: 'ended' }]);
    expect((await runDueSets(workspace, '2027-05-03 04:00')).acts).toEqual([]);
  });
});
