import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { api } from '../../src/api/resources/index.ts';
import { defaultResources } from '../../src/engine/manifest/pull/pull.ts';
import { createWorkbook } from '../harness/workbook/create-workbook.ts';
import { openManifestWorkspace } from './workspace.ts';

test('a workbook as a manifest: is read in the same way as by import', async () => {
  const workspace = await openManifestWorkspace();
  const rows = [
    ['sku', 'name', 'cost', 'minimum_level'],
    ['SKU-001', "'=Sum", 1.234, '7,5'],
    ['SKU-002', ' Cucumbers ', 0.1 + 0.2, null],
  ];
  writeFileSync(join(workspace.folder, 'inventory-items.xlsx'), createWorkbook({ name: 'Sheet1', rows }));
  const changes = await workspace.changes('@/inventory-items.xlsx');
  const fieldsOf = (key: string) => changes.find((change) => change.key === key)?.fields;
  expect(fieldsOf('SKU-001')).toMatchObject({
    name: { new: '=Sum' },
    cost: { new: 1.234 },
    minimum_level: { new: '7.5' },
  });
  expect(fieldsOf('SKU-002')).toMatchObject({ cost: { new: 0.3 } });
  expect(fieldsOf('SKU-002')?.name).toBeUndefined();
});

test.each([
  ['sku;cost\nSKU-001;1.234\n', /the file inventory-items\.csv has ambiguous numbers: 1\.234 in line 2/],
  ['sku,cost\nSKU-001,"1,234"\n', /ambiguous numbers: 1,234 in line 2/],
])('%j with an ambiguous number: is refused, and the message names no flags', async (text, message) => {
  const workspace = await openManifestWorkspace();
  workspace.write('inventory-items.csv', text);
  const { 'inventory-items.csv:1:1': messages = [] } = await workspace.mistakes('plan @/inventory-items.csv');
  expect(messages.join()).toMatch(message);
  expect(messages.join()).not.toContain('--');
});

test('a number that a spreadsheet has shortened: is reported with its row and column', async () => {
  const workspace = await openManifestWorkspace();
  workspace.write('suppliers.csv', 'name,code,phone\nNew House,NH,9.66512E+11\n');
  expect(await workspace.mistakes('plan @/suppliers.csv')).toEqual({
    'suppliers.csv:2:3': [expect.stringContaining('shortened: "9.66512E+11"')],
  });
});

test('a row with a delete command: is refused in a manifest', async () => {
  const workspace = await openManifestWorkspace();
  workspace.write('inventory-items.csv', 'sku,cost,_command\nSKU-001,5,delete\nSKU-002,5,\n');
  expect(await workspace.mistakes('plan @/inventory-items.csv')).toEqual({
    'inventory-items.csv:2:3': ['_command can only be used with boh inventory-items import'],
  });
});

test.each(['csv', 'ndjson', 'xlsx'])(
  'tables that export wrote as %s: diff finds no difference',
  async (format) => {
    const workspace = await openManifestWorkspace();
    workspace.write('tables/.keep', '');
    const tables = defaultResources({ api }).filter(({ key }) => key.length > 0);
    for (const { command } of tables)
      expect(
        (await workspace.boh(`${command} export --to @/tables/${command}.${format}`)).exitCode,
        command,
      ).toBe(0);
    const diffResult = await workspace.boh('diff @/tables');
    expect(diffResult.exitCode, diffResult.stderr).toBe(0);
  },
);

test('a table of a resource without a natural key: is refused once, with a hint', async () => {
  const workspace = await openManifestWorkspace();
  workspace.write('addresses.csv', 'name,description\nHome,a\nHome,b\n');
  expect(await workspace.mistakes('plan @/addresses.csv')).toEqual({
    'addresses.csv:1:1': [
      expect.stringMatching(/table of addresses, .* declare them in YAML or JSON, with \$key/),
    ],
  });
});

test('invalid tables: are reported together with the mistakes in other files', async () => {
  const workspace = await openManifestWorkspace();
  workspace.write('base/tags.csv', 'name,type\n"A,customer\n');
  workspace.write('base/suppliers.xlsx', 'no workbook');
  workspace.write('base/taxes.csv', '');
  workspace.write('base/a.yaml', 'tagz: []\n');
  const mistakes = await workspace.mistakes('plan @/base');
  expect(Object.keys(mistakes)).toEqual([
    'base/a.yaml:1:1',
    'base/suppliers.xlsx:1:1',
    'base/tags.csv:2:1',
    'base/taxes.csv:1:1',
  ]);
  expect(mistakes['base/tags.csv:2:1']?.[0]).toMatch(/has a quote that is not closed/);
});
