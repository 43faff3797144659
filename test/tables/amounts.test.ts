/** Imports amounts, dates, booleans and barcodes as spreadsheets of many countries display and save them. */
import { describe, expect, test } from 'vitest';
import { parseAmount } from '../../src/engine/tables/columns/amounts.ts';
import { openImportSandbox } from '../bulk/import-sandbox.ts';
import { failureOf } from '../harness/run-boh.ts';

test.each([
  ['12,50 €', '12,50', '€'],
  ['€ 13,00', '13,00', '€'],
  ['-5,00 €', '-5,00', '€'],
  ['−€5', '−5', '€'],
  ['$ -5', '-5', '$'],
  ['US$5.20', '5.20', 'US$'],
  ['$.75', '.75', '$'],
  ['SAR 14', '14', 'SAR'],
  ['14.5 AED', '14.5', 'AED'],
  ['1 234,50 ر.س', '1 234,50', 'ر.س'],
  ['١٢٫٥٠ ر.س.\u200f', '١٢٫٥٠', 'ر.س.'],
  ['\u200fد.إ. ٧', '٧', 'د.إ.'],
  ['۱۲۰۰ تومان', '۱۲۰۰', 'تومان'],
  ['₹1,00,000', '1,00,000', '₹'],
  ['Rs.500', '500', 'Rs.'],
  ['12,50 zł', '12,50', 'zł'],
  ['R$ 7,20', '7,20', 'R$'],
  ['SR 12.50', '12.50', 'SR'],
  ['12 Euro', '12', 'Euro'],
])('parseAmount: reads %s as number and currency', (text, number, currency) => {
  expect(parseAmount(text)).toEqual({ number, currency });
});

test.each(['12 PCS', '12 kg', '5 each', 'SAR', '€', '', '€5 €', '1 € 2', 'about 5 €', '5 € each'])(
  'parseAmount: returns “%s” as a number without a currency',
  (text) => {
    expect(parseAmount(text)).toEqual({ number: text });
  },
);

describe('import of a price list with a currency', () => {
  test('reads the displayed amounts, and reports no change if they are equal', async () => {
    const sandbox = openImportSandbox();
    const text = 'sku;cost\nSKU-001;1.012,50 €\nSKU-002;€ 8,00\nSKU-003;9\n';
    const result = await sandbox.import('euro.csv', text, 'inventory-items --key sku --yes');
    expect(result.rows.map(({ outcome }) => outcome)).toEqual(['done', 'done', 'done']);
    const items = await sandbox.json<{ cost: number }[]>(
      'inventory-items list --sku SKU-001,SKU-002,SKU-003',
    );
    expect(items.map(({ cost }) => cost).sort((a, b) => a - b)).toEqual([8, 9, 1012.5]);
    const repeatResult = await sandbox.import(
      'euro.csv',
      text,
      'inventory-items --key sku --dry-run --exit-code',
    );
    expect(repeatResult.exitCode).toBe(0);
  });

  test('a second currency is refused, on any row', async () => {
    const sandbox = openImportSandbox();
    const two = 'sku,cost\nSKU-001,€12.50\nSKU-002,$8\n';
    const refusedResult = await sandbox.import('two.csv', two, 'inventory-items --key sku --yes');
    expect(failureOf(refusedResult).message).toBe(
      'The file two.csv has amounts in two currencies: €12.50 in line 2, $8 in line 3.',
    );
    const rows = Array.from({ length: 2001 }, (_, index) => `N-${index},5 €`).join('\n');
    const lateText = `sku,cost\n${rows}\nSKU-001,5 SAR\n`;
    const lateResult = await sandbox.import(
      'late.csv',
      lateText,
      'inventory-items --key sku --mode update --yes',
    );
    expect(lateResult.exitCode).toBe(2);
    expect(lateResult.rows.at(-1)?.error?.message).toContain(
      'cost is in SAR, but the first rows of the file are in €',
    );
  });

  test("a currency symbol in a field that isn't an amount is refused", async () => {
    const sandbox = openImportSandbox();
    const text = 'sku,storage_to_ingredient_factor\nSKU-001,€5\n';
    const refusedResult = await sandbox.import('factor.csv', text, 'inventory-items --key sku --yes');
    expect(refusedResult.rows[0]?.error?.message).toContain('storage_to_ingredient_factor must be a number');
  });
});

describe('import of amounts whose column names a currency', () => {
  test.each([
    ['Price (€)', '1.990', 'ambiguous numbers: 1.990 in line 2'],
    ['Price SAR', '15.000', 'ambiguous numbers: 15.000 in line 2'],
    ['Price (SAR)', 'USD 5', 'amounts in two currencies: Price (SAR) in line 1, USD 5 in line 2'],
  ])('%s above %s: is refused', async (name, amount, message) => {
    const line = 'inventory-items --key sku --dry-run';
    const result = await openImportSandbox().import('c.csv', `sku,${name}\nSKU-001,${amount}\n`, line);
    expect(failureOf(result).message).toContain(message);
  });

  test.each([
    ['Price (KWD)', '1.250', 1.25],
    ['Price (JPY)', '15.000', 15000],
    ['Price (IDR)', '15.000', 15000],
    ['Price (SAR)', '5,50 ر.س', 5.5],
    ['Price', '"15,-"', 15],
    ['Price', '"₹1,50,000/-"', 150000],
  ])('%s above %s: is read', async (name, amount, cost) => {
    const line = 'inventory-items --key sku --dry-run';
    const text = `sku,${name}\nSKU-001,"${amount.replaceAll('"', '')}"\n`;
    const { rows, stderr } = await openImportSandbox().import('c.csv', text, line);
    expect(rows[0]?.changes?.cost?.to, stderr).toBe(cost);
  });

  test.each(['Cost %', 'Cost (%)', '% Cost', 'Price %'])('%s: is not the amount', async (name) => {
    const line = 'inventory-items --key sku --dry-run';
    const result = await openImportSandbox().import('p.csv', `sku,${name}\nSKU-001,6\n`, line);
    expect(Object.keys(failureOf(result).fields ?? {})).toEqual([name]);
  });
});

describe('import of an ambiguous number', () => {
  const importCosts = (text: string, flags = '') =>
    openImportSandbox().import('c.csv', text, `inventory-items --key sku --dry-run${flags}`);

  test.each(['$2.990', '2.990 €', '"SAR 2,990"', '"2,990 ر.س"', '¥1.980', '-$2.990', '2.990 TL', '2.990 kr'])(
    'with a currency (%s): is refused in any file, unless another amount or --decimal decides',
    async (cell) => {
      const refusedResult = await importCosts(`sku,cost\nSKU-001,${cell}\n`);
      expect([refusedResult.exitCode, failureOf(refusedResult)]).toMatchObject([
        2,
        { message: expect.stringContaining('in line 2'), hint: expect.stringContaining('--decimal comma') },
      ]);
      const digits = cell.replaceAll(/\D/g, '');
      const isComma = cell.includes(',');
      const decidedResult = await importCosts(`sku,cost\nSKU-001,${cell}\n`, ' --decimal point');
      expect(Math.abs(Number(decidedResult.rows[0]?.changes?.cost?.to))).toBe(
        Number(digits) / (isComma ? 1 : 1000),
      );
    },
  );

  test.each([
    ['1.990 KD', 1.99],
    ['"OMR 2,500"', 2.5],
    ['١.٧٥٠ د.ب', 1.75],
    ['1.500 JPY', 1500],
    ['"₩2,500"', 2500],
    ['"¥1,980"', 1980],
  ])('with a currency whose decimals exclude one reading (%s): is read', async (cell, cost) => {
    const { rows } = await importCosts(`sku,cost\nSKU-001,${cell}\n`);
    expect(rows[0]?.changes).toEqual({ cost: { from: 4.5, to: cost } });
  });

  test('with a currency after the sampled rows: is refused', async () => {
    const rows = Array.from({ length: 2100 }, (_, index) => `N-${index},$5`).join('\n');
    const text = `sku,cost\n${rows}\nSKU-001,$1.990\n`;
    const result = await openImportSandbox().import('l.csv', text, 'inventory-items --key sku --mode update');
    expect(result.rows.at(-1)?.error?.message).toContain('cost is ambiguous (to choose: --decimal comma');
  });

  test('of a whole number: is refused, because only fractions have a point by default', async () => {
    const sandbox = openImportSandbox();
    const line = 'customers --mode create --dry-run';
    const result = await sandbox.import('w.csv', 'name,dial_code\nA,1.000\n', line);
    expect(failureOf(result).message).toContain('ambiguous numbers: 1.000 in line 2');
  });

  test('in a plain comma-separated file: has a decimal point', async () => {
    const { rows } = await importCosts('sku,cost\nSKU-001,1.990\n');
    expect(rows[0]?.changes).toEqual({ cost: { from: 4.5, to: 1.99 } });
  });
});

test('import of one currency in several spellings: is accepted, and another one is refused with its rows', async () => {
  const sandbox = openImportSandbox();
  const importCosts = (...cells: string[]) =>
    sandbox.import(
      'one.csv',
      `sku;cost\n${cells.map((cell, index) => `SKU-00${index + 1};${cell}\n`).join('')}`,
      'inventory-items --key sku --dry-run',
    );
  const costsOf = async (...cells: string[]) =>
    (await importCosts(...cells)).rows.map(({ changes }) => changes?.cost?.to);
  expect(await costsOf('SAR 1.25', '2.25 ر.س', 'SR 3.25', '4.25 ر.س.')).toEqual([1.25, 2.25, 3.25, 4.25]);
  expect(await costsOf('€ 3,50', '3,60 EUR', '3,70 Euro')).toEqual([3.5, 3.6, 3.7]);
  expect(await costsOf('₹1,50,000', 'Rs. 2,75,500.50', 'INR 950')).toEqual([150_000, 275_500.5, 950]);
  const refusedResult = await importCosts('SAR 1.25', '2.25 ر.س', '3.25 د.إ');
  expect(failureOf(refusedResult).message).toMatch(/SAR 1\.25 in line 2, 3\.25 د\.إ in line 4/);
});

test('import of numbers with the Indian grouping: reads lakhs and crores', async () => {
  const sandbox = openImportSandbox();
  const text = 'sku,cost\nSKU-001,"1,50,000"\nSKU-002,"2,75,500.50"\nSKU-003,"12,34,56,789"\nSKU-004,"1,5"\n';
  const line = 'inventory-items --key sku --dry-run';
  const { rows } = await sandbox.import('in.csv', text.replace('"1,5"', '950'), line);
  expect(rows.map(({ changes }) => changes?.cost?.to)).toEqual([150_000, 275_500.5, 123_456_789, 950]);
  expect(failureOf(await sandbox.import('in.csv', text, line)).message).toContain('numbers in two formats');
});

test('import of a date in another calendar: is refused', async () => {
  const sandbox = openImportSandbox();
  const text =
    'name,phone,birth_date\nA,5551,1402/09/01\nB,5552,۱۳۶۱-۰۲-۰۳\nC,5553,2533-04-05\nD,5554,1961-04-05\nE,5555,9999-12-31\nF,5556,1582-10-15\n';
  const refusedResult = await sandbox.import('days.csv', text, 'customers --mode create --yes');
  expect(refusedResult.exitCode).toBe(2);
  expect(refusedResult.rows.map(({ line, error }) => [line, error?.message])).toEqual([
    [
      2,
      'birth_date must be a date in the Gregorian calendar: the year 1402 seems to be from another calendar: "1402/09/01".',
    ],
    [3, expect.stringContaining('the year 1361')],
    [4, expect.stringContaining('the year 2533')],
  ]);
});

test('import of booleans: reads them in the languages of spreadsheets', async () => {
  const sandbox = openImportSandbox();
  const words = ['WAHR', 'Falsch', 'oui', 'FAUX', 'VERDADERO', 'não', 'DOĞRU', 'HAYIR', 'بله', 'خیر'];
  const text = `name,phone,is_blacklisted\n${words.map((word, index) => `G${index},7770${index},${word}`).join('\n')}\n`;
  const result = await sandbox.import('truths.csv', text, 'customers --mode create --dry-run');
  const read = result.rows.map(({ changes }) => changes?.is_blacklisted?.to);
  expect(read).toEqual(words.map((_, index) => index % 2 === 0));
});

test('import of a barcode with digits of another script: reads Latin digits', async () => {
  const sandbox = openImportSandbox();
  await sandbox.boh('inventory-items update @SKU-001 --barcode 6281000001234');
  const text = 'barcode,cost\n\u200f٦٢٨١٠٠٠٠٠١٢٣٤,3\n';
  const result = await sandbox.import('codes.csv', text, 'inventory-items --key barcode --dry-run');
  expect(result.rows).toMatchObject([{ action: 'update', changes: { cost: { to: 3 } } }]);
});
