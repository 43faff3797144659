import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { failureOf } from '../harness/run-boh.ts';
import { type ImportSandbox, openImportSandbox } from './import-sandbox.ts';

interface Document {
  id: string;
  reference: string | null;
  status: number;
  branch: { id: string };
  items: { id: string; pivot: Record<string, number> }[];
}

/** Returns the documents that an import has created, with the amounts of their lines. */
async function listCreatedDocuments(
  sandbox: ImportSandbox,
  resource: string,
  result: { rows: { id: string | null }[] },
  amount: string,
) {
  const documents = await sandbox.json<Document[]>(`${resource} list --all`);
  return result.rows.map(({ id }) => {
    const document = documents.find((other) => other.id === id);
    const lines = document?.items.map(({ pivot }) => pivot[amount]);
    return [document?.branch.id, document?.status, lines];
  });
}

describe('import of a sheet with a row for each line of a document', () => {
  test('inventory counts: rows with equal header columns become one draft, and items without a quantity are omitted', async () => {
    const sandbox = openImportSandbox();
    const sheet = [
      'Branch;SKU;Name;Quantity',
      'Riverside;SKU-001;Tomatoes;12,5',
      'Old Town;SKU-001;Tomatoes;3',
      'Riverside;SKU-002;Cucumbers;',
      'Riverside;SKU-003;Onions;7',
    ];
    const result = await sandbox.import('count.csv', sheet.join('\n'), 'inventory-counts --yes');
    expect([result.exitCode, result.rows.map(({ line, action }) => [line, action])]).toEqual([
      0,
      [
        [2, 'create'],
        [3, 'create'],
      ],
    ]);
    expect(result.stderr).toContain('columns ignored, because they describe the items: Name.');
    expect(await listCreatedDocuments(sandbox, 'inventory-counts', result, 'quantity')).toEqual([
      ['branch-riverside', 1, [12.5, 7]],
      ['branch-old-town', 1, [3]],
    ]);
  });

  test('transfer orders: rows with the same reference become one order, and a second import changes nothing', async () => {
    const sandbox = openImportSandbox();
    const sheet = [
      'reference,branch,warehouse,item,quantity',
      'T-1,Riverside,warehouse-central,SKU-001,4',
      'T-2,Old Town,warehouse-central,SKU-002,1',
      'T-1,,,SKU-002,5',
    ].join('\n');
    const result = await sandbox.import('orders.csv', sheet, 'transfer-orders --yes');
    expect(await listCreatedDocuments(sandbox, 'transfer-orders', result, 'quantity')).toEqual([
      ['branch-riverside', 1, [4, 5]],
      ['branch-old-town', 1, [1]],
    ]);
    const repeatResult = await sandbox.import('orders.csv', sheet, 'transfer-orders --yes');
    expect(repeatResult.rows.map(({ action }) => action)).toEqual(['skip', 'skip']);
    const secondResult = await sandbox.import(
      'orders.csv',
      sheet.replace(',5', ',6'),
      'transfer-orders --yes',
    );
    expect(secondResult.rows.find(({ line }) => line === 2)?.action).toBe('update');
    expect(secondResult.rows.find(({ line }) => line === 3)?.action).toBe('skip');
  });

  test('cost adjustments: a reference, which the service assigns, only groups the rows', async () => {
    const sandbox = openImportSandbox();
    const sheet = [
      'reference,branch,sku,cost_per_unit',
      'A,Riverside,SKU-001,4.5',
      'A,Riverside,SKU-002,5',
      'B,Riverside,SKU-001,6',
    ].join('\n');
    const result = await sandbox.import('costs.csv', sheet, 'cost-adjustments --yes');
    expect(await listCreatedDocuments(sandbox, 'cost-adjustments', result, 'cost_per_unit')).toEqual([
      ['branch-riverside', 1, [4.5, 5]],
      ['branch-riverside', 1, [6]],
    ]);
  });

  test('invalid lines: all are reported with their lines, and all rows of the document are kept as failed', async () => {
    const sandbox = openImportSandbox();
    const sheet = [
      'reference,branch,warehouse,sku,quantity',
      'T-1,Old Town,warehouse-central,SKU-001,x',
      'T-1,Riverside,warehouse-central,SKU-002,4',
      'T-1,Riverside,warehouse-central,SKU-002,4',
      'T-1,,,,4',
      'T-2,Riverside,warehouse-central,SKU-002,',
      'T-3,Riverside,warehouse-central,SKU-999,1',
      'T-4,Riverside,warehouse-central,SKU-002,1',
    ].join('\n');
    const refusedResult = await sandbox.import('orders.csv', sheet, 'transfer-orders --yes');
    expect(failureOf(refusedResult).fields).toEqual({
      'line 2': [
        'quantity of line 2 must be a number, such as 2.5: "x"; branch differs within the document: "Old Town" in line 2, "Riverside" in line 3; sku is SKU-002 in both line 3 and line 4; sku is missing in line 5.',
      ],
      'line 6': [expect.stringMatching(/^quantity is missing in all lines/)],
      'line 7': [expect.stringContaining('SKU-999')],
    });
    const failed = join(sandbox.folder, 'failed.csv');
    await sandbox.import('orders.csv', sheet, `transfer-orders --skip-invalid --failed ${failed} --yes`);
    const rows = readFileSync(failed, 'utf8').trim().split('\n');
    expect(rows.map((row) => row.split(',')[0])).toEqual([
      ...['reference', 'T-1', 'T-1', 'T-1', 'T-1', 'T-2', 'T-3'],
    ]);
  });

  test('renamed columns: are read like the others', async () => {
    const sandbox = openImportSandbox();
    const sheet = 'branch,Article,counted\nRiverside,SKU-001,2\nRiverside,SKU-002,3\n';
    const result = await sandbox.import(
      'count.csv',
      sheet,
      'inventory-counts --map Article=sku --map counted=quantity --yes',
    );
    expect(await listCreatedDocuments(sandbox, 'inventory-counts', result, 'quantity')).toEqual([
      ['branch-riverside', 1, [2, 3]],
    ]);
  });
});
