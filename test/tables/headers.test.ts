/** The header of a table: it is found below titles and addresses, or is named by a flag. */
import { expect, test } from 'vitest';
import { openImportSandbox } from '../bulk/import-sandbox.ts';
import { failureOf } from '../harness/run-boh.ts';

const items = 'inventory-items --key sku --dry-run';
const change = { key: 'SKU-001', changes: { cost: { to: 1.5 } } };

test.each([
  ['a title and a blank row', 'Prices of November;;\n;;\nSKU;Cost;Name\nSKU-001;1,5;\n', 4],
  [
    'an address with names of fields',
    'Supplier,Fresh Farms\nName,Tariq\nBarcode,none\n\nSKU,Cost,Category\nSKU-001,1.5,\n',
    6,
  ],
  [
    'numbers between names of fields',
    'Name,Tariq,Minimum,500\nSKU,Cost,Category,Barcode\nSKU-001,1.5,,\n',
    3,
  ],
  ['sixty lines of terms', `${'Terms and conditions apply\n'.repeat(60)}sku,cost\nSKU-001,1.5\n`, 62],
])('import of a table below %s: finds the header', async (_, text, line) => {
  const sandbox = openImportSandbox();
  const result = await sandbox.import('t.csv', text, items);
  expect(result.rows).toMatchObject([{ ...change, line }]);
  expect(result.stderr).toContain(`the header is line ${line - 1}`);
});

test('import of a header in two languages: --header-row reads the second one', async () => {
  const text = 'Name,Phone\nالاسم,الجوال\nMona,555300009\n';
  const line = 'customers --mode create --dry-run';
  const refused = await openImportSandbox().import('t.csv', text, line);
  expect(failureOf(refused).hint).toContain('--header-row 2');
  const { rows } = await openImportSandbox().import('t.csv', text, `${line} --header-row 2`);
  expect(rows).toMatchObject([{ line: 3, changes: { name: { to: 'Mona' } } }]);
});

test('import of a table with many other columns below a contact: names the other columns of the header', async () => {
  const sandbox = openImportSandbox();
  const contact = 'Name,Tariq,Email,tariq@example.com';
  const text = `${contact}\nSKU,Unit price (SAR),Fach,Regal,Bestand,Memo\nSKU-001,1.5,,,,\n`;
  const result = await sandbox.import('t.csv', text, items);
  expect(Object.keys(failureOf(result).fields ?? {})).toEqual(['Fach', 'Regal', 'Bestand', 'Memo']);
});

test('import of a table whose names only --map knows: finds the header below a title', async () => {
  const sandbox = openImportSandbox();
  const text = 'PRICE LIST,,\nLevering,maandag,\nArtikelcode,Doos,Stukprijs\nSKU-001,true,1.5\n';
  const flags = `${items} --map Artikelcode=sku --map Stukprijs=cost`;
  expect((await sandbox.import('t.csv', text, `${flags} --map Doos=`)).rows).toMatchObject([change]);
  const map = `${sandbox.folder}/map.json`;
  await sandbox.import('t.csv', text, `${flags} --map Doos= --save-map ${map}`);
  const savedResult = await sandbox.import('t.csv', text, `${items} --map ${map}`);
  expect(savedResult.rows).toMatchObject([{ ...change, line: 4 }]);
});

test('import of a table with one required name: finds the row with this name', async () => {
  const sandbox = openImportSandbox();
  const text = 'Stukprijs list\n,,\nx,y,Stukprijs,sku\n1,2,1.5,SKU-001\n';
  const flags = `${items} --map Stukprijs=cost --only-mapped`;
  const result = await sandbox.import('t.csv', text, `${flags} --map sku=sku`);
  expect(result.rows).toMatchObject([change]);
});

test('import of a first row with one field and unknown names: is the header, also if a later row has names', async () => {
  const sandbox = openImportSandbox();
  const text = 'name,Kunde seit,phone2\nItem,product,555300001\n';
  const refusedResult = await sandbox.import('t.csv', text, 'customers --mode create --dry-run');
  expect(Object.keys(failureOf(refusedResult).fields ?? {})).toEqual(['Kunde seit', 'phone2']);
  expect(failureOf(refusedResult).hint).toContain('--header-row NUMBER');
});

test('import of a title above unknown names: is refused with the flags for the header', async () => {
  const sandbox = openImportSandbox();
  const text = 'PRICE LIST\n\nFoo;Bar\nSKU-001;1,5\n';
  const refusedResult = await sandbox.import('t.csv', text, items);
  expect(refusedResult.exitCode).toBe(2);
  expect(failureOf(refusedResult).hint).toContain('row 3 is the header (Foo, Bar): --header-row 3');
  const flags = `${items} --header-row 3 --map Foo=sku --map Bar=cost`;
  expect((await sandbox.import('t.csv', text, flags)).rows).toMatchObject([{ ...change, line: 4 }]);
});

test('--header-row and --skip-rows: count rows as spreadsheets do, and lines stay those of the file', async () => {
  const sandbox = openImportSandbox();
  const text = '"Fresh Farms\nRiver Street"\n\nsku,price\nsku,cost\nSKU-001,1.5\n';
  for (const flag of ['--header-row 4', '--skip-rows 3']) {
    const result = await sandbox.import('t.csv', text, `${items} ${flag}`);
    expect(result.rows).toMatchObject([{ ...change, line: 6 }]);
  }
});

test.each([
  ['--header-row 2', 'has no header in row 2'],
  ['--header-row 9', 'has no header in row 9'],
  ['--header-row 0', '--header-row must be a whole number'],
  ['--skip-rows 9', 'has no rows after the first 9'],
  ['--skip-rows x', '--skip-rows must be a whole number'],
])('import with %s: is refused, and nothing is read', async (flag, message) => {
  const sandbox = openImportSandbox();
  const refusedResult = await sandbox.import('t.csv', 'sku,cost\n\nSKU-001,1.5\n', `${items} ${flag}`);
  expect(refusedResult.exitCode).toBe(2);
  expect(failureOf(refusedResult).message).toContain(message);
});

test('import of NDJSON with --header-row: is refused', async () => {
  const sandbox = openImportSandbox();
  const refusedResult = await sandbox.import('t.ndjson', '{"sku":"SKU-001"}\n', `${items} --header-row 2`);
  expect(failureOf(refusedResult).message).toContain('omit --header-row');
});
