import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { killAfter } from '../harness/kill-after.ts';
import { isSoak, repetitions, repetitionsTimeoutMs, reportTried } from '../harness/repetitions.ts';
import { serveSandbox } from '../harness/served-sandbox.ts';
import { type RunningBoh, startBoh } from '../harness/start-boh.ts';

/** Delays responses, or drops them after the service has committed: the moments that a kill should hit. */
const faults = `
seed: 5
rules:
  - {route: "POST /**", fault: latency, milliseconds: [0, 15]}
  - {route: "POST /**", fault: reset, after_commit: true, probability: 0.02}
  - {route: "POST /**", fault: status, status: 502, after_commit: true, probability: 0.01}
`;

/** The manifest has a thousand records in a soak, and two hundred otherwise. */
const [items, suppliers, groups, linksPerSupplier] = isSoak ? [700, 100, 100, 3] : [140, 20, 20, 3];

/** Returns a manifest of records that depend on each other: items with tags and categories, and their suppliers. */
function createManifest(prefix: string): string {
  const createList = <Value>(count: number, createItem: (index: number) => Value) =>
    Array.from({ length: count }, (_, index) => createItem(index));
  return JSON.stringify({
    suppliers: createList(suppliers, (index) => ({
      name: `${prefix} supplier ${index}`,
      code: `${prefix}-S${index}`,
      items: createList(linksPerSupplier, (linkIndex) => ({
        item: `${prefix}-${(index * linksPerSupplier + linkIndex) % items}`,
        order_unit: 'box',
        order_to_storage_factor: linkIndex + 1,
      })),
    })),
    'inventory-items': createList(items, (index) => ({
      sku: `${prefix}-${index}`,
      name: `Item ${index}`,
      storage_unit: 'kg',
      ingredient_unit: 'g',
      storage_to_ingredient_factor: 1000,
      costing_method: 'fixed cost',
      category: `${prefix}-C${index % groups}`,
      tags: [`${prefix} tag ${index % groups}`],
    })),
    'inventory-item-categories': createList(groups, (index) => ({
      name: `${prefix} category ${index}`,
      reference: `${prefix}-C${index}`,
    })),
    tags: createList(groups, (index) => ({ name: `${prefix} tag ${index}`, type: 'inventory item' })),
  });
}

const expectedCounts = (prefix: string) =>
  [
    [`SELECT count(*) AS count FROM inventory_items WHERE sku LIKE '${prefix}-%'`, items],
    [`SELECT count(DISTINCT sku) AS count FROM inventory_items WHERE sku LIKE '${prefix}-%'`, items],
    [`SELECT count(*) AS count FROM suppliers WHERE code LIKE '${prefix}-%'`, suppliers],
    [`SELECT count(*) AS count FROM tags WHERE name LIKE '${prefix} %'`, groups],
    [`SELECT count(*) AS count FROM inventory_item_categories WHERE reference LIKE '${prefix}-%'`, groups],
    [
      `SELECT count(*) AS count FROM suppliers_items l JOIN suppliers s ON s.id = l.from_id WHERE s.code LIKE '${prefix}-%'`,
      suppliers * linksPerSupplier,
    ],
  ] as const;

test(
  'apply killed repeatedly and applied again: loses no record and creates no duplicate',
  async () => {
    const kills = repetitions(1, 50);
    const { config, env, boh, row } = await serveSandbox({ faults });
    let killCount = 0;
    for (let fileIndex = 0; killCount < kills; fileIndex++) {
      const prefix = `M${fileIndex}x`;
      const source = join(config, `${fileIndex}.json`);
      writeFileSync(source, createManifest(prefix));
      const line = ['apply', source, '--yes', '-q'];
      for (let isFinished = false; !isFinished; ) {
        // Kills later each time, so that each attempt makes progress.
        if (
          killCount < kills &&
          (await killAfter(600 + ((killCount * 397) % (isSoak ? 2300 : 300)), line, env))
        )
          killCount++;
        else isFinished = (await boh(...line)).exitCode === 0;
      }
      for (const [sql, expected] of expectedCounts(prefix))
        expect([sql, Number(row(sql).count)]).toEqual([sql, expected]);
      expect((await boh('diff', source)).exitCode).toBe(0);
    }
    reportTried({ tried: `${killCount} kills of an apply of 1,000 records` });
  },
  repetitionsTimeoutMs,
);

test('two applies on one account: the second waits, or fails with --no-wait; the lock of a killed apply is released', async () => {
  const faults = 'rules: [{ route: "POST /**", fault: latency, milliseconds: 400 }]';
  const { config, env, boh, json } = await serveSandbox({ faults });
  const source = join(config, 'a.json');
  const tags = Array.from({ length: 40 }, (_, index) => ({ name: `Tag ${index}`, type: 'customer' }));
  writeFileSync(source, JSON.stringify({ tags }));
  const first: RunningBoh = startBoh(['apply', source, '--yes', '-v'], env);
  await first.waitForStderr(/POST \/tags/);
  const second = await boh('apply', source, '--yes', '--no-wait');
  expect([second.exitCode, second.stderr]).toEqual([8, expect.stringContaining('Not waiting for boh apply')]);
  first.kill('SIGKILL');
  await first.ended;
  const [{ id }] = await json('runs', 'list');
  const resume = startBoh(['runs', 'resume', id, '-v'], env);
  await resume.waitForStderr(/POST \/tags/);
  expect((await boh('apply', source, '--yes', '--no-wait')).exitCode).toBe(8);
  resume.kill('SIGKILL');
  await resume.ended;
  const third = await boh('apply', source, '--yes');
  expect(third.exitCode, third.stderr).toBe(0);
  const listedTags = await json('tags', 'list', '--all');
  const createdTags = listedTags.filter(({ name }: { name: string }) => /^Tag \d+$/.test(name));
  expect(createdTags).toHaveLength(40);
  const runs = await json('runs', 'list');
  expect(runs.map(({ state }: { state: string }) => state)).toEqual(['finished', 'finished']);
});
