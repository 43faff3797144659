import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startDemo } from '../harness/demo.ts';
import { terminalTest } from '../harness/terminal.ts';
import { createTestHome } from './auth-service.ts';

const demo = startDemo();
const browserHome = createTestHome();
afterAll(() => {
  demo.remove();
  browserHome.remove();
});

describe('delivery-zones map', () => {
  const square = [
    [46.66, 24.7],
    [46.7, 24.7],
    [46.7, 24.72],
    [46.66, 24.72],
    [46.66, 24.7],
  ];
  beforeAll(async () => {
    const createResult = await demo.boh(
      `delivery-zones create --name Überlappung --branches @Riverside --coordinates ${JSON.stringify(square)}`,
    );
    expect(createResult.exitCode).toBe(0);
  });

  terminalTest('on a terminal: draws zones in braille with letters, and lists overlaps below', async () => {
    const terminal = demo.terminal('boh --sandbox delivery-zones map --point 24.71,46.68');
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text()).toMatch(/[\u2801-\u28ff]{3}/);
    expect(terminal.text()).toMatch(/^A {2}City Centre/m);
    expect(terminal.text().replaceAll('\n', ' ')).toMatch(
      /Überlappung overlap: .* km², \d+% of Überlappung; Riverside has both\./,
    );
    expect(terminal.text()).toContain('24.71° N, 46.68° E is in City Centre and Überlappung.');
    const widths = terminal
      .text()
      .split('\n')
      .slice(0, 20)
      .map(({ length }) => length);
    expect(Math.max(...widths)).toBeLessThanOrEqual(80);
  });

  terminalTest('on an ASCII terminal: lists the zones as text', async () => {
    const terminal = demo.terminal('boh --sandbox delivery-zones map', { env: { LC_ALL: 'C' } });
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text()).not.toMatch(/[\u2801-\u28ff]/);
    expect(terminal.text()).toContain('City Centre (ZONE-CENTRE): 19.4');
  });

  test('into a pipe: prints GeoJSON, or rows with -o id and -o csv', async () => {
    const zones = await demo.json<{
      type: string;
      features: { id: string }[];
      overlaps: { zones: string[] }[];
    }>('delivery-zones map');
    expect(zones.type).toBe('FeatureCollection');
    expect(zones.features).toHaveLength(10);
    expect(zones.overlaps.length).toBeGreaterThan(0);
    const ids = await demo.boh('delivery-zones map --branch @Riverside -o id');
    expect(ids.stdout.split('\n')).toContain('delivery-zone-1');
    expect(ids.stdout.trim().split('\n').length).toBeLessThan(10);
    const csv = await demo.boh('delivery-zones map -o csv --point 0,0');
    expect(csv.stdout.split(/\r?\n/)[0]).toBe(
      'id,name,reference,branches,area_km2,problems,overlaps,holds_point',
    );
    expect(csv.stdout).not.toContain('true');
  });

  test('refuses an invalid point, and --open with a format', async () => {
    for (const point of ['here', '91,0', '0,181', '1']) {
      const result = await demo.boh(`delivery-zones map --point ${point}`);
      expect([point, result.exitCode]).toEqual([point, 2]);
    }
    expect((await demo.boh('delivery-zones map --open -o json')).exitCode).toBe(2);
    expect((await demo.boh('delivery-zones map --dry-run')).exitCode).toBe(2);
  });

  terminalTest('--open: opens a page that loads nothing from the network', async () => {
    const terminal = demo.terminal('boh --sandbox delivery-zones map --open', {
      columns: 200,
      env: { PATH: `${demo.folder}:${browserHome.env.PATH}:${process.env.PATH}` },
    });
    expect(await terminal.ended()).toBe(0);
    const [, path = ''] = /The page is in (\S+)\./.exec(terminal.text()) ?? [];
    expect(existsSync(path)).toBe(true);
    const page = readFileSync(path, 'utf8');
    expect(page).toContain('Überlappung');
    expect(page).toContain('<svg');
    expect(page).not.toMatch(/src=|href=|url\(/);
  });
});

describe('timed-events week', () => {
  terminalTest.for([40, 80, 120])(
    'fits a window of %d columns, and lists overlaps below',
    async (columns) => {
      const terminal = demo.terminal('boh --sandbox timed-events week --date 2026-11-22', { columns });
      expect(await terminal.ended()).toBe(0);
      const lines = terminal.text().split('\n');
      expect(Math.max(...lines.map((line) => line.trimEnd().length))).toBeLessThanOrEqual(columns);
      expect(lines.join(' ')).toContain('Lunch Offer and No Grill at Noon run at the same time');
      expect(lines.join(' ')).toContain('Ramadan Dishes never runs');
    },
  );

  test('into a pipe: prints the runs as JSON or CSV, with the filters of the list', async () => {
    const week = await demo.json<{ runs: { name: string }[]; never: { name: string; reason: string }[] }>(
      'timed-events week --date 2026-11-22',
    );
    expect(week.never).toMatchObject([{ name: 'Ramadan Dishes', reason: 'is not active' }]);
    const filtered = await demo.json<typeof week>('timed-events week --date 2026-11-22 --type fixed-price');
    expect(new Set(filtered.runs.map(({ name }) => name))).toEqual(new Set(['Breakfast Price']));
    const rows = await demo.boh('timed-events week --date 2026-11-22 --type fixed-price -o csv');
    expect(rows.stdout).toMatch(/^id,name,date,day,from,to,effect\r?\n/);
    expect((await demo.boh('timed-events week --date 2026-02-30')).exitCode).toBe(2);
  });
});

describe('inventory-items', () => {
  test('costs ITEM: prints its adjustments as records, or as text with --plain', async () => {
    const [adjustment] = await demo.json<{ items: { id: string; pivot: { cost_per_unit: number } }[] }[]>(
      'cost-adjustments list --status closed --limit 1',
    );
    const adjustedItem = adjustment?.items[0];
    const costs = await demo.json<object[]>(`inventory-items costs ${adjustedItem?.id}`);
    expect(costs).toContainEqual(
      expect.objectContaining({ cost_per_unit: adjustedItem?.pivot.cost_per_unit, is_done: true }),
    );
    const plainResult = await demo.boh(`inventory-items costs ${adjustedItem?.id} --plain`);
    expect(plainResult.stdout).toMatch(/^\d{4}-\d\d-\d\d: from .* to /);
    expect((await demo.boh('inventory-items costs @MISSING')).exitCode).toBe(5);
  });

  test('costs without an item: lists recipes, and with --if those that another price changes', async () => {
    const recipes = await demo.json<{ name: string; cost: number }[]>('inventory-items costs');
    expect(recipes.length).toBeGreaterThan(0);
    const changed = await demo.json<{ name: string; cost: number; cost_if: number }[]>(
      'inventory-items costs --if SKU-032=1000',
    );
    expect(changed.length).toBeGreaterThan(0);
    for (const { name, cost, cost_if: costIf } of changed) {
      expect(costIf).toBeGreaterThan(cost);
      expect(recipes).toContainEqual(expect.objectContaining({ name, cost }));
    }
    const refused = await demo.boh('inventory-items costs --if NOTHING=1');
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('matches "NOTHING"')]);
  });

  test('variance COUNT: prints the total, then the largest differences in money', async () => {
    const [closed] = await demo.json<{ id: string; reference: string }[]>(
      'inventory-counts list --where-local status=closed --sort reference',
    );
    const variance = await demo.json<{ total_cost: number; items: { name: string; cost: number }[] }>(
      `inventory-counts variance ${closed?.id}`,
    );
    const costs = variance.items.map(({ cost }) => Math.abs(cost));
    expect(costs).toEqual([...costs].sort((a, b) => b - a));
    expect(variance.total_cost).toBeCloseTo(variance.items.reduce((sum, { cost }) => sum + cost, 0));
    const { stdout } = await demo.boh(`inventory-counts variance ${closed?.id} -o table`);
    const lines = stdout.split('\n');
    expect(lines[0]).toContain(`Variance of ${closed?.reference}`);
    expect(lines[2]).toMatch(new RegExp(`^Total +${variance.total_cost}`));
    expect(lines[3]).toContain(variance.items[0]?.name);
  });

  terminalTest('closing a count on a terminal: shows its variance', async () => {
    const terminal = demo.terminal(
      'boh --sandbox inventory-counts create --branch-id @Riverside --items @SKU-001=1 --status closed --yes',
      { columns: 100 },
    );
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text()).toMatch(
      /Variance of IC-\d+, Riverside.*: 1 item differs\.[\s\S]*Total[\s\S]*Tomatoes/,
    );
  });

  test('levels --order: lists what each supplier must deliver to reach par', async () => {
    const levels =
      await demo.json<{ name: string; counted: number | null; par_level: number | null }[]>(
        'inventory-items levels',
      );
    const lines = await demo.json<
      { supplier: string | null; name: string; quantity: number; missing: number; counted_on: string }[]
    >('inventory-items levels --order');
    const belowPar = levels.filter(
      ({ counted, par_level: par }) => counted !== null && par !== null && counted < par,
    );
    expect(lines.map(({ name }) => name).sort()).toEqual(belowPar.map(({ name }) => name).sort());
    const supplied = lines.filter(({ supplier }) => supplier !== null);
    expect(supplied.length).toBeGreaterThan(0);
    for (const { quantity } of supplied) expect(Number.isInteger(quantity)).toBe(true);
    const { stdout } = await demo.boh('inventory-items levels --order --plain');
    expect(stdout).toContain(`${supplied[0]?.supplier} for `);
    expect(stdout).toMatch(/, from (the count of|counts up to) \d{4}-\d\d-\d\d:/);
  });

  test('levels: prints the last counts of a branch, or no counts since a later date', async () => {
    const levels = await demo.json<{ branch: string | null; state: string; counted: number | null }[]>(
      'inventory-items levels --branch @Riverside',
    );
    expect(levels).toHaveLength((await demo.json<object[]>('inventory-items list')).length);
    expect(new Set(levels.map(({ branch }) => branch))).toEqual(new Set(['Riverside', null]));
    expect(levels[0]?.state).toBe('short');
    const uncountedLevels = await demo.json<{ counted: number | null }[]>(
      'inventory-items levels --branch @Riverside --since 2027-01-01',
    );
    expect(uncountedLevels.every(({ counted }) => counted === null)).toBe(true);
  });

  terminalTest.for([40, 80, 120])('levels: fits a window of %d columns', async (columns) => {
    const terminal = demo.terminal('boh --sandbox inventory-items levels', { columns });
    expect(await terminal.ended()).toBe(0);
    const lines = terminal.text().split('\n');
    expect(Math.max(...lines.map((line) => line.trimEnd().length))).toBeLessThanOrEqual(columns);
  });
});

terminalTest('timed-events update: suggests the weekly view on a terminal, and not into a pipe', async () => {
  const line = 'boh --sandbox timed-events update @HAPPY-HOUR --is-active';
  const [event] = await demo.json<{ id: string }[]>('timed-events list --limit 1');
  const update = line.replace('@HAPPY-HOUR', event?.id ?? '');
  const terminal = demo.terminal(update);
  expect(await terminal.ended()).toBe(0);
  expect(terminal.text()).toContain('To show it in the week: boh --sandbox timed-events week');
  expect((await demo.boh(update.replace('boh --sandbox ', ''))).stderr).not.toContain('To show');
});

terminalTest('creating a count or a cost adjustment: suggests the view that it changes', async () => {
  for (const [resource, hint] of [
    ['inventory-counts', 'To show stock levels: boh --sandbox inventory-items levels'],
    [
      'cost-adjustments',
      'To show the cost of one inventory item over time: boh --sandbox inventory-items costs ID',
    ],
  ]) {
    const terminal = demo.terminal(
      `boh --sandbox ${resource} create --branch-id branch-riverside --status draft --items @SKU-001=3 --no-input`,
    );
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text().replaceAll(/\s+/g, ' ')).toContain(hint);
  }
});
