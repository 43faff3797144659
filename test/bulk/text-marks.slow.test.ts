/** Imports codes and names with the marks, empty words and errors that spreadsheets and programs write. */
import { describe, expect, test } from 'vitest';
import { failureOf } from '../harness/run-boh.ts';
import { createWorkbook } from '../harness/workbook/create-workbook.ts';
import { openImportSandbox } from './import-sandbox.ts';

const header =
  'sku,name,storage_unit,ingredient_unit,storage_to_ingredient_factor,costing_method,cost,barcode';
const rowOf = (sku: string, name = 'Rice', barcode = '') => `${sku},${name},kg,g,1000,1,5,${barcode}`;
const line = 'inventory-items --key sku --dry-run';

async function openWithItem(sku: string, name = 'Rice', barcode = '') {
  const sandbox = openImportSandbox();
  const item = { sku, name, barcode, storage_unit: 'kg', ingredient_unit: 'g' };
  const text = JSON.stringify({ ...item, storage_to_ingredient_factor: 1000, costing_method: 1, cost: 4 });
  await sandbox.import('seed.ndjson', `${text}\n`, 'inventory-items --mode create --accept-damage --yes');
  return sandbox;
}

describe('import of a cell that a spreadsheet keeps as text', () => {
  test.each([
    ['a formula in quotes', '"=""00917"""', '"=""0628100000001"""'],
    ['a formula without quotes', '="00917"', '="0628100000001"'],
    ['a formula with spaces', '"= ""00917"" "', '="0628100000001"'],
    ['an apostrophe', "'00917", "'0628100000001"],
    ['apostrophes on both sides', "'00917'", "'0628100000001'"],
  ])('%s: is read without its mark', async (_, sku, barcode) => {
    const sandbox = await openWithItem('00917');
    const { rows } = await sandbox.import('m.csv', `${header}\n${rowOf(sku, 'Rice', barcode)}\n`, line);
    expect(rows).toMatchObject([
      { key: '00917', action: 'update', changes: { cost: { to: 5 }, barcode: { to: '0628100000001' } } },
    ]);
  });

  test('in a workbook, and in columns of numbers, phones and relations: is read without its mark', async () => {
    const sandbox = await openWithItem('00917');
    const book = createWorkbook({
      name: 'S',
      rows: [
        ['sku', 'cost'],
        ["'00917", '="7.5"'],
      ],
    });
    expect((await sandbox.import('m.xlsx', book, line)).rows).toMatchObject([
      { action: 'update', changes: { cost: { from: 4, to: 7.5 } } },
    ]);
    const count = await sandbox.import(
      'c.csv',
      "branch,sku,quantity\nRiverside,'00917,'4\n",
      'inventory-counts --dry-run',
    );
    expect(count.rows).toMatchObject([{ action: 'create', changes: { items: { to: [{ quantity: 4 }] } } }]);
    const people = await sandbox.import(
      'p.csv',
      "name,phone\nA,'0551\n",
      'customers --mode create --dry-run',
    );
    expect(people.rows[0]?.changes).toMatchObject({ phone: { to: '0551' } });
  });

  test.each(["O'Brien sauce", "'t Hoff", "'90s burger", "Rock 'n' Roll", "'Ndocciata'"])(
    'a name with an apostrophe (%s): is unchanged',
    async (name) => {
      const { rows } = await openImportSandbox().import('n.csv', `${header}\n${rowOf('A-2', name)}\n`, line);
      expect(rows[0]?.changes).toMatchObject({ name: { to: name } });
    },
  );

  test('a record that has the mark in its value: is unchanged by its own export', async () => {
    const sandbox = await openWithItem('="1"', "'5", "'07");
    await sandbox.boh(`inventory-items export --to ${sandbox.folder}/e.csv`);
    const result = await sandbox.import(
      'e.csv',
      sandbox.read('e.csv'),
      'inventory-items --dry-run --exit-code',
    );
    expect(result.exitCode, result.stdout).toBe(0);
  });
});

describe('import of a damaged code or name', () => {
  test.each(['8.90124E12', '8.90124e+12', '"8,90124E+12"', '"8,9e12"', '12.3E+9', '6.281E-021', '9E+12'])(
    'a shortened number (%s): is refused with its row',
    async (code) => {
      for (const row of [rowOf('N-1', 'Rice', code), rowOf(code)]) {
        const result = await openImportSandbox().import('d.csv', `${header}\n${rowOf('OK')}\n${row}\n`, line);
        expect([result.exitCode, failureOf(result).fields]).toEqual([
          2,
          { 'line 3': [expect.stringContaining('is a number that a spreadsheet has shortened')] },
        ]);
      }
      const text = `sku,cost\n${code},1\n`;
      const update = await openImportSandbox().import(
        'd.csv',
        text,
        'inventory-items --key sku --mode update --dry-run',
      );
      expect(update.rows[0]?.error?.message).toContain('is a number that a spreadsheet has shortened');
    },
  );

  test.each(['12E5-X', '1E5', 'E12', '3.5', 'A#1', '#1', 'NVE+1'])(
    'a code such as %s: is accepted',
    async (code) => {
      const result = await openImportSandbox().import('d.csv', `${header}\n${rowOf(code, code)}\n`, line);
      expect(result.rows).toMatchObject([{ action: 'create', changes: { sku: { to: code } } }]);
    },
  );

  test.each(['#N/A', '#REF!', '#NAME?', '#DIV/0!', '#WERT!', '#¿NOMBRE?', '########'])(
    'an error (%s): is refused in codes, names and units, unless the record already has it',
    async (word) => {
      for (const row of [rowOf(word), rowOf('N-1', word), rowOf('N-1').replace('kg', word)]) {
        const result = await openImportSandbox().import('d.csv', `${header}\n${row}\n`, line);
        expect([result.exitCode, Object.keys(failureOf(result).fields ?? {})]).toEqual([2, ['line 2']]);
      }
      const sandbox = await openWithItem(word, word);
      const { rows } = await sandbox.import('d.csv', `sku,name,cost\n${word},${word},6\n`, line);
      expect(rows).toMatchObject([{ action: 'update', changes: { cost: { to: 6 } } }]);
    },
  );

  test.each(['1001.0', '1001.00', '"1001,0"'])(
    'a code with a fraction (%s): is never a new code',
    async (code) => {
      const result = await openImportSandbox().import(
        'd.csv',
        `${header}\n${rowOf('N-1', 'Rice', code)}\n`,
        line,
      );
      expect(failureOf(result).fields).toEqual({
        'line 2': [expect.stringContaining('barcode is a code that a program has read as a number')],
      });
      const sandbox = await openWithItem('1001.0');
      expect((await sandbox.import('d.csv', 'sku,cost\n1001.0,6\n', line)).rows).toMatchObject([
        { action: 'update', changes: { cost: { to: 6 } } },
      ]);
    },
  );

  test.each(['nan', 'NaN', 'NULL', 'null', '(null)', '<NA>', '=""'])(
    'a word for an empty value (%s): is an empty cell, which a note reports',
    async (word) => {
      const cell = word.includes('"') ? `"${word.replaceAll('"', '""')}"` : word;
      const text = `${header}\n${rowOf('SKU-001', cell, cell)}\n`;
      const result = await openImportSandbox().import('d.csv', text, line);
      expect(result.rows[0]?.changes).not.toHaveProperty('name');
      expect(result.rows[0]?.changes).not.toHaveProperty('barcode');
      expect(result.stderr).toContain(`these words were read as empty cells: ${word} (2).`);
      const newItem = await openImportSandbox().import('d.csv', `${header}\n${rowOf('N-1', cell)}\n`, line);
      expect(failureOf(newItem).fields).toEqual({ 'line 2': [expect.stringContaining('name is required')] });
      const noKey = await openImportSandbox().import('d.csv', `${header}\n${rowOf(cell)}\n`, line);
      expect(failureOf(noKey).fields).toEqual({
        'line 2': [
          expect.stringMatching(/has no value for sku|sku may mean an empty value|sku must not be empty/),
        ],
      });
    },
  );

  test('a word for an empty value that --null names: clears the field', async () => {
    const sandbox = await openWithItem('N-1', 'Rice', '628');
    const { rows } = await sandbox.import('d.csv', 'sku,barcode\nN-1,NULL\n', `${line} --null NULL`);
    expect(rows).toMatchObject([{ changes: { barcode: { from: '628', to: null } } }]);
  });
});
