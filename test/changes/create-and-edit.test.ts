/** Planning, editing and canceling change sets. Irreversible and overlapping changes are refused. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { failureOf } from '../harness/run-boh.ts';
import { createCostSet, openWorkspaceAt, readCost, readStates, runDueSets } from './change-workspace.ts';

describe('change create', () => {
  test('start and end time: are shown in their time zone and in UTC', async () => {
    const workspace = openWorkspaceAt();
    const flags = ['--at', '2027-05-01 04:00', '--until', '2027-05-03 04:00', '--timezone', 'Europe/Berlin'];
    const createResult = await createCostSet(workspace, 'sale', 9.5, ...flags);
    expect(createResult.stderr).toContain('2027-05-01 04:00 Europe/Berlin (2027-05-01 02:00 UTC)');
    expect(JSON.parse(createResult.stdout)).toMatchObject({ at: '2027-05-01 02:00:00', next: 'begin' });
    expect(await readCost(workspace)).toBe(4.5);
    expect(await workspace.json('change', 'show')).toMatchObject([
      { at: '2027-05-01 02:00:00', act: 'begin', name: 'sale', is_due: false },
      { at: '2027-05-03 02:00:00', act: 'return', name: 'sale', is_due: false },
    ]);
  });

  test('several records without --yes: is refused outside a terminal', async () => {
    const workspace = openWorkspaceAt();
    const source = ['inventory-items', '--where', 'sku=SKU-001,SKU-002', '--set', 'cost=9'];
    const refusedResult = await workspace.boh('change', 'create', 'sale', ...source, '--at', '2027-05-01');
    expect([refusedResult.exitCode, failureOf(refusedResult).message]).toEqual([
      2,
      expect.stringContaining('add --yes'),
    ]);
    expect(await workspace.json('change', 'list')).toEqual([]);
  });

  test('irreversible changes: are refused with the reasons, and nothing is saved', async () => {
    const workspace = openWorkspaceAt();
    const flags = ['--status', 'closed', '--out', join(workspace.config, 'closing.plan')];
    await workspace.boh('inventory-counts', 'update', '--where', 'status=draft', ...flags);
    const plan = ['--plan', join(workspace.config, 'closing.plan'), '--at', '2027-05-01', '--yes'];
    const refusedResult = await workspace.boh('change', 'create', 'close', ...plan);
    expect(refusedResult.exitCode).toBe(2);
    expect(failureOf(refusedResult)).toMatchObject({
      message: expect.stringContaining("can't contain irreversible changes"),
      fields: { irreversible: [expect.any(String)] },
    });
    expect(await workspace.json('change', 'list')).toEqual([]);
  });

  test('--until without a history: is refused, because earlier values could not be restored', async () => {
    const workspace = openWorkspaceAt();
    const source = ['inventory-items', '--where', 'sku=SKU-001', '--set', 'cost=9'];
    const line = ['change', 'create', 'sale', ...source, '--at', '2027-05-01', '--until', '2027-05-02'];
    const refusedResult = await workspace.bohWith({ BOH_HISTORY_JOURNAL: 'off' }, ...line);
    expect([refusedResult.exitCode, failureOf(refusedResult).message]).toEqual([
      2,
      expect.stringContaining('--until restores earlier values from the history, which is turned off'),
    ]);
  });

  test('records that have their own dates: are planned, with a hint that a set is not needed', async () => {
    const workspace = openWorkspaceAt();
    const source = ['timed-events', '--where', 'name=Happy Hour', '--set', 'value=30'];
    const createResult = await workspace.boh('change', 'create', 'happy', ...source, '--at', '2027-05-01');
    expect(createResult.stderr).toContain('A timed event has from_date and to_date');
  });

  test.each([
    [['--at', '2026-12-01'], 'in the past'],
    [['--at', '2027-05-02', '--until', '2027-05-01'], '--until must be after --at'],
    [[], 'Missing --at'],
    [['--at', '2027-05-01', '--on-changed', 'maybe'], '--on-changed must be'],
  ])('%s: is refused', async (flags, message) => {
    const refusedResult = await createCostSet(openWorkspaceAt(), 'sale', 9, ...flags);
    expect([refusedResult.exitCode, failureOf(refusedResult).message]).toEqual([
      2,
      expect.stringContaining(message),
    ]);
  });

  test('--skip-invalid: plans the valid rows of a file', async () => {
    const workspace = openWorkspaceAt();
    const file = join(workspace.config, 'costs.csv');
    writeFileSync(file, 'sku,cost\nSKU-001,9\nSKU-002,much\n');
    const line = ['change', 'create', 'sale', '--import', file, '--key', 'sku', 'inventory-items'];
    const flags = ['--at', '2027-05-01', '--timezone', 'UTC'];
    expect((await workspace.boh(...line, ...flags)).exitCode).toBe(2);
    const createResult = await workspace.boh(...line, ...flags, '--skip-invalid');
    expect(createResult.exitCode, createResult.stderr).toBe(0);
    expect((await runDueSets(workspace, '2027-05-01 00:00')).acts).toEqual(['sale begin done']);
  });

  test('an existing name: is refused until its set has ended', async () => {
    const workspace = openWorkspaceAt();
    await createCostSet(workspace, 'sale', 9, '--at', '2027-05-01');
    expect(failureOf(await createCostSet(workspace, 'sale', 9, '--at', '2027-06-01')).message).toContain(
      'already exists',
    );
    expect((await workspace.boh('change', 'cancel', 'sale')).exitCode).toBe(0);
    expect((await createCostSet(workspace, 'sale', 9, '--at', '2027-06-01')).exitCode).toBe(0);
  });
});

describe('conflicts', () => {
  const season = ['--at', '2027-05-01', '--until', '2027-06-01'];
  const weekend = ['--at', '2027-05-08', '--until', '2027-05-10'];

  test('two sets that change the same field at the same time: the second is refused with the name of the first', async () => {
    const workspace = openWorkspaceAt();
    await createCostSet(workspace, 'season', 8, ...season);
    const refusedResult = await createCostSet(workspace, 'weekend', 5, ...weekend);
    expect([refusedResult.exitCode, failureOf(refusedResult).fields]).toEqual([
      2,
      {
        season: [
          expect.stringMatching(
            /^inventory_items inventory-item-1 cost; season runs from .* until .*; one contains the other$/,
          ),
        ],
      },
    ]);
    const crossing = ['--at', '2027-05-20', '--until', '2027-06-20', '--nested'];
    expect((await createCostSet(workspace, 'weekend', 5, ...crossing)).exitCode).toBe(2);
    expect(
      (await createCostSet(workspace, 'after', 5, '--at', '2027-06-01', '--until', '2027-06-02')).exitCode,
    ).toBe(0);
  });

  test('nested sets: begin and end in order, regardless of the order of planning', async () => {
    const workspace = openWorkspaceAt();
    await createCostSet(workspace, 'weekend', 5, ...weekend);
    expect((await createCostSet(workspace, 'season', 8, ...season, '--nested')).exitCode).toBe(0);
    const costs: number[] = [];
    for (const day of ['2027-05-01', '2027-05-08', '2027-05-10', '2027-06-01']) {
      expect((await runDueSets(workspace, `${day} 00:00`)).exitCode).toBe(0);
      costs.push(await readCost(workspace));
    }
    expect(costs).toEqual([8, 5, 8, 4.5]);
  });

  test('nested sets that end while the machine is asleep: are ended in order', async () => {
    const workspace = openWorkspaceAt();
    await createCostSet(workspace, 'season', 8, ...season);
    await createCostSet(workspace, 'weekend', 5, ...weekend, '--nested');
    await runDueSets(workspace, '2027-05-01 00:00');
    await runDueSets(workspace, '2027-05-08 00:00');
    const lateResult = await runDueSets(workspace, '2027-07-01 00:00');
    expect(lateResult.acts).toEqual(['weekend return done', 'season return done']);
    expect(await readCost(workspace)).toBe(4.5);
  });

  test('a set that is planned while another set is in effect: begins after the end of the other set', async () => {
    const workspace = openWorkspaceAt();
    await createCostSet(workspace, 'season', 8, ...season);
    await runDueSets(workspace, '2027-05-01 00:00');
    await createCostSet(workspace, 'later', 6, '--at', '2027-06-01', '--until', '2027-06-05');
    expect((await runDueSets(workspace, '2027-06-01 00:00')).acts).toEqual([
      'season return done',
      'later begin done',
    ]);
    expect(await readCost(workspace)).toBe(6);
    await runDueSets(workspace, '2027-06-05 00:00');
    expect([await readCost(workspace), await readStates(workspace)]).toEqual([
      4.5,
      { season: 'ended', later: 'ended' },
    ]);
  });
});

describe('change edit and cancel', () => {
  test('edit of a set that has begun: changes its end time, but not its start time', async () => {
    const workspace = openWorkspaceAt();
    await createCostSet(workspace, 'sale', 9.5, '--at', '2027-05-01', '--until', '2027-05-03');
    await runDueSets(workspace, '2027-05-01 00:00');
    expect((await workspace.boh('change', 'edit', 'sale', '--at', '2027-05-02')).exitCode).toBe(2);
    expect((await workspace.boh('change', 'edit', 'sale', '--until', '2027-05-02')).exitCode).toBe(0);
    expect((await runDueSets(workspace, '2027-05-02 00:00')).acts).toEqual(['sale return done']);
  });

  test('edit with a source: replaces the changes of a set, and the set begins with the new values', async () => {
    const workspace = openWorkspaceAt();
    await createCostSet(workspace, 'sale', 9.5, '--at', '2027-05-01', '--until', '2027-05-03');
    const source = ['inventory-items', '--where', 'sku=SKU-001', '--set', 'cost=8'];
    const editResult = await workspace.boh('change', 'edit', 'sale', ...source);
    expect(editResult.exitCode, editResult.stderr).toBe(0);
    expect((await workspace.json('change', 'show', 'sale')).changes).toMatchObject([
      { key: 'Tomatoes', changes: { cost: { from: 4.5, to: 8 } } },
    ]);
    await runDueSets(workspace, '2027-05-01 00:00');
    expect(await readCost(workspace)).toBe(8);
    const refusedResult = await workspace.boh('change', 'edit', 'sale', ...source);
    expect([refusedResult.exitCode, failureOf(refusedResult).message]).toEqual([
      2,
      "Change set sale has already started: its contents can't be changed.",
    ]);
    expect((await runDueSets(workspace, '2027-05-03 00:00')).acts).toEqual(['sale return done']);
    expect(await readCost(workspace)).toBe(4.5);
  });

  test('edit of a stopped set with a source: plans the set again with the current records', async () => {
    const workspace = openWorkspaceAt();
    await createCostSet(
      workspace,
      'sale',
      9.5,
      '--at',
      '2027-05-01',
      '--until',
      '2027-05-03',
      '--grace',
      '1d',
    );
    await workspace.boh('inventory-items', 'update', '@SKU-001', '--cost', '7');
    expect((await runDueSets(workspace, '2027-05-01 00:00')).acts).toEqual(['sale begin stopped']);
    const source = ['inventory-items', '--where', 'sku=SKU-001', '--set', 'cost=9.5'];
    expect((await workspace.boh('change', 'edit', 'sale', ...source)).exitCode).toBe(0);
    expect((await runDueSets(workspace, '2027-05-01 00:01')).acts).toEqual(['sale begin done']);
    await runDueSets(workspace, '2027-05-03 00:00');
    expect(await readCost(workspace)).toBe(7);
  });

  test('edit with a source that conflicts or is irreversible: is refused, and the set is unchanged', async () => {
    const workspace = openWorkspaceAt();
    const period = ['--at', '2027-05-01', '--until', '2027-05-03'];
    await createCostSet(workspace, 'tomatoes', 8, ...period);
    const cucumbers = ['inventory-items', '--where', 'sku=SKU-002', '--set', 'cost=8'];
    await workspace.boh('change', 'create', 'cucumbers', ...cucumbers, ...period, '--timezone', 'UTC');
    const setBefore = await workspace.json('change', 'show', 'cucumbers');
    const source = ['inventory-items', '--where', 'sku=SKU-001', '--set', 'cost=9'];
    const conflictResult = await workspace.boh('change', 'edit', 'cucumbers', ...source);
    expect([conflictResult.exitCode, Object.keys(failureOf(conflictResult).fields ?? {})]).toEqual([
      2,
      ['tomatoes'],
    ]);
    const plan = join(workspace.config, 'closing.plan');
    await workspace.boh(
      'inventory-counts',
      'update',
      '--where',
      'status=draft',
      '--status',
      'closed',
      '--out',
      plan,
    );
    const irreversibleResult = await workspace.boh('change', 'edit', 'cucumbers', '--plan', plan, '--yes');
    expect(failureOf(irreversibleResult).message).toContain("can't contain irreversible changes");
    expect(await workspace.json('change', 'show', 'cucumbers')).toEqual(setBefore);
  });

  test('cancel: prevents the start of a set, and refuses a set that has begun', async () => {
    const workspace = openWorkspaceAt();
    await createCostSet(workspace, 'sale', 9.5, '--at', '2027-05-01', '--until', '2027-05-03');
    await workspace.boh('change', 'cancel', 'sale');
    expect((await runDueSets(workspace, '2027-05-01 00:00')).acts).toEqual([]);
    await createCostSet(workspace, 'other', 9.5, '--at', '2027-05-01', '--until', '2027-05-03');
    await runDueSets(workspace, '2027-05-01 00:00');
    const refusedResult = await workspace.boh('change', 'cancel', 'other');
    expect([refusedResult.exitCode, failureOf(refusedResult).hint]).toEqual([
      2,
      expect.stringContaining('undo --change other'),
    ]);
  });

  test('show: compares the plan with the current records', async () => {
    const workspace = openWorkspaceAt();
    await createCostSet(workspace, 'sale', 9.5, '--at', '2027-05-01');
    expect((await workspace.json('change', 'show', 'sale')).changes).toMatchObject([
      { key: 'Tomatoes', changes: { cost: { from: 4.5, to: 9.5 } }, changed_since: null },
    ]);
    await workspace.boh('inventory-items', 'update', '@SKU-001', '--cost', '7');
    expect((await workspace.json('change', 'show', 'sale')).changes).toMatchObject([
      { changed_since: expect.stringContaining('it was changed since') },
    ]);
  });
});

test('another account: its change sets are not shown or run', async () => {
  const workspace = openWorkspaceAt();
  await createCostSet(workspace, 'sale', 9.5, '--at', '2027-05-01');
  expect(await workspace.json('change', 'list')).toHaveLength(1);
  const otherAccount = await workspace.bohWith({ BOH_SANDBOX: 'other' }, 'change', 'list', '-o', 'json');
  expect(JSON.parse(otherAccount.stdout)).toEqual([]);
});

test('--note with the client secret: the secret is redacted before the note is stored', async () => {
  const workspace = openWorkspaceAt();
  const secret = 'canary-4711-secret';
  const run = (...line: string[]) => workspace.bohWith({ BOH_CLIENT_SECRET: secret }, ...line);
  const source = ['inventory-items', '--where', 'sku=SKU-001', '--set', 'cost=9'];
  const schedule = ['--at', '2027-05-01', '--timezone', 'UTC', '--note', `Token ${secret}`];
  expect((await run('change', 'create', 'sale', ...source, ...schedule)).exitCode).toBe(0);
  expect((await workspace.json('change', 'show', 'sale')).note).toBe('Token ••••');
  await run('change', 'edit', 'sale', '--note', `Again ${secret}`);
  expect((await workspace.json('change', 'show', 'sale')).note).toBe('Again ••••');
});
