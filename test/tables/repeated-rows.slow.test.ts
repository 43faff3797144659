import { expect, test } from 'vitest';
import { openImportSandbox } from '../bulk/import-sandbox.ts';
import { failureOf } from '../harness/run-boh.ts';
import { createWorkbook, partsOf } from '../harness/workbook/create-workbook.ts';
import { createZip } from '../harness/workbook/zip.ts';

test('import of a sheet with two rows of the same number: is refused', async () => {
  const parts = partsOf([{ name: 'Sheet1', rows: [['name'], ['First'], ['Second']] }]).map((part) => ({
    ...part,
    content: String(part.content).replace('<row r="3"', '<row r="2"').replace('r="A3"', 'r="A2"'),
  }));
  const result = await openImportSandbox().import(
    'tags.xlsx',
    createZip(parts),
    'tags --mode create --dry-run',
  );
  expect(failureOf(result).message).toBe(
    'The file tags.xlsx has several rows with the number 2 in its sheet "Sheet1".',
  );
});

test('import of a sheet with two cells of the same reference: is refused', async () => {
  const rows = [
    ['name', 'contact_name'],
    ['First', 'Second'],
  ];
  const parts = partsOf([
    { name: 'Other', rows },
    { name: 'Sheet2', rows },
  ]).map((part) => ({
    ...part,
    content: part.name.endsWith('sheet2.xml')
      ? String(part.content).replace('r="A2"', 'r="B2"')
      : part.content,
  }));
  const sandbox = openImportSandbox();
  const refusedResult = await sandbox.import(
    'suppliers.xlsx',
    createZip(parts),
    'suppliers --mode create --sheet Sheet2 --dry-run',
  );
  expect(failureOf(refusedResult).message).toBe(
    'The file suppliers.xlsx has several cells with the reference B2 in its sheet "Sheet2".',
  );
  const otherSheetResult = await sandbox.import(
    'suppliers.xlsx',
    createZip(parts),
    'suppliers --mode create --sheet Other --dry-run',
  );
  expect(otherSheetResult.rows.map(({ action }) => action)).toEqual(['create']);
});

test('import of a boolean cell in a text field: reads the displayed text', async () => {
  const sheet = {
    name: 'Sheet1',
    rows: [
      ['sku', 'barcode'],
      ['SKU-001', true],
    ],
  };
  const result = await openImportSandbox().import(
    'items.xlsx',
    createWorkbook(sheet),
    'inventory-items --key sku --dry-run',
  );
  expect(result.rows[0]?.changes?.barcode?.to).toBe('TRUE');
});
