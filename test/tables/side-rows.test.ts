/** Rows between the records of a table: headings, notes, totals and repeated headers are listed and skipped. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { stringify } from 'csv-stringify/sync';
import { describe, expect, test } from 'vitest';
import { openInputFile } from '../../src/engine/tables/input-file.ts';
import { openTable } from '../../src/engine/tables/open-table.ts';
import { openImportSandbox } from '../bulk/import-sandbox.ts';
import { fc } from '../harness/fast-check.ts';
import { failureOf } from '../harness/run-boh.ts';

const customers = 'customers --key phone --skip-invalid --dry-run';

const linesOf = (rows: readonly { line?: number | null }[]) => rows.map(({ line }) => line);

/** Returns the table of a file of customers with these lines. */
const tableOf = (...lines: string[]) => `${['name,phone,email,gender', ...lines].join('\n')}\n`;

describe('import', () => {
  test('of headings, notes and a total between records: skips and lists them', async () => {
    const sandbox = openImportSandbox();
    const text = tableOf(
      ...['RIVERSIDE,,,', 'Mona,555300001,,', ',,Guests,', 'Sara,555300002,,'],
      ...['Total:,2,,', 'المجموع,٢,,', '"Numbers without a guarantee, of March"'],
    );
    const result = await sandbox.import('t.csv', text, customers);
    expect(linesOf(result.rows)).toEqual([3, 5]);
    expect(result.stderr.replaceAll(/\s+/g, ' ')).toContain(
      'skipped 5 rows (headings, notes, totals or repeated headers): line 2 "RIVERSIDE", line 4 "Guests", line 6 "Total:", line 7 "المجموع", line 8 "Numbers without',
    );
    const allResult = await sandbox.import('t.csv', text, `${customers} --all-rows`);
    expect(linesOf(allResult.rows)).toEqual([2, 3, 4, 5, 6, 7, 8]);
  });

  test('of more than ten headings: lists the first ten and the number of others', async () => {
    const sandbox = openImportSandbox();
    const headings = Array.from({ length: 12 }, (_, index) => `Section ${index + 1},,,`);
    const result = await sandbox.import('t.csv', tableOf(...headings, 'Mona,555300001,,'), customers);
    expect(linesOf(result.rows)).toEqual([14]);
    expect(result.stderr).toContain('"Section 10" and 2 more');
    expect(result.stderr).not.toContain('Section 11');
  });

  test.each([
    ['Total', 'Total,3,,'],
    ['Grand total (12)', ',Grand total (12),"1,250.50 SAR",'],
    ['Toplam', 'Toplam,"12,5",,₺ 3'],
    ['Zwischensumme', 'Zwischensumme,12 Stk.,,'],
    ['Total général', 'Total général :,3,,'],
    ['الإجمالي', 'الإجمالي,٣,,'],
    ['合計', '合計,3,,'],
    ['Итого', 'Итого:,3,,'],
    ['a currency in brackets', 'Sub-total [AED],"1,200",,'],
    ['a currency', 'Net total KWD:,3.250,,'],
    ['a currency in Arabic', 'الإجمالي ر.س,٣,,'],
    ['what is counted', 'TOTAL QUANTITY,12,,'],
    ['Jumlah', 'JUMLAH (RM),12,,'],
    ['a tax and its rate', 'GST 5%,12.50,,'],
    ['a tax after its rate', '7.5 % MwSt.,12.50,,'],
    ['KDV', 'KDV %20,"12,50 TL",,'],
    ['TVA', 'TVA (20 %),"12,50",,'],
    ['IVA', 'IVA,3,,'],
    ['الضريبة', 'ضريبة القيمة المضافة ٥٪,٣,,'],
    ['an average', 'Moyenne,3.5,,'],
    ['a count', 'Anzahl:,3,,'],
  ])('of a row of totals with "%s": skips it', async (_, total) => {
    const sandbox = openImportSandbox();
    const result = await sandbox.import('t.csv', tableOf('Mona,555300001,,', total), customers);
    expect(linesOf(result.rows)).toEqual([2]);
    expect(result.stderr).toContain('skipped 1 row (');
  });

  test.each([
    ['a name that begins with such a word', 'Total Wine,555300002,,'],
    ['such a word as a name, and a phone number', 'Suma,555300002,,'],
    ['such a word as a name, and text', 'Total,3,,Fuel station'],
    ['such a word in another cell', 'Sara,555300002,,Total'],
    ['such a word, a currency and a phone number', 'Total SAR,+966555300002,,'],
    ['such a word and more words in brackets', 'Suma (Riyadh) Trading,3,,'],
    ['such a word before another word that is no currency', 'Total Fuel,3,,'],
  ])('of a record with %s: reads it', async (_, record) => {
    const sandbox = openImportSandbox();
    const result = await sandbox.import('t.csv', tableOf('Mona,555300001,,', record), customers);
    expect(linesOf(result.rows)).toEqual([2, 3]);
    expect(result.stderr).not.toContain('headings');
  });

  test.each([
    ['one column', 'name\nTotal\nMona\n', 'tags --mode create --dry-run'],
    [
      'one column and ignored ones',
      'name,x,y\nTotal,,\nMona,1,2\n',
      'tags --mode create --only-mapped --map name=name --dry-run',
    ],
    ['two columns', 'name,reference\nHot drinks,\nMona,1\n', 'categories --mode create --dry-run'],
    [
      'rows with one cell each',
      'name,reference,image\nHot,,\nCold,,\n',
      'categories --mode create --dry-run',
    ],
    ['an id', 'id,name,reference\nnobody,,\nnobody-2,Cold,3\n', 'categories --skip-invalid --dry-run'],
    ['a key to delete', 'name,phone,email\n,555300001,\nMona,555300002,\n', `${customers} --mode delete`],
    ['cells that clear fields', 'name,phone,email\n,555300001,\nMona,555300002,\n', `${customers} --null=`],
  ])('of a table with %s: reads each row', async (_, text, line) => {
    const sandbox = openImportSandbox();
    const result = await sandbox.import('t.csv', text, line);
    expect(linesOf(result.rows), result.stderr).toEqual([2, 3]);
    expect(result.stderr).not.toContain('headings');
  });

  test.each([
    ['taxes', 'name,rate\nVAT,15\nGST 5%,5\n', 'taxes --mode create --dry-run'],
    ['tax groups', 'name,name_localized\nVAT,\nTax,\n', 'tax-groups --mode create --dry-run'],
    ['categories', 'name,reference\nHot,1\nAverage,\n', 'categories --mode create --dry-run'],
  ])('of %s whose names are also in totals: reads each row', async (_, text, line) => {
    const sandbox = openImportSandbox();
    const result = await sandbox.import('t.csv', text, line);
    expect(linesOf(result.rows), result.stderr).toEqual([2, 3]);
  });

  test('of a table of two columns: skips its total', async () => {
    const sandbox = openImportSandbox();
    const text = 'sku;cost\nSKU-001;1,5\nTotal;1,5\n';
    const result = await sandbox.import('t.csv', text, 'inventory-items --key sku --dry-run');
    expect(linesOf(result.rows)).toEqual([2]);
  });

  test('of rows that are longer than the header, with headings: still ignores the blank cells at their ends', async () => {
    const sandbox = openImportSandbox();
    const text = 'name,phone,email\nGUESTS\nMona,555300001,,\nSara,555300002,,\n';
    const result = await sandbox.import('t.csv', text, customers);
    expect(linesOf(result.rows)).toEqual([3, 4]);
    expect(result.stderr).toContain('Ignored an extra blank cell');
  });

  test('of users: reads each row, because the list would show passwords', async () => {
    const sandbox = openImportSandbox();
    const text = 'name,email,pin\n,,98765\nMona,mona@x.example,43210\n';
    const result = await sandbox.import('t.csv', text, 'users --key email --skip-invalid --dry-run');
    expect(linesOf(result.rows)).toEqual([2, 3]);
    expect(result.stdout + result.stderr).not.toContain('98765');
  });

  test.each([
    ['with another column', 'name,phone\nMona,555300001\n\nname,gender\nSara,female\n', 4],
    ['with the columns in another order', 'name;mobile\nMona;555300001\nMobile;Name\n555300002;Sara\n', 3],
    ['with more columns', 'name,phone\nMona,555300001\nName,Phone,E-Mail\nSara,555300002,s@x.example\n', 3],
    ['in another language', 'name,phone,email\nMona,555300001,\n,,\nالاسم,الجوال,\nسارة,555300002,\n', 4],
  ])('of a second table with a header %s: is refused with its line', async (_, text, line) => {
    const sandbox = openImportSandbox();
    const result = await sandbox.import('t.csv', text, customers);
    expect([result.exitCode, result.stdout]).toEqual([2, '']);
    expect(failureOf(result)).toMatchObject({
      message: expect.stringContaining(`t.csv has another header in line ${line}.`),
      hint: expect.stringContaining(`--header-row ${line}. If line ${line} is a record: --all-rows`),
    });
    const { stderr } = await sandbox.import('t.csv', text, `${customers} --all-rows`);
    expect(stderr).not.toContain('another header');
  });

  test('of a record with one cell that is a column name: reads it', async () => {
    const sandbox = openImportSandbox();
    const text = 'name,phone,email\nMobile,555300001,\nTitle,555300002,t@x.example\n';
    expect(linesOf((await sandbox.import('t.csv', text, customers)).rows)).toEqual([2, 3]);
  });

  test('of links with headings and a total: skips them', async () => {
    const sandbox = openImportSandbox();
    const file = join(sandbox.folder, 'links.csv');
    writeFileSync(file, 'supplier,item,cost\nVEGETABLES,,\nFresh Farms,Tomatoes,21\nTotal,,21\n');
    const result = await sandbox.boh(`suppliers import-links item ${file} --dry-run`);
    expect(result.stderr).toContain('skipped 2 rows');
    expect(result.exitCode, result.stderr).toBe(0);
  });
});

const word = fc.constantFrom(
  'Beverages',
  'مشروبات',
  'Gültig ab 1.3.',
  'Page 2 of 3',
  'Süßes',
  '000',
  'Total',
);
const record = fc.tuple(
  fc.constantFrom('Total Wine', 'Tomatoes', 'خيار', 'Sum', 'a,b'),
  fc.constantFrom('6281000000001', 'SKU-7', '000123'),
  fc.constantFrom('', '1.5', '1,250.00'),
);
const heading = fc
  .tuple(word, fc.nat(2))
  .map(([text, index]) => Array.from({ length: 3 }, (_, column) => (column === index ? text : '')));
const total = fc
  .tuple(
    fc.constantFrom('Total', 'Sub-total:', 'المجموع', '小計'),
    fc.constantFrom('', '12'),
    fc.constantFrom('3.5', '1,250.00 SAR'),
  )
  .map((cells): string[] => cells);
const header = fc.constant(['name', 'sku', 'cost']);
const sideRow = fc.oneof(heading, total, header, fc.constant(['', '', '']));

test('a table with any titles, headings, totals and repeated headers: has the records of the table without them', async () => {
  const sandbox = openImportSandbox();
  const path = join(sandbox.folder, 'any.csv');
  const recordsOf = async (rows: readonly (readonly string[])[]) => {
    writeFileSync(path, stringify(rows as string[][], { delimiter: ';' }));
    const source = await openInputFile(path, { stdin: Readable.from([]) });
    const headerNames = new Set(['name', 'sku', 'cost']);
    const table = await openTable(source, {
      ...{ headerNames, defaultSheet: 'rows', hasFlags: true, skipsSideRows: true },
    });
    const found = await Array.fromAsync(table.rows());
    return found.map(({ line, cells, problems }) => ({ line, cells: [...cells.values()], problems }));
  };
  await fc.assert(
    fc.asyncProperty(
      fc.array(heading, { maxLength: 5 }),
      fc.array(fc.tuple(fc.array(sideRow, { maxLength: 3 }), record), { minLength: 1, maxLength: 8 }),
      fc.array(sideRow, { maxLength: 3 }),
      async (titles, blocks, footer) => {
        const rows = [
          ...titles,
          ['name', 'sku', 'cost'],
          ...blocks.flatMap(([sideRows, values]) => [...sideRows, values]),
          ...footer,
        ];
        const records = blocks.map(([, values]) => values);
        expect(await recordsOf(rows)).toEqual(
          records.map((cells) => ({
            line: rows.indexOf(cells) + 1,
            ...{ cells, problems: [] },
          })),
        );
      },
    ),
  );
});
