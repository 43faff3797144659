/** Tests that blame names the last write of each field of a record. */
import { expect, test } from 'vitest';
import { createWorkspace } from './sandbox-workspace.ts';

test('blame of a record: names the write that last set each field', async () => {
  const workspace = createWorkspace();
  const { id } = await workspace.json('suppliers', 'create', '--name', 'Zed', '--phone', '1', '--code', 'C');
  await workspace.boh('suppliers', 'update', id, '--phone', '2');
  await workspace.boh('api', 'PUT', `/suppliers/${id}`, '--data', '{"code":"D"}');
  expect(await workspace.json('blame', 'suppliers', id)).toEqual([
    { field: 'name', number: 1 },
    { field: 'phone', number: 2 },
    { field: 'code', number: 3 },
  ]);
  expect(await workspace.json('blame', 'supplier', '@Fresh Farms')).toEqual([]);
});
