/** A saved plan that was edited sends nothing, because what was reviewed must be what is sent. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import {
  createCostSet,
  openWorkspaceAt,
  readCost,
  readStates,
  runDueSets,
} from '../changes/change-workspace.ts';
import { failureOf } from '../harness/run-boh.ts';
import { createWorkspace } from '../history/sandbox-workspace.ts';

const edits: [string, string][] = [
  ['another value to send', `UPDATE rows SET steps = replace(steps, '9.5', '950')`],
  [
    'another value to send, and no digest',
    `UPDATE rows SET steps = replace(steps, '9.5', '950'); DELETE FROM facts WHERE name = 'row_digest'`,
  ],
  ['no digest', `DELETE FROM facts WHERE name = 'row_digest'`],
  ['a row less', 'DELETE FROM rows'],
];

function editFile(file: string, sql: string): void {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
}

const plans: [string, string, [string, string][]][] = [
  ['an import', 'inventory-items import prices.csv --key sku', edits],
  ['update --where', 'inventory-items update --where sku=SKU-001 --cost 9.5', edits],
  ['boh plan', 'plan costs.yaml', edits],
];

describe.each(plans)('the plan of %s', (_, line, editsOfPlan) => {
  test.each(editsOfPlan)('with %s: is refused, and nothing is sent', async (_, sql) => {
    const { config, boh, json } = createWorkspace();
    writeFileSync(join(config, 'prices.csv'), 'sku,cost\nSKU-001,9.5\n');
    writeFileSync(join(config, 'costs.yaml'), 'inventory_items:\n  - sku: SKU-001\n    cost: 9.5\n');
    const plan = join(config, 'a.plan');
    const words = line.replace(/(prices\.csv|costs\.yaml)/, join(config, '$1')).split(' ');
    const planned = await boh(...words, '--out', plan);
    expect(planned.exitCode, planned.stderr).toBe(0);
    editFile(plan, sql);
    for (const flag of ['--dry-run', '--yes']) {
      const refused = await boh('apply', '--plan', plan, flag);
      expect(refused.exitCode, refused.stdout).toBe(2);
      expect(failureOf(refused).message).toMatch(/changed/);
    }
    expect(await json('inventory-items', 'get', '@SKU-001', '--query', 'cost')).toBe(4.5);
  });
});

test.each(edits)('the plan of a change set with %s: is not begun, and is reported once', async (_, sql) => {
  const workspace = openWorkspaceAt();
  await createCostSet(workspace, 'sale', 9.5, '--at', '2027-05-01 04:00', '--until', '2027-05-03 04:00');
  editFile(join(workspace.account, 'history.sqlite'), sql);
  const result = await runDueSets(workspace, '2027-05-01 04:00');
  expect(result).toMatchObject({ exitCode: 9, acts: ['sale begin stopped'] });
  expect(result.reports[0]?.message).toBe(
    'The plan of the set was changed or damaged after it was saved. Nothing was sent.',
  );
  expect([await readCost(workspace), await readStates(workspace)]).toEqual([4.5, { sale: 'stopped' }]);
  expect((await runDueSets(workspace, '2027-05-01 04:01')).acts).toEqual([]);
});
