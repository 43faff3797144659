/** Tests that a change set needs the confirmation of its writes when it is made, because nothing is asked when it starts. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { failureOf } from '../harness/run-boh.ts';
import type { Workspace } from '../history/sandbox-workspace.ts';
import { openWorkspaceAt, setClock } from './change-workspace.ts';

/** Opens a workspace with a protected profile for the sandbox, and a function that runs lines in it. */
async function openProtected() {
  const workspace: Workspace = openWorkspaceAt();
  const boh = (...words: string[]) => workspace.bohWithoutSandbox({}, ...words);
  expect((await boh('profiles', 'add', 'live', '--sandbox', '--protected')).exitCode).toBe(0);
  const tags = join(workspace.config, 'tags.yaml');
  writeFileSync(tags, 'tags:\n  - name: Ramadan\n    type: customer\n');
  const prices = join(workspace.config, 'prices.csv');
  writeFileSync(prices, 'sku,cost\nSKU-001,5\n');
  const plan = join(workspace.config, 'prices.plan');
  expect((await boh('inventory-items', 'import', prices, '--key', 'sku', '--out', plan)).exitCode).toBe(0);
  return { boh, tags, prices, plan };
}

const schedule = ['--timezone', 'UTC', '--at', '2027-05-01', '--until', '2027-05-03', '--yes'];
const confirmed = ['--profile', 'live'];

describe('change create and edit on a protected profile', () => {
  test.each([
    ['files', ({ tags }: { tags: string }) => [tags]],
    ['--import', ({ prices }: { prices: string }) => ['inventory-items', '--import', prices, '--key', 'sku']],
    ['--where', () => ['inventory-items', '--where', 'sku=SKU-001', '--set', 'cost=5']],
    ['--plan', ({ plan }: { plan: string }) => ['--plan', plan]],
  ])('from %s: need --yes and --profile, as its writes do', async (_, sourceOf) => {
    const { boh, ...files } = await openProtected();
    const line = ['change', 'create', 'sale', ...sourceOf({ ...files } as never), ...schedule];
    const refused = await boh(...line);
    expect(refused.exitCode).toBe(2);
    expect(failureOf(refused).hint).toContain('--yes --profile live');
    expect(JSON.parse((await boh('change', 'list', '--json')).stdout)).toEqual([]);

    const created = await boh(...line, ...confirmed);
    expect(created.exitCode, created.stderr).toBe(0);
    const edit = ['change', 'edit', 'sale', '--until', '2027-05-04', '--yes'];
    expect((await boh(...edit)).exitCode).toBe(2);
    expect((await boh(...edit, ...confirmed)).exitCode).toBe(0);
  });

  test('with findings of boh lint: stop, and --allow is stored with the set', async () => {
    const { boh, tags } = await openProtected();
    writeFileSync(tags, 'inventory_items:\n  - sku: SKU-001\n    storage_to_ingredient_factor: 100\n');
    const line = ['change', 'create', 'sale', tags, ...schedule, ...confirmed];
    const refused = await boh(...line);
    expect(refused.exitCode).toBe(2);
    const rules = /--allow (\S+?)[.\s]/.exec(failureOf(refused).hint ?? '')?.[1] ?? '';
    expect(rules).not.toBe('');
    const created = await boh(...line, '--allow', rules, '--json');
    expect(created.exitCode, created.stderr).toBe(0);
    expect(JSON.parse(created.stdout).allow).toEqual(rules.split(','));
    expect((await boh('change', 'edit', 'sale', tags, '--yes', ...confirmed)).exitCode).toBe(0);
  });
});

test('change run without --profile: reports what to do once, and the set stays scheduled', async () => {
  const { boh, tags } = await openProtected();
  expect((await boh('change', 'create', 'sale', tags, ...schedule, ...confirmed)).exitCode).toBe(0);
  setClock('2027-05-01 00:00');
  const first = await boh('change', 'run');
  expect(first.exitCode).toBe(2);
  expect(failureOf(first).hint).toContain('--profile live');
  const states = async () => JSON.parse((await boh('change', 'list', '--json')).stdout);
  expect(await states()).toMatchObject([{ state: 'planned', reason: expect.stringContaining('protected') }]);

  setClock('2027-05-01 00:01');
  const second = await boh('change', 'run', '--quiet');
  expect(second).toMatchObject({ exitCode: 0, stdout: '[]\n', stderr: '' });
  expect((await boh('change', 'run', ...confirmed)).exitCode).toBe(0);
  expect(await states()).toMatchObject([{ state: 'active', reason: null }]);
});

test.each([
  ['its ID', (run: string) => run],
  ['--last', () => '--last'],
])('undo of the run that began a set, by %s: ends the set', async (_, selectorOf) => {
  const { boh, tags } = await openProtected();
  expect((await boh('change', 'create', 'sale', tags, ...schedule, ...confirmed)).exitCode).toBe(0);
  setClock('2027-05-01 00:00');
  expect((await boh('change', 'run', ...confirmed)).exitCode).toBe(0);
  const [{ run }] = JSON.parse((await boh('change', 'list', '--json')).stdout);
  const undone = await boh('undo', selectorOf(run), '--yes', ...confirmed);
  expect(undone.exitCode, undone.stderr).toBe(0);
  expect(JSON.parse((await boh('change', 'list', '--json')).stdout)).toMatchObject([{ state: 'ended' }]);
  setClock('2027-05-03 00:00');
  expect((await boh('change', 'run', ...confirmed)).stdout).toBe('[]\n');
});
