import { beforeAll, expect, test } from 'vitest';
import { type Budget, measureLoadedCode, readBudget } from '../../scripts/start-up/budget.ts';

const budget = readBudget();
let loadedCode: Budget;

beforeAll(async () => {
  loadedCode = await measureLoadedCode();
});

test.each(Object.entries(budget))('boh %s: loads at most the code of its budget', (command, limits) => {
  const figures = loadedCode[command];
  const exceededLimits = Object.entries(limits).filter(
    ([name, limit]) => !(Number(figures?.[name as keyof typeof figures]) <= limit),
  );
  const advice =
    'To list the loaded files: BOH_PRINT_LOADS=1 npm run budget. It also writes the new limits; keep them if the increase is needed.';
  expect(exceededLimits, `${JSON.stringify(figures)}, limits ${JSON.stringify(limits)}. ${advice}`).toEqual(
    [],
  );
});

test('every measured command: has a budget', () => {
  expect(Object.keys(loadedCode)).toEqual(Object.keys(budget));
});
