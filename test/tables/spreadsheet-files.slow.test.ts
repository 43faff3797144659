import { expect, test } from 'vitest';
import { openImportSandbox } from '../bulk/import-sandbox.ts';
import { failureOf } from '../harness/run-boh.ts';
import { createWorkbook, formulaCell } from '../harness/workbook/create-workbook.ts';

test.each(['1999-07-26 0:00:00', '26/07/1999 00:00', '1999-07-26T00:00:00', '26.07.1999 12:00:00 AM'])(
  'import of the date %s: ignores the time midnight',
  async (day) => {
    const sandbox = openImportSandbox();
    const text = `name;phone;birth_date\nHani;555300001;${day}\n`;
    const result = await sandbox.import('days.csv', text, 'customers --key phone --dry-run');
    expect(result.rows).toMatchObject([{ action: 'create', changes: { birth_date: { to: '1999-07-26' } } }]);
  },
);

test('import of a date with another time: is refused; of an ambiguous date: requires --dates', async () => {
  const sandbox = openImportSandbox();
  const header = 'name;phone;birth_date\n';
  const timeResult = await sandbox.import(
    't.csv',
    `${header}A;555300001;1999-07-26 10:30\n`,
    'customers --yes',
  );
  expect(timeResult.rows).toMatchObject([{ line: 2, outcome: 'failed' }]);
  const ambiguousResult = await sandbox.import(
    'o.csv',
    `${header}A;555300001;06/07/1999 00:00\n`,
    'customers --yes',
  );
  expect(failureOf(ambiguousResult)).toMatchObject({
    hint: expect.stringContaining('--dates dmy, mdy or ymd'),
  });
});

test('import of a barcode that a spreadsheet has shortened to a three-digit exponent: is refused', async () => {
  const sandbox = openImportSandbox();
  const text = 'sku;barcode\nSKU-001;6,28100000001235E+021\n';
  const refusedResult = await sandbox.import('b.csv', text, 'inventory-items --key sku --yes');
  expect(refusedResult.exitCode).toBe(2);
  expect(refusedResult.rows[0]?.error?.message).toContain('is a number that a spreadsheet has shortened');
});

test('import of a cell with other line breaks: is not a change in CSV', async () => {
  const sandbox = openImportSandbox();
  const customer = JSON.stringify({ name: 'Mona\r\nHotel', phone: '555300002' });
  await sandbox.import('new.ndjson', `${customer}\n`, 'customers --mode create --yes');
  const importWithName = (name: string) =>
    sandbox.import('c.csv', `phone,name\n555300002,"${name}"\n`, 'customers --key phone --dry-run');
  expect((await importWithName('Mona\nHotel')).rows).toMatchObject([{ action: 'skip' }]);
  expect((await importWithName('Mona\nHostel')).rows).toMatchObject([{ action: 'update' }]);
  const ndjson = `${JSON.stringify({ name: 'Mona\nHotel', phone: '555300002' })}\n`;
  const ndjsonResult = await sandbox.import('c.ndjson', ndjson, 'customers --key phone --dry-run');
  expect(ndjsonResult.rows).toMatchObject([{ action: 'update' }]);
});

test.each([
  ['semicolons', 'Prices of November;;\n;;\nSKU;Cost;Name\nSKU-001;1,5;\n', 3],
  ['no separators', 'Prices\nof November\nsku,cost\nSKU-001,1.5\n', 3],
  ['quotes', '"Prices of ""November"", in kg"\n\nsku,name,cost\nSKU-001,,1.5\n', 3],
])('import of a file with a title and %s: ignores the title with a note', async (_, text, line) => {
  const sandbox = openImportSandbox();
  const result = await sandbox.import('t.csv', text, 'inventory-items --key sku --dry-run');
  expect(result.rows).toMatchObject([{ line: line + 1, key: 'SKU-001', changes: { cost: { to: 1.5 } } }]);
  expect(result.stderr).toContain(`The file t.csv starts with a title: the header is line ${line},`);
});

test('import of a sheet with a merged title: ignores the title with a note', async () => {
  const sandbox = openImportSandbox();
  const rows = [['Prices of November'], [], ['SKU', 'Cost'], ['SKU-001', 1.5]];
  const mergedCells = '<mergeCells count="1"><mergeCell ref="A1:B1"/></mergeCells>';
  const file = createWorkbook({ name: 'Sheet1', rows, extraXml: mergedCells });
  const result = await sandbox.import('t.xlsx', file, 'inventory-items --key sku --dry-run');
  expect(result.rows).toMatchObject([{ line: 4, key: 'SKU-001', changes: { cost: { to: 1.5 } } }]);
  expect(result.stderr).toContain('the header is line 3');
});

test('import of a sheet with a merged address: finds the names of --map, and --header-row and --skip-rows name the row', async () => {
  const sandbox = openImportSandbox();
  const rows = [['Fresh Farms'], ['Name', 'Tariq'], [], ['Code', 'Doos', 'Stuk'], ['SKU-001', 'x', 1.5]];
  const mergedCells = '<mergeCells count="2"><mergeCell ref="A1:C1"/><mergeCell ref="B2:C2"/></mergeCells>';
  const file = createWorkbook({ name: 'Sheet1', rows, extraXml: mergedCells });
  const flags = 'inventory-items --key sku --only-mapped --map Code=sku --map Stuk=cost --dry-run';
  for (const flag of ['', ' --header-row 4', ' --skip-rows 3']) {
    const result = await sandbox.import('t.xlsx', file, flags + flag);
    expect(result.rows).toMatchObject([{ line: 5, key: 'SKU-001', changes: { cost: { to: 1.5 } } }]);
  }
  const blankResult = await sandbox.import('t.xlsx', file, `${flags} --header-row 3`);
  expect(failureOf(blankResult).message).toContain('has no header in row 3');
});

test('import of a sheet with merged headings and a total: skips them, and no record with a problem', async () => {
  const sandbox = openImportSandbox();
  const rows = [
    ['sku', 'cost', 'category'],
    ['VEGETABLES'],
    ['SKU-001', 1.5],
    [null, { xml: '><f>SUM(B2:B3)</f>' }],
    ['Total', 1.5],
    ['SKU-002', { xml: '><f>B3*2</f>' }],
    ['SKU-003', 2, 'Herbs'],
    ['SKU-004', null],
  ];
  const mergedCells = '<mergeCells count="2"><mergeCell ref="A2:C2"/><mergeCell ref="C7:C8"/></mergeCells>';
  const file = createWorkbook({ name: 'Sheet1', rows, extraXml: mergedCells });
  const result = await sandbox.import('t.xlsx', file, 'inventory-items --key sku --dry-run');
  expect(result.stderr).toContain('skipped 3 rows');
  expect(result.stderr).toContain('line 2 "VEGETABLES", line 4 "is a formula without');
  expect(result.rows.map(({ line }) => line)).toEqual([6, 7, 8]);
});

test('import of booleans that LibreOffice writes as formulas: reads booleans', async () => {
  const sandbox = openImportSandbox();
  const rows = [
    ['phone', 'name', 'is_loyalty_enabled'],
    ['510999021', 'منى', { xml: 't="b"><f aca="false">TRUE()</f><v>1</v>' }],
    ['510999022', 'علي', formulaCell('TRUE()')],
  ];
  const file = createWorkbook({ name: 'Sheet1', rows });
  const result = await sandbox.import('yes.xlsx', file, 'customers --key phone --dry-run');
  const changes = { is_loyalty_enabled: { to: true } };
  expect(result.rows).toMatchObject([{ changes }, { changes }]);
  expect(result.stderr).not.toContain('formula');
});

test('import with all columns in --map: the header is not treated as a title', async () => {
  const sandbox = openImportSandbox();
  const flags = 'inventory-items --key sku --map Artikel=sku --map Preis=cost --dry-run';
  const result = await sandbox.import('m.csv', 'Artikel;Preis\nSKU-001;1,5\n', flags);
  expect(result.rows).toMatchObject([{ action: 'update' }]);
});

test("import of text equal to the ledger's placeholder for secrets: imports the text", async () => {
  const sandbox = openImportSandbox();
  const result = await sandbox.import(
    's.csv',
    'name,phone\n$secret,555300009\n',
    'customers --key phone --yes',
  );
  expect(result.rows).toMatchObject([{ outcome: 'done' }]);
  expect(await sandbox.json('customers list --phone 555300009')).toMatchObject([{ name: '$secret' }]);
});

test('import of a row that is too long or a file with too many columns: is refused with a short message', async () => {
  const sandbox = openImportSandbox();
  const text = `name,phone\n"${'x'.repeat(1_000_100)}",5\n`;
  const refusedResult = await sandbox.import('long.csv', text, 'customers --key phone --yes');
  expect(failureOf(refusedResult).message).toContain('the row at line 2 has more than 1,000,000 characters');
  const names = Array.from({ length: 5000 }, (_, index) => `c${index}`);
  const wideResult = await sandbox.import(
    'wide.csv',
    `name,${names.join()}\nA\n`,
    'customers --mode create --yes',
  );
  expect(failureOf(wideResult).message).toContain('has 5000 columns');
  expect(wideResult.stderr.length).toBeLessThan(20_000);
});

test("import of a word in a number column: the message doesn't mention fractions", async () => {
  const sandbox = openImportSandbox();
  const text = 'sku;costing_method;cost\nSKU-001;Total;1,5\nSKU-002;;many\n';
  const refusedResult = await sandbox.import('w.csv', text, 'inventory-items --key sku --yes');
  expect(refusedResult.rows.map(({ error }) => error?.message)).toEqual([
    expect.not.stringContaining('fractions'),
    expect.not.stringContaining('fractions'),
  ]);
});
