/** Imports values of workbooks that people typed or spreadsheets changed. */
import { expect, test } from 'vitest';
import { openImportSandbox } from '../bulk/import-sandbox.ts';
import { createWorkbook, type SheetContent } from '../harness/workbook/create-workbook.ts';

const workbook = (...rows: SheetContent['rows']) => createWorkbook({ name: 'Sheet1', rows });

test('ambiguous amount with a currency: is refused like one without, and --decimal decides', async () => {
  const sandbox = openImportSandbox();
  const costs = workbook(['sku', 'cost'], ['SKU-001', '12.000 €'], ['SKU-002', 5]);
  const refusedResult = await sandbox.import('c.xlsx', costs, 'inventory-items --key sku --dry-run');
  expect([refusedResult.exitCode, refusedResult.rows.map(({ error }) => error?.message)]).toEqual([
    2,
    [expect.stringContaining('cost is ambiguous')],
  ]);
  for (const [decimal, cost] of [
    ['comma', 12_000],
    ['point', 12],
  ]) {
    const line = `inventory-items --key sku --decimal ${decimal} --dry-run`;
    const { rows } = await sandbox.import('c.xlsx', costs, line);
    expect(rows[0]?.changes).toMatchObject({ cost: { to: cost } });
  }
});
