/** Imports files whose values a spreadsheet or a wrong encoding has damaged since the export. */
import { Buffer } from 'node:buffer';
import { describe, expect, test } from 'vitest';
import { failureOf } from '../harness/run-boh.ts';
import { createWorkbook, dayCell } from '../harness/workbook/create-workbook.ts';
import { openImportSandbox } from './import-sandbox.ts';

/** Imports an old and then a new value of a field, and returns the results with and without --accept-damage. */
async function change(field: 'sku' | 'barcode' | 'phone' | 'name', old: string, text: string, flags = '') {
  const sandbox = openImportSandbox();
  const resource = field === 'phone' ? 'customers' : 'inventory-items';
  const id = field === 'phone' ? 'customer-1' : 'inventory-item-1';
  const file = (value: string) => `${JSON.stringify({ id, [field]: value })}\n`;
  const seeded = await sandbox.import('old.ndjson', file(old), `${resource} --accept-damage --yes`);
  expect(seeded.exitCode, seeded.stderr).toBe(0);
  const refused = await sandbox.import('new.ndjson', file(text), `${resource} --dry-run${flags}`);
  const accepted = await sandbox.import(
    'new.ndjson',
    file(text),
    `${resource} --dry-run --accept-damage${flags}`,
  );
  return { refused, change: accepted.rows[0]?.changes?.[field] };
}

const misread = (text: string, saved: BufferEncoding, encoding: string) =>
  new TextDecoder(encoding).decode(Buffer.from(text, saved), { stream: true });

describe('import: a change that only damages the earlier value', () => {
  test.each([
    ['barcode', '0012', '12', 'only loses zeros'],
    ['barcode', '0628100000001', '628100000001.0', 'only loses zeros'],
    ['sku', '1E5', '100000', 'only loses zeros'],
    ['sku', '12e3', '12000', 'only loses zeros'],
    ['sku', '90.750', '90.75', 'only loses zeros'],
    ['sku', '1.10', '1.1', 'only loses zeros'],
    ['sku', '1,10', '1,1', 'only loses zeros'],
    ['sku', 'SKU-0012', '12', 'only loses zeros'],
    ['sku', 'P5', '5', 'only loses zeros'],
    ['sku', '1001', '1001.0', 'only loses zeros'],
    ['barcode', '8901234567890123456', '8901234567890120000', 'only loses zeros'],
    ['barcode', '8901234567890', '8.90123E+12', 'only loses zeros'],
    ['phone', '0551112223', '551112223', 'only loses zeros'],
    ['barcode', '6281000000001', '6281000000000', 'only loses zeros'],
    ['phone', '517654321', '517654000', 'only loses zeros'],
    ['barcode', '6281000000001', '6,281,000,000,001', 'only loses zeros'],
    ['phone', '+966551112223', '966551112223', 'only loses zeros'],
    ['sku', '1-3', '1-Mar', 'becomes a date'],
    ['sku', '1-3', '01-مارس', 'becomes a date'],
    ['sku', 'MAR1', '2026-03-01', 'becomes a date'],
    ['sku', '3/1', '03/01/2026', 'becomes a date'],
    ['name', 'علي محمد', misread('علي محمد', 'utf8', 'windows-1252'), 'wrong encoding'],
    ['name', 'Crème brûlée', misread('Crème brûlée', 'utf8', 'windows-1254'), 'wrong encoding'],
    ['name', 'طحينة', misread('طحينة', 'utf8', 'windows-1256'), 'wrong encoding'],
    [
      'name',
      'Café',
      misread(misread('Café', 'utf8', 'windows-1252'), 'utf8', 'windows-1252'),
      'wrong encoding',
    ],
    ['name', 'منى', 'ãäì', 'wrong encoding'],
    ['name', 'Hűsítő', 'Hûsítõ', 'wrong encoding'],
    ['name', 'منى حداد', '??? ????', 'wrong encoding'],
    ['name', 'Café', 'Caf\ufffd', 'wrong encoding'],
  ] as const)(
    '%s %s to %s: is refused, and written with --accept-damage',
    async (field, old, text, reason) => {
      const { refused, change: accepted } = await change(field, old, text);
      const [message] = Object.values(failureOf(refused).fields ?? {}).flat();
      expect([refused.exitCode, message]).toEqual([2, expect.stringContaining(reason)]);
      expect(message).toContain('--accept-damage');
      expect(accepted).toEqual({ from: old, to: text });
    },
  );

  test.each([
    ['sku', '4711', '004711'],
    ['sku', '100000', '1E5'],
    ['sku', '12', 'SKU-0012'],
    ['sku', '007', '8'],
    ['sku', '1-Mar', '1-3'],
    ['sku', '2026-03-01', '2026-03-02'],
    ['phone', '055 111 2223', '0551112223'],
    ['phone', '551112223', '0551112223'],
    ['name', 'ãäì', 'منى'],
    ['name', 'CafÃ©', 'Café'],
    ['name', 'علي', 'Ali'],
    ['name', 'Café', 'Cafe'],
    ['name', 'Café', 'Café?'],
    ['name', 'Tomatoes', '2026-03-01'],
  ] as const)(
    '%s %s to %s: is another change, such as a repair, and is written',
    async (field, old, text) => {
      const { refused } = await change(field, old, text);
      expect(refused.rows, refused.stderr).toMatchObject([
        { action: 'update', changes: { [field]: { to: text } } },
      ]);
    },
  );

  test('phones with --normalize-phones: lose their zeros on purpose', async () => {
    const { refused } = await change('phone', '0551112223', '0551112223', ' --normalize-phones');
    expect(refused.rows).toMatchObject([{ action: 'update', changes: { phone: { to: '551112223' } } }]);
  });

  test('in a file that boh export wrote for all resources: is refused, and written with --accept-damage', async () => {
    const sandbox = openImportSandbox();
    await sandbox.import('old.csv', 'sku,barcode\nSKU-001,0012\n', 'inventory-items --key sku --yes');
    const folder = `${sandbox.folder}/all`;
    await sandbox.boh(`export --to ${folder} --resource inventory-items`);
    const file = 'all/inventory-items.csv';
    await sandbox.import(file, sandbox.read(file).replace(',0012,', ',12,'), 'inventory-items --dry-run');
    const refused = await sandbox.boh(`import ${folder} --dry-run`);
    expect([refused.exitCode, refused.stderr]).toEqual([
      2,
      expect.stringContaining('barcode only loses zeros'),
    ]);
    const accepted = await sandbox.boh(`import ${folder} --dry-run --accept-damage`);
    expect([accepted.exitCode, accepted.stdout]).toEqual([0, expect.stringContaining('"to":"12"')]);
  });
});

describe('import: a new value with signs of damage', () => {
  const header = 'sku,name,storage_unit,ingredient_unit,storage_to_ingredient_factor,costing_method';
  const importNew = (sku: string, name: string, flags = '') =>
    openImportSandbox().import(
      'new.csv',
      `${header}\n${sku},${name},kg,g,1000,1\n`,
      `inventory-items --key sku --dry-run${flags}`,
    );

  test.each([
    ['N-1', misread('علي', 'utf8', 'windows-1252')],
    ['N-1', misread('خبز عربي', 'utf8', 'windows-1256')],
    ['N-1', misread('Хлеб', 'utf8', 'windows-1251')],
    ['N-1', misread('Café', 'utf8', 'windows-1252')],
    ['N-1', misread('İzmir köfte', 'utf8', 'windows-1254')],
    ['N-1', 'Caf\ufffd'],
    ['1-Mar', 'Rice'],
    ['Mar-26', 'Rice'],
    ['01. Mai', 'Rice'],
    ['2026-03-01 00:00:00', 'Rice'],
  ])('%s, %s: is refused, and created with --accept-damage', async (sku, name) => {
    const refused = await importNew(sku, name);
    expect([refused.exitCode, Object.keys(failureOf(refused).fields ?? {})]).toEqual([2, ['line 2']]);
    const accepted = await importNew(sku, name, ' --accept-damage');
    expect(accepted.rows).toMatchObject([
      { action: 'create', changes: { sku: { to: sku }, name: { to: name } } },
    ]);
  });

  test.each([
    ['MAR-26', 'CAFÉ’S BEST'],
    ['SET-12', 'RÓŻA'],
    ['2026-03-01', '“MENÙ”'],
    ['10-20-30', 'أهلاً؟'],
    ['A-1', 'Сёмга'],
    ['B-1', 'Wait??'],
    ['C-1', '1-Mar'],
  ])('%s, %s: is normal text', async (sku, name) => {
    const { rows, stderr } = await importNew(sku, name);
    expect(rows, stderr).toMatchObject([
      { action: 'create', changes: { sku: { to: sku }, name: { to: name } } },
    ]);
  });

  test('a date in a text column of a workbook: is refused, unless the record has this text', async () => {
    const sandbox = openImportSandbox();
    const book = createWorkbook({
      name: 'S',
      rows: [header.split(','), [dayCell(46_082), 'Rice', 'kg', 'g', 1000, 1]],
    });
    const line = 'inventory-items --key sku --dry-run';
    const refused = await sandbox.import('d.xlsx', book, line);
    expect(failureOf(refused).fields).toEqual({
      'line 2': [expect.stringContaining('sku is a date in a text column')],
    });
    await sandbox.import('d.xlsx', book, 'inventory-items --key sku --accept-damage --yes');
    expect((await sandbox.import('d.xlsx', book, line)).rows).toMatchObject([{ action: 'skip' }]);
  });
});
