/** Ignores columns of a workbook, with the problems of their cells. */
import { expect, test } from 'vitest';
import { openImportSandbox } from '../bulk/import-sandbox.ts';
import { failureOf } from '../harness/run-boh.ts';
import { type CellContent, createWorkbook, formulaCell } from '../harness/workbook/create-workbook.ts';

const errorCell = (error: string) => ({ xml: `t="e"><v>${error}</v>` });

const header: CellContent[] = [null, 'name', 'phone', 'Profit', 'Memo', 'Memo', errorCell('#REF!')];
const rows: CellContent[][] = [
  header,
  ['r1', 'Hala', '501', errorCell('#N/A')],
  [2, 'Omar', '502', formulaCell('B2*2')],
  [null, 'Rana', '503', { xml: '><v>123456789012345678</v>' }, 'merged'],
  [null, 'Sami', '504', 1],
  [null, 'Zain', '505', 'merged across'],
];
const merges =
  '<mergeCells count="3"><mergeCell ref="E4:F5"/><mergeCell ref="D6:F6"/><mergeCell ref="D1:F1"/></mergeCells>';
const file = (extraXml: string) => createWorkbook({ name: 'Sheet1', rows, extraXml });

test.each([
  ['each', '--map = --map Profit= --map Memo= --map #REF!='],
  ['--only-mapped', '--only-mapped --map name=name --map phone=phone'],
])('import of a workbook: problems of ignored columns refuse nothing (%s)', async (_, flags) => {
  const sandbox = openImportSandbox();
  const result = await sandbox.import('i.xlsx', file(merges), `customers --mode create ${flags} --dry-run`);
  expect(result.exitCode, result.stderr).toBe(0);
  expect(result.rows.map(({ changes }) => changes?.name?.to)).toEqual([
    'Hala',
    'Omar',
    'Rana',
    'Sami',
    'Zain',
  ]);
});

test('import of a workbook: a range that is merged with an ignored column is refused', async () => {
  const sandbox = openImportSandbox();
  const merged = createWorkbook({
    name: 'Sheet1',
    rows: [
      ['Memo', 'phone', 'name'],
      ['x', null, 'Hala'],
      ['y', '502', 'Omar'],
    ],
    extraXml: '<mergeCells count="1"><mergeCell ref="A2:B2"/></mergeCells>',
  });
  const result = await sandbox.import('m.xlsx', merged, 'customers --mode create --map Memo= --dry-run');
  expect(result.rows.map(({ line, error }) => [line, error?.message])).toEqual([
    [2, expect.stringContaining('phone is merged (A2:B2)')],
  ]);
});

test('import of a workbook: problems of columns that are not ignored are refused, with the flag that ignores them', async () => {
  const sandbox = openImportSandbox();
  const result = await sandbox.import('r.xlsx', file(''), 'customers --mode create --dry-run');
  expect(failureOf(result).message).toContain('has invalid column names');
  const flags = 'customers --mode create --map Profit= --map Memo= --map #REF!= --dry-run';
  const unnamed = await sandbox.import('r.xlsx', file(''), flags);
  expect(unnamed.rows.map(({ line, error }) => [line, error?.message])).toEqual([
    [
      2,
      expect.stringContaining(
        'has a value in column 1, which has no name (to ignore such columns: --map "=")',
      ),
    ],
    [3, expect.stringContaining('has a value in column 1')],
  ]);
});
