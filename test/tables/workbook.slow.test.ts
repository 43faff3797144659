import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { openInputFile } from '../../src/engine/tables/input-file.ts';
import { openTable } from '../../src/engine/tables/open-table.ts';
import { openImportSandbox } from '../bulk/import-sandbox.ts';
import { failureOf } from '../harness/run-boh.ts';
import {
  createWorkbook,
  dayCell,
  formulaCell,
  type SheetContent,
  sevenDigitCell,
} from '../harness/workbook/create-workbook.ts';
import { readWorkbook } from '../harness/workbook/read-workbook.ts';

const sheet = (rows: SheetContent['rows'], content: Partial<SheetContent> = {}): SheetContent => ({
  name: 'Sheet1',
  rows,
  ...content,
});

describe('import of a workbook', () => {
  test('percentage: is read as displayed; ambiguous number text: is refused, and --decimal decides', async () => {
    const sandbox = openImportSandbox();
    const share = (value: string) => ({ xml: `s="2"><v>${value}</v>` });
    const taxes = createWorkbook(
      sheet([
        ['name', 'rate'],
        ['A', share('0.15')],
        ['B', share('7.0000000000000007E-2')],
        ['C', '5,25 %'],
        ['E', share('0.07125')],
        ['D', 5],
      ]),
    );
    const rates = await sandbox.import('taxes.xlsx', taxes, 'taxes --mode create --dry-run');
    expect(rates.rows.map(({ changes }) => changes?.rate?.to)).toEqual([15, 7, 5.25, 7.125, 5]);
    const costs = createWorkbook(
      sheet([
        ['sku', 'cost'],
        ['SKU-001', '1.234'],
        ['SKU-002', share('0.15')],
      ]),
    );
    const refusedResult = await sandbox.import('costs.xlsx', costs, 'inventory-items --key sku --yes');
    expect(refusedResult.rows.map(({ line, error }) => [line, error?.message])).toEqual([
      [2, expect.stringContaining('cost is ambiguous')],
      [3, expect.stringContaining('cost must be a number, such as 2.5: "15%"')],
    ]);
    const decidedResult = await sandbox.import(
      'costs.xlsx',
      createWorkbook(
        sheet([
          ['sku', 'cost'],
          ['SKU-001', '1.234'],
        ]),
      ),
      'inventory-items --key sku --decimal comma --dry-run',
    );
    expect(decidedResult.rows[0]?.changes?.cost?.to).toBe(1234);
  });

  test('number displayed with leading zeros: is read as the displayed text in a text field', async () => {
    const sandbox = openImportSandbox();
    const items = createWorkbook(
      sheet([
        ['sku', 'barcode', 'cost'],
        ['SKU-001', sevenDigitCell(42), sevenDigitCell(42)],
        ['SKU-002', sevenDigitCell(12345678), sevenDigitCell(0.5)],
        ['SKU-003', sevenDigitCell(0), 7],
      ]),
    );
    const result = await sandbox.import('codes.xlsx', items, 'inventory-items --key sku --dry-run');
    expect(result.rows.map(({ changes }) => [changes?.barcode?.to, changes?.cost?.to])).toEqual([
      ['0000042', 42],
      ['12345678', 0.5],
      ['0000000', 7],
    ]);
  });

  test('formulas with an empty result: are empty cells, and rows of only those are skipped', async () => {
    const sandbox = openImportSandbox();
    const empty = { xml: 't="str"><f>IF(TRUE,"","x")</f><v></v>' };
    const workbook = createWorkbook(
      sheet([
        ['phone', 'name', 'email'],
        ['510999011', 'منى', empty],
        [empty, empty, empty],
        [' ', '\u00a0', null],
        ['510999012', 'علي', formulaCell('A1&"@x.example"')],
      ]),
    );
    const refusedResult = await sandbox.import('people.xlsx', workbook, 'customers --key phone --yes');
    expect(refusedResult.rows.map(({ line, error }) => [line, error?.message])).toEqual([
      [5, expect.stringContaining('email is a formula without a computed value')],
    ]);
  });

  test('numbers, dates, booleans and formulas: are read as displayed', async () => {
    const sandbox = openImportSandbox();
    const header = ['phone', 'name', 'dial_code', 'birth_date', 'gender', 'is_loyalty_enabled'];
    const workbook = createWorkbook(
      sheet([
        header,
        [510_999_001, 'منى', 966, dayCell(33_013), 'female', true],
        [
          '0510999002',
          { xml: 't="inlineStr"><is><r><t>two </t></r><r><t>parts</t></r></is>' },
          formulaCell('900+66', '966'),
          '1990-05-20',
          2,
          false,
        ],
        [],
        [510_999_003, 'علي', '٩٦٦', null, '', null],
      ]),
    );
    const result = await sandbox.import('people.xlsx', workbook, 'customers --key phone --yes');
    expect(result.rows.map(({ line, action, outcome }) => [line, action, outcome])).toEqual([
      [2, 'create', 'done'],
      [3, 'create', 'done'],
      [5, 'create', 'done'],
    ]);
    expect(result.stderr).toContain(
      'The file people.xlsx has a formula: its value from when the workbook was saved is used.',
    );
    const [firstId, secondId, thirdId] = result.rows.map(({ id }) => id);
    const person = (id: unknown) => sandbox.json<Record<string, unknown>>(`customers get ${id}`);
    expect(await person(firstId)).toMatchObject({
      phone: '510999001',
      name: 'منى',
      dial_code: 966,
      birth_date: '1990-05-20',
      gender: 2,
      is_loyalty_enabled: true,
    });
    expect(await person(secondId)).toMatchObject({
      phone: '0510999002',
      name: 'two parts',
      dial_code: 966,
      birth_date: '1990-05-20',
    });
    expect(await person(thirdId)).toMatchObject({ phone: '510999003', dial_code: 966 });
  });

  test('text with a decimal comma: is read as a number, and numbers stay unchanged', async () => {
    const sandbox = openImportSandbox();
    const units = ['storage_unit', 'ingredient_unit', 'storage_to_ingredient_factor', 'costing_method'];
    const header = ['sku', 'name', ...units, 'cost'];
    const workbook = createWorkbook(
      sheet([
        header,
        ['X-1', 'Flour', 'kg', 'g', 1000, 'fixed cost', '1.234,50'],
        ['X-2', 'Oil', 'l', 'ml', 1000, 'fixed cost', 7.25],
        ['X-3', 'Salt', 'kg', 'g', 1000, 'fixed cost', formulaCell('0.1+0.2', '0.30000000000000004')],
      ]),
    );
    const result = await sandbox.import('prices.xlsx', workbook, 'inventory-items --key sku --yes');
    expect(result).toMatchObject({ exitCode: 0 });
    const items = await sandbox.json<{ sku: string; cost: number }[]>(
      'inventory-items list --sku X-1,X-2,X-3',
    );
    expect(Object.fromEntries(items.map(({ sku, cost }) => [sku, cost]))).toEqual({
      'X-1': 1234.5,
      'X-2': 7.25,
      'X-3': 0.3,
    });
  });

  test('several sheets: reads the one named after the resource, else the first visible one, and notes the others', async () => {
    const sandbox = openImportSandbox();
    const people = [
      ['phone', 'name', 'dial_code'],
      ['510999004', 'x', 966],
    ];
    const workbook = createWorkbook(
      { name: 'Notes', rows: [['nothing of ours']] },
      { name: 'Customers', rows: people },
      { name: 'Old', rows: people, state: 'hidden' },
    );
    const namedResult = await sandbox.import('b.xlsx', workbook, 'customers --key phone --dry-run');
    expect(namedResult).toMatchObject({ exitCode: 0 });
    expect(namedResult.stderr).not.toContain('sheet');
    const two = createWorkbook({ name: 'Prices', rows: people }, { name: 'Notes', rows: [['x']] });
    const dryRunResult = await sandbox.import('a.xlsx', two, 'customers --key phone --dry-run');
    expect(dryRunResult.rows.map(({ action }) => action)).toEqual(['create']);
    expect(dryRunResult.stderr).toContain(
      'reading sheet "Prices". Other sheet: Notes. To choose one, use --sheet.',
    );
    const requested = await sandbox.import('b.xlsx', workbook, 'customers --key phone --dry-run --sheet old');
    expect(requested.rows.map(({ action }) => action)).toEqual(['create']);
    const otherResult = await sandbox.import(
      'b.xlsx',
      workbook,
      'customers --key phone --dry-run --sheet Neu',
    );
    expect(failureOf(otherResult)).toMatchObject({
      category: 'usage',
      message: expect.stringContaining('no sheet "Neu"'),
    });
    expect(failureOf(otherResult).hint).toContain('Notes, Customers, Old');
    const emptyResult = await sandbox.import(
      'c.xlsx',
      createWorkbook({ name: 'x', rows: people, state: 'hidden' }),
      'customers --yes',
    );
    expect(failureOf(emptyResult)).toMatchObject({ message: expect.stringContaining('no visible sheet') });
    expect(failureOf(await sandbox.import('d.csv', 'phone\n1\n', 'customers --sheet x'))).toMatchObject({
      message: expect.stringContaining("isn't a workbook: omit --sheet"),
    });
  });

  test('from a pipe: is read', async () => {
    const bytes = createWorkbook(sheet([['phone'], ['1']]));
    const stdin = Readable.from([bytes]) as unknown as NodeJS.ReadableStream;
    const source = await openInputFile('-', { stdin });
    const table = await openTable(source, {
      headerNames: new Set(['phone']),
      defaultSheet: 'customers',
      hasFlags: true,
    });
    const rows = await Array.fromAsync(table.rows());
    expect(rows.map(({ line, raw }) => [line, raw])).toEqual([[2, '["1"]']]);
    await source.close();
  });

  test('invalid cells: each row is reported with the column and the reason', async () => {
    const sandbox = openImportSandbox();
    const workbook = createWorkbook(
      sheet(
        [
          ['phone', 'name', 'dial_code', 'birth_date', null, 'email'],
          ['510999005', 'a', { xml: 't="e"><v>#N/A</v>' }, null],
          ['510999006', 'b', formulaCell('A1')],
          ['510999007', 'c', 966, 33_013],
          [5_109_990_070_000_001, 'd', 966, null],
          ['510999008', 'e', 966, dayCell(9e9)],
          ['510999009', 'f', 966, null, 'stray'],
          ['510999010', 'g', 966],
          ['510999011', null, 966],
        ],
        { extraXml: '<mergeCells count="1"><mergeCell ref="B8:B9"/></mergeCells>' },
      ),
    );
    const result = await sandbox.import('x.xlsx', workbook, 'customers --key phone --yes');
    expect(result.exitCode).toBe(2);
    const reasons = result.rows.map(({ line, error }) => [line, JSON.stringify(error)]);
    expect(reasons).toEqual([
      [2, expect.stringMatching(/"message":"dial_code has the error #N\/A\."/)],
      [3, expect.stringMatching(/dial_code.*a formula without a computed value/)],
      [4, expect.stringMatching(/birth_date.*isn't formatted as a date/)],
      [
        5,
        expect.stringMatching(/"message":"phone has a number with more than 15 digits[^;]*enter it again\."/),
      ],
      [6, expect.stringMatching(/birth_date.*isn't a valid date/)],
      [7, expect.stringMatching(/a value in column 5, which has no name/)],
      [8, expect.stringMatching(/name.*is merged \(B8:B9\)/)],
      [9, expect.stringMatching(/name.*is merged \(B8:B9\)/)],
    ]);
  });

  test('--failed: writes the original rows with the reason, to be fixed and imported', async () => {
    const sandbox = openImportSandbox();
    const workbook = createWorkbook(
      sheet([
        ['phone', 'name', 'dial_code', 'birth_date'],
        ['510999012', 'fine', 966, dayCell(33_013)],
        ['510999013', 'bad', 'many', dayCell(33_014)],
      ]),
    );
    const failed = join(sandbox.folder, 'fixed.xlsx');
    const result = await sandbox.import(
      'x.xlsx',
      workbook,
      `customers --key phone --yes --skip-invalid --failed ${failed}`,
    );
    expect(result.exitCode).toBe(9);
    const [failedSheet] = readWorkbook(failed);
    expect(failedSheet?.rows.map((row) => row.map((cell) => cell?.value))).toEqual([
      ['phone', 'name', 'dial_code', 'birth_date', '_reason'],
      ['510999013', 'bad', 'many', '33014', expect.stringContaining('dial_code')],
    ]);
    expect(failedSheet?.rows[1]?.map((cell) => cell?.kind)).toEqual(['text', 'text', 'text', 'n', 'text']);
    expect(failedSheet?.rows[1]?.[0]?.format).toBe('@');
    const repeatResult = await sandbox.boh(`customers import ${failed} --key phone --dry-run`);
    expect(repeatResult.stdout).toMatch(/dial_code/);
    const refusedResult = await sandbox.import(
      'x.xlsx',
      workbook,
      'customers --key phone --yes --failed fixed.csv',
    );
    expect(failureOf(refusedResult)).toMatchObject({
      category: 'usage',
      message: expect.stringContaining('in the format of the input, xlsx'),
    });
  });
});
