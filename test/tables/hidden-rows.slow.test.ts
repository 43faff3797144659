import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openImportSandbox } from '../bulk/import-sandbox.ts';
import { createWorkbook } from '../harness/workbook/create-workbook.ts';
import { openManifestWorkspace } from '../manifest/workspace.ts';
import { openAccounts } from '../transfer/backups.ts';

const rows = [
  ['sku', 'cost', 'barcode'],
  ['SKU-001', 101],
  ['SKU-002', 102],
  [],
  ['SKU-003', 103],
  ['SKU-004', 104],
];
/** Rows 1 and 4 are a header and an empty row: no hidden data. */
const filteredWorkbook = createWorkbook(
  { name: 'inventory-items', rows, hidden: { rows: [2, 4, 5, 6], columns: [2] } },
  { name: 'Notes', rows: [['x']] },
);
const rowsNote =
  'hides 3 of its 4 rows, as filters do (rows 2, 5–6), but they are also read. To ignore them, delete them in the sheet.';
const columnNote = 'hides the column cost, but it is also read.';

test('import: rows hidden by a filter are imported, and a note lists them', async () => {
  const sandbox = openImportSandbox();
  const dryRunResult = await sandbox.import(
    'f.xlsx',
    filteredWorkbook,
    'inventory-items --key sku --dry-run',
  );
  expect(dryRunResult.stderr).toContain(`The file f.xlsx ${rowsNote}`);
  expect(dryRunResult.stderr).toContain(`The file f.xlsx ${columnNote}`);
  const result = await sandbox.import('f.xlsx', filteredWorkbook, 'inventory-items --key sku --yes');
  expect(result.stderr).toContain(rowsNote);
  expect(result.rows.map(({ line, outcome }) => [line, outcome])).toEqual(
    [2, 3, 5, 6].map((line) => [line, 'done']),
  );
});

test('import of a workbook with a title: hidden columns have the names of the header, and the title is no row', async () => {
  const sandbox = openImportSandbox();
  const titled = [['Price list', 'March'], ...rows];
  const file = createWorkbook({ name: 'S', rows: titled, hidden: { rows: [1, 2, 3], columns: [2] } });
  const { stderr } = await sandbox.import('t.xlsx', file, 'inventory-items --key sku --dry-run');
  expect(stderr).toContain('hides 1 of its 4 rows, as filters do (row 3), but it is also read');
  expect(stderr).toContain(columnNote);
});

test('import of a workbook: one hidden row is noted in the singular; without hidden rows, there is no note', async () => {
  const sandbox = openImportSandbox();
  const flags = 'inventory-items --key sku --dry-run';
  const hiddenRowResult = await sandbox.import(
    'o.xlsx',
    createWorkbook({ name: 'Sheet1', rows, hidden: { rows: [3] } }),
    flags,
  );
  expect(hiddenRowResult.stderr).toContain(
    'hides 1 of its 4 rows, as filters do (row 3), but it is also read',
  );
  const visibleResult = await sandbox.import('a.xlsx', createWorkbook({ name: 'Sheet1', rows }), flags);
  expect(visibleResult.stderr).not.toContain('hides');
});

test('import-links of a workbook: hidden rows are noted', async () => {
  const sandbox = openImportSandbox();
  const links = [
    ['supplier', 'item', 'order_unit', 'order_to_storage_factor'],
    ['@Fresh Farms', '@SKU-002', 'crate', 12],
  ];
  const file = join(sandbox.folder, 'links.xlsx');
  writeFileSync(file, createWorkbook({ name: 'Sheet1', rows: links, hidden: { rows: [2] } }));
  const result = await sandbox.boh(`suppliers import-links item ${file} --dry-run`);
  expect(result.stderr).toContain('The file links.xlsx hides its only row, as filters do (row 2)');
});

test.each(['plan', 'diff', 'apply --yes', 'rehearse'])(
  'manifest in a workbook: %s includes hidden rows and notes them',
  async (command) => {
    const workspace = await openManifestWorkspace();
    writeFileSync(join(workspace.folder, 'inventory-items.xlsx'), filteredWorkbook);
    const [verb, ...flags] = command.split(' ');
    const result = await workspace.boh([verb, '@/inventory-items.xlsx', ...flags].join(' '));
    expect(result.stderr).toContain(`inventory-items.xlsx ${rowsNote}`);
    expect(result.stderr).toContain(columnNote);
    expect(result.stdout + result.stderr).toContain('SKU-003');
  },
);

test('sandbox created from a workbook: hidden rows are noted', async () => {
  const workspace = await openManifestWorkspace();
  writeFileSync(join(workspace.folder, 'inventory-items.xlsx'), filteredWorkbook);
  const result = await workspace.bohWithoutSandbox('sandbox run --apply @/inventory-items.xlsx -- true');
  expect(result.stderr).toContain(rowsNote);
});

test('plan with a table: shows the same notes as an import, without flags that plan does not have', async () => {
  const workspace = await openManifestWorkspace();
  const sheets = [
    {
      name: 'Prices',
      rows: [
        ['sku', 'cost'],
        ['SKU-001', { xml: '><f>1+2</f><v>3</v>' }],
      ],
    },
    { name: 'Notes', rows: [['x']] },
  ];
  writeFileSync(join(workspace.folder, 'inventory-items.xlsx'), createWorkbook(...sheets));
  writeFileSync(join(workspace.folder, 'tags.csv'), 'name;type\nCafé;customer\n');
  const result = await workspace.boh('plan @/inventory-items.xlsx @/tags.csv');
  expect(result.stderr).toContain(
    'reading sheet "Prices". Other sheet: Notes. A sheet named inventory-items would be read instead.',
  );
  expect(result.stderr).toContain('has a formula: its value from when the workbook was saved is used.');
  expect(result.stderr).not.toContain('--sheet');
  writeFileSync(join(workspace.folder, 'tags.csv'), Buffer.from('name;type\nCafé;customer\n', 'latin1'));
  const refused = await workspace.boh('plan @/tags.csv');
  expect(refused.exitCode).toBe(2);
  expect(refused.stderr).toMatch(
    /tags\.csv is not UTF-8: it contains 0xE9 at byte 14 \(line 2\)\. Save it as UTF-8/,
  );
  expect(refused.stderr).not.toContain('--encoding');
});

test('import of a whole workbook with a hidden sheet: skips the sheet with a note', async () => {
  const { boh, folder } = openAccounts();
  const file = join(folder, 'book.xlsx');
  const suppliers = [['name'], ['Fresh Farms']];
  writeFileSync(
    file,
    createWorkbook(
      { name: 'suppliers', rows: suppliers },
      { name: 'tags', rows: suppliers, state: 'hidden' },
      { name: 'Lists', rows: suppliers, state: 'hidden' },
    ),
  );
  const result = await boh('demo', `import ${file} --yes`);
  expect(result.exitCode).toBe(0);
  expect(result.stderr.match(/The sheet .*/g)).toEqual([
    'The sheet "tags" is hidden and was not read. To import it, unhide it.',
  ]);
});
