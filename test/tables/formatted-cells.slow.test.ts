/** Reads numbers that a workbook shows with a format, and dates in columns of text. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openImportSandbox } from '../bulk/import-sandbox.ts';
import { failureOf } from '../harness/run-boh.ts';
import { type CellContent, createWorkbook, dayCell, partsOf } from '../harness/workbook/create-workbook.ts';
import { createZip } from '../harness/workbook/zip.ts';

const book = (rows: CellContent[][]) => createWorkbook({ name: 'Sheet1', rows });
const formatted = (number: number, format: string) => ({ number, format });

test.each([
  [7, '"INV/"000', 'INV/007'],
  [42, '\\R\\-0000', 'R-0042'],
  [2.5, '0.000', '2.500'],
  [1.2, '0.00', '1.20'],
  [56789, '000\\.000', '056.789'],
  [120456, '000-000', '120-456'],
  [712345678, '0#" "##" "##" "##" "##', '07 12 34 56 78'],
  [5329876543, '0### ### ## ##', '0532 987 65 43'],
  [501112233, '"0"#########', '0501112233'],
  [971501112233, '"+"0', '+971501112233'],
  [2025550143, '[<=9999999]###\\-####;\\(###\\)\\ ###\\-####', '(202) 555-0143'],
  [9, '"قطعة "00', 'قطعة 09'],
  [31, '[Red]_-0000_-', '0031'],
  [8901234567894, '0.00E+00', '8901234567894'],
  [8901234567894, 'General', '8901234567894'],
])('import of %s formatted as %s: a text field has the shown text %s', async (number, format, shown) => {
  const sandbox = openImportSandbox();
  const rows = [
    ['name', 'phone'],
    [formatted(number, format), formatted(number, format)],
  ];
  const result = await sandbox.import('f.xlsx', book(rows), 'customers --mode create --dry-run');
  expect(result.exitCode, result.stderr).toBe(0);
  expect(result.rows[0]?.changes).toMatchObject({ name: { to: shown }, phone: { to: shown } });
});

test('import of a number with separators of thousands: a name has them, and a code is refused', async () => {
  const rows = [
    ['name', 'phone'],
    [formatted(4567, '#,##0'), formatted(551234567, '#,##0.00')],
  ];
  const result = await openImportSandbox().import('t.xlsx', book(rows), 'customers --mode create --dry-run');
  expect(result.rows).toMatchObject([
    { error: { problems: [{ column: 'phone', what: expect.stringContaining('551,234,567.00') }] } },
  ]);
});

test('import of formatted numbers: a key matches by the shown text, and number fields have the number', async () => {
  const sandbox = openImportSandbox();
  const rows = [
    ['sku', 'cost'],
    [formatted(1, '"SKU-"000'), formatted(1234.567, '#,##0.0" per kg"')],
  ];
  const result = await sandbox.import('k.xlsx', book(rows), 'inventory-items --key sku --dry-run');
  expect(result.rows).toMatchObject([{ action: 'update', changes: { cost: { to: 1234.567 } } }]);
});

test.each([
  [12.345, '0.0'],
  [98765, '0,'],
  [0, '#'],
  [1, '[=1]"yes";"no"'],
])(
  'import of %s formatted as %s: a text field is refused, because the format hides digits',
  async (number, format) => {
    const sandbox = openImportSandbox();
    const result = await sandbox.import(
      'h.xlsx',
      book([
        ['name', 'phone'],
        ['Ann', formatted(number, format)],
      ]),
      'customers --mode create --dry-run',
    );
    expect(result.exitCode).toBe(2);
    expect(result.rows).toMatchObject([
      { line: 2, error: { message: expect.stringContaining(`phone is ${number}, but its format shows`) } },
    ]);
  },
);

test('import --failed: numbers keep their format, so that the file can be imported', async () => {
  const sandbox = openImportSandbox();
  const rows = [
    ['sku', 'cost', 'barcode'],
    [formatted(1, '"SKU-"000'), formatted(2.5, '0.00'), dayCell(46_000)],
  ];
  const failed = join(sandbox.folder, 'failed.xlsx');
  await sandbox.import('r.xlsx', book(rows), `inventory-items --key sku --failed ${failed} --yes`);
  const result = await sandbox.boh(
    `inventory-items import ${failed} --key sku --map barcode= --dry-run -o ndjson`,
  );
  expect(JSON.parse(result.stdout)).toMatchObject({ action: 'update', changes: { cost: { to: 2.5 } } });
});

test('import of a date in a text field or a name: is refused', async () => {
  const sandbox = openImportSandbox();
  const header = ['sku', 'category', 'name'];
  const rows = [
    header,
    [dayCell(46_082), 'Vegetables', 'A'],
    ['S2', dayCell(46_082), 'B'],
    ['S3', 'Vegetables', dayCell(0.5)],
  ];
  const result = await sandbox.import('d.xlsx', book(rows), 'inventory-items --key sku --dry-run');
  expect(result.exitCode).toBe(2);
  expect(result.rows.map(({ line, error }) => [line, error?.message])).toEqual([
    [2, expect.stringContaining('sku is a date in a text column')],
    [3, expect.stringContaining('category is a date in a text column')],
    [4, expect.stringContaining('name is a date in a text column')],
  ]);
});

test.each([
  ['25/12/1990', 'dmy'],
  ['31.10.1985', 'dmy'],
  ['12/25/1990', 'mdy'],
])('import of dates mixed with the text %s: is refused, and --dates %s accepts them', async (text, order) => {
  const sandbox = openImportSandbox();
  const rows = [
    ['name', 'phone', 'birth_date'],
    ['A', '1', dayCell(33_000)],
    ['B', '2', text],
  ];
  const flags = 'customers --mode create --dry-run';
  const result = await sandbox.import('m.xlsx', book(rows), flags);
  expect(failureOf(result)).toMatchObject({
    message: expect.stringContaining(
      `has dates and texts in the column birth_date: the date 1990-05-07 in line 2, the text ${text} in line 3`,
    ),
    hint: expect.stringContaining(`--dates ${order}`),
  });
  const accepted = await sandbox.import('m.xlsx', book(rows), `${flags} --dates ${order}`);
  expect(accepted.rows[0]?.changes?.birth_date?.to).toBe('1990-05-07');
});

test('import of dates mixed with texts after 2,000 rows: is refused', async () => {
  const sandbox = openImportSandbox();
  const texts = Array.from({ length: 2100 }, (_, index) => [`N${index}`, `55${index}`, '25/12/1990']);
  const rows = [['name', 'phone', 'birth_date'], ...texts, ['Z', '1', dayCell(33_000)]];
  const result = await sandbox.import('l.xlsx', book(rows), 'customers --mode create --dry-run');
  expect(failureOf(result).message).toContain('has dates and texts in the column birth_date');
});

test('import of text with furigana: reads the text without it, or refuses the workbook', async () => {
  const sandbox = openImportSandbox();
  const ruby = '<t>山田</t><rPh sb="0" eb="2"><t>ヤマダ</t></rPh>';
  const parts = partsOf([
    {
      name: 'Sheet1',
      rows: [
        ['name', 'phone'],
        ['REPLACED', '551'],
      ],
    },
  ]);
  const shared = parts.map(({ name, content }) => ({
    name,
    content: String(content).replace('<t xml:space="preserve">REPLACED</t>', ruby),
  }));
  const result = await sandbox.import('s.xlsx', createZip(shared), 'customers --mode create --dry-run');
  expect(result.rows[0]?.changes?.name?.to).toBe('山田');
  const inline = book([
    ['name', 'phone'],
    [{ xml: `t="inlineStr"><is>${ruby}</is>` }, '551'],
  ]);
  const refused = await sandbox.import('i.xlsx', inline, 'customers --mode create --dry-run');
  expect(failureOf(refused).message).toContain('has phonetic guides (furigana) within its cells');
});
