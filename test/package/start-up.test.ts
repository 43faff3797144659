import { beforeAll, expect, test } from 'vitest';
import { type Budget, measuredLoads, recordedBudget } from '../../scripts/start-up/budget.ts';

const budget = recordedBudget();
let measured: Budget;

beforeAll(async () => {
  measured = await measuredLoads();
});

test.each(Object.entries(budget))('boh %s: loads no more than its budget', (command, limits) => {
  const loads = measured[command];
  const grown = Object.entries(limits).filter(
    ([figure, limit]) => !(Number(loads?.[figure as keyof typeof loads]) <= limit),
  );
  const advice =
    'What it loads: BOH_LOADS_SHOWN=1 npm run budget. If it must be so, that records the new limits.';
  expect(grown, `${JSON.stringify(loads)} of ${JSON.stringify(limits)}. ${advice}`).toEqual([]);
});

test('every measured command: has a budget', () => {
  expect(Object.keys(measured)).toEqual(Object.keys(budget));
});
