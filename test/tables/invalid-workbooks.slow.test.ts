import { expect, test } from 'vitest';
import { openImportSandbox } from '../bulk/import-sandbox.ts';
import { failureOf } from '../harness/run-boh.ts';
import { createWorkbook, partsOf, type SheetContent } from '../harness/workbook/create-workbook.ts';
import { createZip } from '../harness/workbook/zip.ts';

const sheet = (rows: SheetContent['rows'], content: Partial<SheetContent> = {}): SheetContent => ({
  name: 'Sheet1',
  rows,
  ...content,
});

const many = Array.from({ length: 50_001 }, (_, index) => [index]);
const bomb = (size: number, declaredSize?: number) =>
  createZip([
    { name: '[Content_Types].xml', content: '<Types/>' },
    {
      name: 'xl/worksheets/sheet1.xml',
      content: Buffer.alloc(size, ' '),
      ...(declaredSize !== undefined && { declaredSize: declaredSize }),
    },
  ]);
const withPart = (name: string, content: string) => {
  return createZip(
    partsOf([sheet([['phone'], ['1']])]).map((part) => (part.name === name ? { name, content } : part)),
  );
};

const files: [what: string, name: string, content: () => string | Uint8Array, message: RegExp][] = [
  ['is empty', 'x.xlsx', () => '', /isn't a workbook: it is empty/],
  ['is text', 'x.xlsx', () => 'phone,name\n1,x\n', /isn't a workbook, although its extension says so/],
  [
    'is encrypted',
    'x.xlsx',
    () => Buffer.from('d0cf11e0a1b11ae1', 'hex'),
    /is encrypted or in the old XLS format/,
  ],
  [
    'has the extension of another format',
    'x.csv',
    () => createWorkbook(sheet([['phone'], ['1']])),
    /a workbook or another archive/,
  ],
  [
    'is another archive',
    'x.xlsx',
    () => createZip([{ name: 'a.txt', content: 'a' }]),
    /can't be read as a workbook/,
  ],
  [
    'is incomplete',
    'x.xlsx',
    () => createWorkbook(sheet([['phone'], ['1']])).subarray(0, 400),
    /damaged or incomplete/,
  ],
  ['is a zip bomb with its true size', 'x.xlsx', () => bomb(300_000_000), /larger than 256 MB when unpacked/],
  ['is a zip bomb with a false size', 'x.xlsx', () => bomb(300_000_000, 1000), /can't be read as a workbook/],
  ['has no sizes', 'x.xlsx', () => bomb(1000, 0), /the sizes of its parts are missing/],
  ['has an empty sheet', 'x.xlsx', () => createWorkbook(sheet([])), /no header in its sheet "Sheet1"/],
  ['has only a header', 'x.xlsx', () => createWorkbook(sheet([['phone']])), /has no rows/],
  [
    'has duplicate columns',
    'x.xlsx',
    () =>
      createWorkbook(
        sheet([
          ['phone', 'phone'],
          ['1', '2'],
        ]),
      ),
    /duplicate columns .*: phone/,
  ],
  [
    'has an unknown column',
    'x.xlsx',
    () => createWorkbook(sheet([['fone'], ['1']])),
    /a column that can't be imported/,
  ],
  [
    'has a merged header',
    'x.xlsx',
    () =>
      createWorkbook(
        sheet(
          [
            ['phone', null],
            ['1', '2'],
          ],
          { extraXml: '<mergeCells><mergeCell ref="A1:B1"/></mergeCells>' },
        ),
      ),
    /merged \(A1:B1\)/,
  ],
  [
    'has too many rows',
    'x.xlsx',
    () => createWorkbook(sheet([['phone'], ...many])),
    /more than 50,000 rows in its sheet "Sheet1"/,
  ],
  [
    'spans too many cells',
    'x.xlsx',
    () =>
      withPart(
        'xl/worksheets/sheet1.xml',
        '<worksheet><sheetData><row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData></worksheet>',
      ),
    /can't be read|too much memory/,
  ],
  [
    'expands entities',
    'x.xlsx',
    () =>
      withPart(
        'xl/sharedStrings.xml',
        `<!DOCTYPE s [<!ENTITY a "aaaaaaaaaa">${Array.from({ length: 12 }, (_, index) => `<!ENTITY a${index + 1} "${`&a${index || ''};`.repeat(10)}">`).join('')}]><sst><si><t>&a12;</t></si></sst>`,
      ),
    /./,
  ],
];

test.each(files)(
  'import of a workbook that %s: is refused with the reason, and creates nothing',
  async (_, name, content, message) => {
    const sandbox = openImportSandbox();
    const before = await sandbox.json<unknown[]>('customers list --all');
    const refusedResult = await sandbox.import(name, content(), 'customers --key phone --yes');
    expect(refusedResult.exitCode).toBe(2);
    expect(refusedResult.stderr).toMatch(message);
    expect(refusedResult.stderr).not.toMatch(/\n\s+at /);
    expect(await sandbox.json<unknown[]>('customers list --all')).toHaveLength(before.length);
  },
);

test('import of a workbook whose first sheet is empty: the hint names the other sheets and --sheet', async () => {
  const sandbox = openImportSandbox();
  const guests = sheet(
    [
      ['name', 'phone'],
      ['Mona', '551'],
    ],
    { name: 'Guests' },
  );
  const file = createWorkbook(sheet([]), guests, { name: 'Notes', rows: [] });
  const refused = await sandbox.import('two.xlsx', file, 'customers --mode create --dry-run');
  expect(failureOf(refused)).toMatchObject({
    message: 'The file two.xlsx has no header in its sheet "Sheet1": the sheet is empty.',
    hint: 'Other sheets: Guests, Notes. To choose one: --sheet NAME',
  });
  const read = await sandbox.import('two.xlsx', file, 'customers --mode create --dry-run --sheet Guests');
  expect(read.rows.map(({ line }) => line)).toEqual([2]);
});
