import { describe, expect, it } from 'vitest';
import { buildCostHistory, type CostLine } from '../../src/cli/pictures/costs/cost-history.ts';
import { describeCosts, drawCosts, renderCostsSvg } from '../../src/cli/pictures/costs/draw-costs.ts';
import {
  compareLevels,
  describeLevels,
  type LevelItem,
} from '../../src/cli/pictures/levels/compare-levels.ts';
import { renderLevelBar, renderLevelsSvg } from '../../src/cli/pictures/levels/draw-levels.ts';

const line = (day: string | null, cost: number, values: Partial<CostLine> = {}): CostLine => ({
  id: `${day}`,
  reference: null,
  day,
  isInEffect: true,
  branch: null,
  cost,
  previousCost: null,
  ...values,
});

describe('buildCostHistory and its drawing', () => {
  const history = buildCostHistory(
    [
      line('2026-03-01', 12),
      line('2026-01-01', 10, { previousCost: 8 }),
      line(null, 99, { isInEffect: false }),
    ],
    12,
  );

  it('sorts changes by day and compares each with the previous cost', () => {
    expect(history.changes.map(({ cost, previousCost, change }) => [cost, previousCost, change])).toEqual([
      [10, 8, 0.25],
      [12, 10, expect.closeTo(0.2)],
    ]);
    expect(history.drafts.map(({ cost }) => cost)).toEqual([99]);
  });

  it('describeCosts: describes all changes and adjustments that are not in effect', () => {
    expect(describeCosts(history, { name: 'Onions', unit: 'kg' })).toEqual([
      '2026-01-01: from 8 to 10, up 25%.',
      '2026-03-01: from 10 to 12, up 20%.',
      'Between 10 and 12 since 2026-01-01.',
      'Current cost of Onions: 12 for one kg.',
      'Not in effect yet: 99.',
    ]);
    expect(describeCosts(buildCostHistory([], null), { name: 'Onions', unit: null })).toEqual([
      'No closed cost adjustment changes the cost of Onions.',
    ]);
    expect(
      describeCosts(buildCostHistory([line('2026-01-01', 1)], 2), { name: 'x', unit: null }).at(-1),
    ).toContain('set another cost');
  });

  it('drawCosts: draws a step line from the previous cost to today', () => {
    const lines = drawCosts(history, '2026-04-01', { width: 60, color: false });
    expect(lines[0]).toMatch(/^12 /);
    expect(lines.at(-2)).toMatch(/^ 8 [\u2801-\u28ff]/);
    expect(lines.at(-1)).toMatch(/2026-04-01$/);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(60);
    expect(renderCostsSvg(history, '2026-04-01')).toMatch(/<path class="line" d="M/);
  });

  it('drawCosts: draws nothing without changes, and a level line for a constant cost', () => {
    expect(drawCosts(buildCostHistory([], 1), '2026-04-01', { width: 60, color: false })).toEqual([]);
    const constantLines = drawCosts(buildCostHistory([line('2026-01-01', 5)], 5), '2026-04-01', {
      width: 60,
      color: false,
    });
    expect(constantLines.filter((row) => /[\u2801-\u28ff]/.test(row))).toHaveLength(1);
  });
});

describe('compareLevels', () => {
  const item = (id: string, values: Partial<LevelItem> = {}): LevelItem => ({
    ...{ id, name: id, sku: null, unit: 'kg', minimum: 5, par: 10, maximum: 20, branches: [] },
    ...values,
  });
  const [riverside, airport] = [
    { id: 'r', name: 'Riverside' },
    { id: 'a', name: 'Airport' },
  ];
  const countOf = (quantity: number, day: string | null = '2026-11-01', branch = riverside) => ({
    item: 'a',
    branch,
    day,
    quantity,
  });

  it.each([
    [4, 'short'],
    [5, 'below par'],
    [10, 'fine'],
    [20, 'fine'],
    [21, 'too much'],
    [0, 'short'],
  ])('a count of %d: is %s', (quantity, state) => {
    expect(compareLevels([item('a')], [countOf(quantity)])).toMatchObject([{ state, counted: quantity }]);
  });

  it('uses the last count and the levels of each branch', () => {
    const branches = [{ ...airport, minimum: 50, par: null, maximum: 99 }];
    const comparisons = compareLevels(
      [item('a', { branches })],
      [
        countOf(15, '2026-11-02'),
        countOf(1, '2026-11-01'),
        countOf(30, '2026-11-01', airport),
        countOf(0, null),
      ],
    );
    expect(
      comparisons.map(({ branch, counted, minimum, par, state }) => [
        branch?.name,
        counted,
        minimum,
        par,
        state,
      ]),
    ).toEqual([
      ['Airport', 30, 50, 10, 'short'],
      ['Riverside', 15, 5, 10, 'fine'],
    ]);
  });

  it('with a branch: omits other branches and includes all items', () => {
    const comparisons = compareLevels(
      [item('a'), item('b')],
      [countOf(4), countOf(30, '2026-11-01', airport)],
      'r',
    );
    expect(comparisons.map(({ item: { id }, state }) => [id, state])).toEqual([
      ['a', 'short'],
      ['b', 'not counted'],
    ]);
  });

  it('describeLevels: reports an item without levels', () => {
    const itemWithoutLevels = item('a', { minimum: null, par: null, maximum: null });
    expect(describeLevels(compareLevels([itemWithoutLevels], [countOf(3)]))).toEqual([
      'a in Riverside; 3 kg counted on 2026-11-01; no levels are set.',
    ]);
  });

  it('renderLevelBar: has a fixed length, heavy up to the counted quantity', () => {
    const [level] = compareLevels([item('a')], [countOf(10)]);
    expect(level && renderLevelBar(level, 21)).toBe('━━━━━┣━━━━╋─────────┤');
    const [none] = compareLevels([item('a')], [countOf(0)]);
    expect(none && renderLevelBar(none, 21)).toBe('─────├────┼─────────┤');
    const [levelAbove] = compareLevels([item('a', { maximum: 5, minimum: null, par: null })], [countOf(10)]);
    expect(levelAbove && renderLevelBar(levelAbove, 11)).toBe('━━━━━┫━━━━━');
    expect(renderLevelsSvg(compareLevels([item('<a>')], []))).toContain('&#60;a&#62;');
  });
});
