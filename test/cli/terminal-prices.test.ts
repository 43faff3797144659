import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { startDemo } from '../harness/demo.ts';
import { keys, terminalTest as test } from '../harness/terminal.ts';

const demo = startDemo();
afterAll(() => demo.remove());

test('a price list on a terminal: asks for unknown items once, and the next list needs no question', async () => {
  const file = join(demo.folder, 'list.csv');
  const line = `boh --sandbox suppliers prices '@Fresh Farms' ${file}`;
  writeFileSync(file, 'Artikel,Price\nTomatoes,22\nFresh Lettuce,52\n');
  const terminal = demo.terminal(line);
  await terminal.waitFor('Which field does the column "Artikel" contain?');
  terminal.types('name');
  await terminal.waitFor('name');
  terminal.types(keys.enter);
  await terminal.waitFor('Which inventory item is "Fresh Lettuce"?');
  await terminal.waitFor('Lettuce (SKU-005)');
  terminal.types(keys.enter);
  await terminal.waitFor('Set the cost of 2 items with a fixed cost, too?');
  await terminal.waitFor('Create a draft cost adjustment');
  terminal.types(keys.enter);
  const confirmation = await terminal.waitFor('Write 2 prices?');
  expect(confirmation).toContain('2 up');
  expect(confirmation).toContain('cost 20 → 22 (+10%)');
  terminal.types('y', keys.enter);
  expect(await terminal.ended()).toBe(0);

  writeFileSync(file, 'Artikel,Price\nTomatoes,23\nFresh Lettuce,53\n');
  const next = demo.terminal(`${line} --yes`);
  expect(await next.ended()).toBe(0);
  expect(next.text()).toContain('2 linked.');

  writeFileSync(file, 'Artikel,Price\nTomatoes,24\nFresh Lettuce,53\n');
  const withAdjustment = demo.terminal(line);
  await withAdjustment.waitFor('Set the cost of the item with a fixed cost, too?');
  withAdjustment.types(keys.down, keys.down, keys.enter);
  await withAdjustment.waitFor('Branch of the cost adjustment');
  withAdjustment.types('Riverside', keys.enter);
  expect(await withAdjustment.waitFor('Write 2 prices?')).toContain('branch-riverside');
  withAdjustment.types('y', keys.enter);
  expect(await withAdjustment.ended()).toBe(0);
});
