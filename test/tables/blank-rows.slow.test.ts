/** Reads workbooks whose records are separated by many blank rows, as formatted ranges leave them. */
import { expect, test } from 'vitest';
import { openImportSandbox } from '../bulk/import-sandbox.ts';
import { failureOf } from '../harness/run-boh.ts';
import { type CellContent, createWorkbook, formulaCell } from '../harness/workbook/create-workbook.ts';

/** Cells with a format and no value, and cells with spaces only. */
const blankRows: CellContent[][] = [
  [{ xml: 's="1">' }, { xml: 's="3">' }],
  [' ', '\u00a0'],
];

function blanks(count: number): CellContent[][] {
  return Array.from({ length: count }, (_, index) => blankRows[index % 2] ?? []);
}

const record = (index: number): CellContent[] => [`Customer ${index}`, `55${index}`];
const header = ['name', 'phone'];

async function importRows(rows: CellContent[][]) {
  const file = createWorkbook({ name: 'Sheet1', rows });
  return openImportSandbox().import('blank.xlsx', file, 'customers --mode create --dry-run');
}

test.each([
  ['between records', [header, record(1), ...blanks(55_000), record(2), record(3)]],
  ['before the first record', [header, ...blanks(51_000), record(1), record(2), record(3)]],
  ['before the header', [...blanks(51_000), header, record(1), record(2), record(3)]],
])('import: 51,000 or more blank rows %s are ignored, and every record is read', async (_, rows) => {
  const result = await importRows(rows);
  expect(result.exitCode, result.stderr).toBe(0);
  expect(result.rows.map(({ changes }) => changes?.name?.to)).toEqual([
    'Customer 1',
    'Customer 2',
    'Customer 3',
  ]);
});

test('import: blank rows do not count towards the limit of 50,000 rows', async () => {
  const records = Array.from({ length: 26_000 }, (_, index) => [record(index), ...blanks(1)]).flat();
  const result = await importRows([header, ...records]);
  expect(result.exitCode, result.stderr).toBe(0);
  expect(result.rows).toHaveLength(26_000);
});

test('import: a sheet with more than 50,000 rows between blank rows is refused', async () => {
  const records = Array.from({ length: 50_001 }, (_, index) => [record(index), ...blanks(1)]).flat();
  const result = await importRows([header, ...records]);
  expect(failureOf(result).message).toContain('has more than 50,000 rows in its sheet "Sheet1"');
});

test('import: a formula without a value below blank rows is refused', async () => {
  const result = await importRows([header, record(1), ...blanks(51_000), [formulaCell('A1')]]);
  expect(result.rows).toMatchObject([
    { line: 51_003, error: { message: expect.stringContaining('is a formula without a computed value') } },
  ]);
});

test('import: a second table below blank rows is refused with the row of its header', async () => {
  const result = await importRows([header, record(1), ...blanks(2), ['email', 'name'], ['a@x.example', 'A']]);
  expect([result.exitCode, failureOf(result).message]).toEqual([
    2,
    expect.stringContaining('blank.xlsx has another header in line 5.'),
  ]);
});
