/** Imports amounts, dates, booleans and barcodes as spreadsheets of many countries display and save them. */
import { describe, expect, test } from 'vitest';
import { parseAmount } from '../../src/tables/columns/amounts.ts';
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
