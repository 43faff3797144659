import { expect, test } from 'vitest';
import { type BohResult, runBoh } from '../harness/run-boh.ts';
import { serve } from '../harness/serve.ts';
import { openSyncedWorkspace, openWorkspace } from './workspace.ts';

type Change = Record<string, unknown>;

test('boh changes: shows what others and boh changed, newest first, with the names of records and users', async () => {
  const workspace = await openSyncedWorkspace('--resource suppliers,customers');
  const [{ id } = { id: '' }] = await workspace.json<{ id: string }[]>('customers list --limit 1');
  await workspace.boh('suppliers update supplier-1 --phone 777');
  await workspace.boh('suppliers unlink-item supplier-1 inventory-item-1 --yes');
  await workspace.sync('--resource suppliers,customers');
  await workspace.boh(`customers delete ${id} --yes`);
  await workspace.sync('--resource suppliers,customers');
  const changes = await workspace.json<Change[]>('changes');
  expect(changes.map(({ resource, operation, field, by }) => [resource, operation, field, by])).toEqual([
    ['customers', 'delete', null, 'boh'],
    ['suppliers', 'remove', 'items', 'boh'],
    ['suppliers', 'update', 'phone', 'boh'],
  ]);
  expect(changes[2]).toMatchObject({ id: 'supplier-1', name: 'Fresh Farms', old: '555000200', new: '777' });
  expect(changes[1]).toMatchObject({ old: 'inventory-item-1', new: null });
  expect(await workspace.json('changes --not-by-boh')).toEqual([]);
  expect(await workspace.json<Change[]>('changes suppliers --field phone --where name=Fresh')).toHaveLength(
    1,
  );
  expect(await workspace.json('changes suppliers --where name=Nobody')).toEqual([]);
  await workspace.boh('mirror forget suppliers supplier-1 --yes');
  expect(await workspace.json('changes suppliers')).toEqual([]);
  for (const line of [
    'changes --field spoon',
    'changes --min-change much',
    'changes --since soon',
    'changes --where name=x',
  ])
    expect({ line, ...(await workspace.boh(line)) }).toMatchObject({ exitCode: 2, stdout: '' });
  await workspace.sync('--no-versions');
  expect(await workspace.boh('changes')).toMatchObject({ exitCode: 5 });
});

test('boh changes --min-change --not-by-boh --exit-code: exits with 10 if a number changed by that much elsewhere', async () => {
  const workspace = openWorkspace();
  const list = 'GET /inventory_items';
  const none = { category: null, ingredients: [], suppliers: [], tags: [], branches: [] };
  const costs = (...values: (number | null)[]) => ({
    data: values.map((cost, index) => ({
      id: `i${index}`,
      name: `Item ${index}`,
      cost,
      updated_at: '2026-01-01 00:00:00',
      ...none,
    })),
    meta: { last_page: 1, total: values.length },
  });
  const responses: Record<string, unknown> = {
    'GET /whoami': { data: { user: { id: 'u' }, business: { id: 'b' } } },
    [list]: costs(10, 10, 0, null, 10),
  };
  const service = await serve(responses);
  const env = { ...workspace.env, BOH_BASE_URL: service.baseUrl, BOH_TOKEN: 'a-token-of-a-test' };
  const boh = (line: string): Promise<BohResult> => runBoh(line.split(' '), { env });
  const alert = 'changes inventory-items --field cost --min-change 20% --not-by-boh --exit-code --json';
  expect(await boh('mirror sync --resource inventory-items')).toMatchObject({ exitCode: 0 });
  responses[list] = costs(11.9, 10, 0, 10, 10);
  await boh('mirror sync --resource inventory-items --full');
  expect(await boh(alert)).toMatchObject({ exitCode: 0, stdout: '[]\n' });
  responses[list] = costs(11.9, 8, 0.5, 10, 10);
  await boh('mirror sync --resource inventory-items --full');
  const result = await boh(alert);
  expect(result.exitCode).toBe(10);
  expect(
    JSON.parse(result.stdout).map(({ name, old, new: value, by }: Change) => [name, old, value, by]),
  ).toEqual([
    ['Item 2', 0, 0.5, null],
    ['Item 1', 10, 8, null],
  ]);
  await service.close();
});

test('boh mirror sync --stream: prints each change of a row once, with all columns, and continues after a number', async () => {
  const workspace = await openSyncedWorkspace('--resource suppliers,customers');
  const stream = async (flags = '') => {
    const result = await workspace.boh(`mirror sync --resource suppliers,customers --stream ${flags}`.trim());
    expect(result).toMatchObject({ exitCode: 0 });
    return result.stdout
      .trim()
      .split('\n')
      .flatMap((line): Change[] => (line === '' ? [] : [JSON.parse(line)]));
  };
  expect(await stream()).toEqual([]);
  await workspace.boh('suppliers update supplier-1 --phone 777');
  await workspace.sync('--resource suppliers,customers');
  await workspace.boh('suppliers unlink-item supplier-1 inventory-item-1 --yes');
  await workspace.boh('suppliers update supplier-1 --phone 778');
  const changes = await stream();
  const [updated, removed] = changes;
  expect(updated).toMatchObject({ sequence: 2, table: 'suppliers', operation: 'update', key: 'supplier-1' });
  expect(updated).toMatchObject({
    old: { phone: '777', name: 'Fresh Farms' },
    new: { phone: '778', name: 'Fresh Farms' },
  });
  expect(Object.keys(updated?.old as Change)).toEqual(Object.keys(updated?.new as Change));
  expect(removed).toMatchObject({ sequence: 3, table: 'suppliers_items', operation: 'remove', new: null });
  expect(changes).toHaveLength(2);
  const all = await stream('--after 0');
  expect(all.map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
  // The row after a change is the row before the next one, not the current one.
  expect(all[0]).toMatchObject({ old: { phone: '555000200' }, new: { phone: '777' } });
  expect(await stream('--after 2')).toEqual([removed]);
  for (const flags of ['--after 1', '--stream --after x', '--stream --no-versions'])
    expect(await workspace.sync(flags)).toMatchObject({ exitCode: 2, stdout: '' });
  await workspace.sync('--resource tags --no-versions');
  expect(await workspace.sync('--resource tags --stream')).toMatchObject({ exitCode: 2, stdout: '' });
});
