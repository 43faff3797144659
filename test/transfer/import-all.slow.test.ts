import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fc } from '../harness/fast-check.ts';
import { failureOf } from '../harness/run-boh.ts';
import {
  type Accounts,
  openAccounts,
  parseRows,
  selectRestorable,
  serviceFields,
  toComparable,
} from './backups.ts';
import { type Cells, editRows, readAllRows, readRows } from './exports.ts';

/** Exports the demo business to the folder `all`. */
async function exportAll(flags = ''): Promise<Accounts & { exportFolder: string }> {
  const accounts = openAccounts();
  const exportFolder = join(accounts.folder, 'all');
  const result = await accounts.boh('demo', `export --to ${exportFolder}${flags}`);
  expect(result.exitCode).toBe(0);
  return { ...accounts, exportFolder };
}

const writtenRows = (result: Parameters<typeof parseRows>[0]) =>
  parseRows(result).filter(({ action }) => action !== 'skip');

describe('import of an export into the same account', () => {
  test.each(['all', 'book.xlsx', 'ndjson'])('%s: changes nothing', async (name) => {
    const { boh, folder } = openAccounts();
    const path = join(folder, name);
    await boh('demo', `export --to ${path}${name === 'ndjson' ? ' -o ndjson' : ''}`);
    const result = await boh('demo', `import ${path} --yes`);
    expect([result.exitCode, writtenRows(result)]).toEqual([0, []]);
    expect(result.stderr).toContain('records are matched by ID');
    expect(result.stderr).toContain('38 loyalty rewards, 124 loyalty transactions');
    expect(result.stderr).not.toContain('taken effect');
  });

  test('any edited cells: only these change', async () => {
    const exported = await exportAll();
    const byId = join(exported.folder, 'by-id');
    await exported.boh('demo', `export --to ${byId} --ids`);
    let tryCount = 0;
    const edits = fc.array(
      fc.record({
        cell: fc.constantFrom(...editable),
        row: fc.nat(1000),
        text: fc.constantFrom(...messages),
      }),
      { minLength: 20, maxLength: 40 },
    );
    await fc.assert(
      fc.asyncProperty(edits, async (cellEdits) => {
        const sandbox = `demo-${tryCount++}`;
        const edited = join(exported.folder, 'edited');
        cpSync(exported.exportFolder, edited, { recursive: true });
        const expected = readAllRows(byId);
        for (const { cell, row, text } of cellEdits) {
          const [name = '', column = ''] = cell.split('.');
          const change = (rows: Cells[]) => Object.assign(rows[row % rows.length] ?? {}, { [column]: text });
          editRows(edited, name, change);
          change(expected.get(name) ?? []);
        }
        const result = await exported.boh(sandbox, `import ${edited} --yes`);
        expect([result.exitCode, result.stderr.split('\n').slice(-15)]).toEqual([0, expect.anything()]);
        const secondExport = join(exported.folder, 'after');
        await exported.boh(sandbox, `export --to ${secondExport} --ids`);
        expect(readAllRows(secondExport)).toEqual(expected);
        for (const folder of [edited, secondExport]) rmSync(folder, { recursive: true });
      }),
      { numRuns: 8 },
    );
  });

  test('links, branch levels, addresses, and new rows that refer to new rows: are written and undone', async () => {
    const { exportFolder, boh, json } = await exportAll();
    editRows(exportFolder, 'suppliers', ([firstRow]) => {
      const [removed, changed, ...items] = JSON.parse(firstRow?.items ?? '');
      expect(removed.id).toBe('SKU-001');
      Object.assign(firstRow ?? {}, { items: JSON.stringify([{ ...changed, cost: 99 }, ...items]) });
    });
    editRows(exportFolder, 'gift-card-products-branch', (rows) => {
      rows.push({ gift_card_product: 'GIFT-50', branch: 'Riverside', is_active: 'false' });
    });
    editRows(exportFolder, 'inventory-item-categories', (rows) => {
      rows.push({ ...emptyRow(rows), name: 'Spices', reference: 'SPI' });
    });
    editRows(exportFolder, 'inventory-items', (rows) => {
      const levels = [{ id: 'Old Town', minimum_level: '3', maximum_level: '9', par_level: '5' }];
      rows.push({
        ...emptyRow(rows),
        ...{ sku: 'SKU-900', name: 'Cumin', storage_unit: 'kg', ingredient_unit: 'g' },
        ...{ storage_to_ingredient_factor: '1000', costing_method: 'fixed-cost', category: 'SPI' },
        branches: JSON.stringify(levels),
      });
    });
    editRows(exportFolder, 'addresses', (rows) => {
      rows.push({ ...emptyRow(rows), name: 'Villa', customer_id: 'customer-1' });
    });
    const was = await json('demo', 'suppliers get supplier-1 --include items');
    const result = await boh('demo', `import ${exportFolder} --yes`);
    expect(result.exitCode).toBe(0);
    const supplier = await json('demo', 'suppliers get supplier-1 --include items');
    const costs = supplier.items.map(({ pivot }: { pivot: { cost: number } }) => pivot.cost);
    expect([costs.length, costs[0]]).toEqual([was.items.length - 1, 99]);
    const item = await json('demo', 'inventory-items get @SKU-900 --include branches,category');
    expect(item).toMatchObject({ category: { name: 'Spices' }, branches: [{ name: 'Old Town' }] });
    const [card] = await json('demo', 'gift-card-products list --sku GIFT-50');
    expect(card.branches).toMatchObject([{ id: 'branch-riverside', pivot: { is_active: false } }]);
    const addresses = await json('demo', 'addresses list --customer-id customer-1 --all');
    expect(addresses.map(({ name }: { name: string }) => name)).toContain('Villa');
    const [, run = ''] = /boh --sandbox undo (\S+)/.exec(result.stderr) ?? [];
    const undoResult = await boh('demo', `undo ${run} --yes`);
    expect(undoResult.exitCode, undoResult.stderr).toBe(0);
    expect((await json('demo', 'suppliers get supplier-1 --include items')).items).toHaveLength(
      was.items.length,
    );
    expect(await json('demo', 'inventory-items list --sku SKU-900')).toEqual([]);
  });

  test('records that changed after the export: are refused with their lines, or overwritten', async () => {
    const { exportFolder, boh, json } = await exportAll();
    await boh('demo', 'tags update tag-1 --name Later');
    await boh('demo', 'sandbox clock');
    const refusedResult = await boh('demo', `import ${exportFolder} --yes`);
    expect(failureOf(refusedResult)).toMatchObject({
      category: 'usage',
      fields: { 'tags line 2': [expect.stringContaining('--stale overwrite')] },
    });
    const result = await boh('demo', `import ${exportFolder} --stale overwrite --yes`);
    expect([result.exitCode, writtenRows(result)]).toMatchObject([
      0,
      [{ resource: 'tags', line: 2, id: 'tag-1' }],
    ]);
    expect(await json('demo', 'tags get tag-1')).toMatchObject({
      name: readRows(exportFolder, 'tags')[0]?.name,
    });
  });

  test('one file that refers to a renamed record: finds the record by its ID in another file', async () => {
    const { exportFolder, boh } = await exportAll();
    await boh('demo', 'tags update tag-1 --name Later');
    const result = await boh('demo', `import ${exportFolder} --resource customers --yes`);
    expect([result.exitCode, writtenRows(result)]).toEqual([0, []]);
    await boh('demo', 'tags delete tag-1 --yes');
    const refusedResult = await boh('demo', `import ${exportFolder} --resource customers --yes`);
    expect(failureOf(refusedResult)).toMatchObject({ category: 'usage' });
    expect(refusedResult.stderr).toContain('Tag @Regular not found');
  });

  test('a row that renames a record, and other rows with the old name: is reported with its line', async () => {
    const { exportFolder, boh } = await exportAll();
    editRows(exportFolder, 'tags', ([firstRow]) => Object.assign(firstRow ?? {}, { name: 'Later' }));
    const result = await boh('demo', `import ${exportFolder} --yes`);
    expect([result.exitCode, writtenRows(result)]).toMatchObject([0, [{ resource: 'tags', id: 'tag-1' }]]);
    expect(result.stderr).toContain('names that this import changes: Regular (tags line 2). To import');
  });

  test('a draft that a row closes: is closed once, after a warning, and stays closed', async () => {
    const { exportFolder, boh, json } = await exportAll();
    const to = (status: string) =>
      editRows(exportFolder, 'inventory-counts', ([firstRow]) => Object.assign(firstRow ?? {}, { status }));
    to('closed');
    const result = await boh('demo', `import ${exportFolder} --yes`);
    expect([result.exitCode, writtenRows(result)]).toMatchObject([
      0,
      [{ resource: 'inventory_counts', line: 2 }],
    ]);
    expect(result.stderr).toContain(
      "With this status, the inventory count takes effect. This can't be undone.",
    );
    expect(writtenRows(await boh('demo', `import ${exportFolder} --yes`))).toEqual([]);
    to('draft');
    const reopened = await boh('demo', `import ${exportFolder} --yes`);
    expect([reopened.exitCode, writtenRows(reopened)]).toEqual([0, []]);
    expect(reopened.stderr).toContain('the target have already taken effect: 1 inventory count.');
    expect(await json('demo', 'inventory-counts get inventory-count-1')).toMatchObject({ status: 2 });
  });

  test('--match key: the note gives no reason, and nothing changes', async () => {
    const { exportFolder, boh } = await exportAll();
    const result = await boh('demo', `import ${exportFolder} --resource tags,taxes --match key --yes`);
    expect([result.exitCode, writtenRows(result)]).toEqual([0, []]);
    expect(result.stderr).toContain('records are matched by key.');
  });

  test('limits and a dry run: nothing is sent', async () => {
    const { exportFolder, boh, json } = await exportAll();
    editRows(exportFolder, 'tags', (rows) => {
      for (const row of rows) row.name += ' (new)';
    });
    const limited = await boh('demo', `import ${exportFolder} --max-changes 3 --yes`);
    expect(failureOf(limited)).toMatchObject({
      fields: { 'max-changes': [expect.stringContaining('16 of')] },
    });
    const dryRunResult = await boh('demo', `import ${exportFolder} --dry-run --exit-code`);
    expect([dryRunResult.exitCode, writtenRows(dryRunResult).length]).toEqual([10, 16]);
    const tags = await json('demo', 'tags list --all');
    expect(JSON.stringify(tags)).not.toContain('(new)');
  });

  test('a plan saved with --out: is applied by boh apply', async () => {
    const { exportFolder, boh, folder, json } = await exportAll();
    editRows(exportFolder, 'tags', ([firstRow]) => Object.assign(firstRow ?? {}, { name: 'Planned' }));
    const plan = join(folder, 'plan.boh');
    await boh('demo', `import ${exportFolder} --out ${plan}`);
    expect((await boh('demo', `apply --plan ${plan} --yes`)).exitCode).toBe(0);
    expect(await json('demo', 'tags get tag-1')).toMatchObject({ name: 'Planned' });
  });
});

describe('import of an export into an empty account', () => {
  test('with the same branches: gives equal records except for IDs and times, and a second import writes nothing', async () => {
    const { exportFolder, boh, createEmptySandbox, backup } = await exportAll(' --ids');
    const recordsBefore = await backup('demo', 'first');
    createEmptySandbox('new');
    const line = `import ${exportFolder} --same-references --yes`;
    const result = await boh('new', line);
    expect([result.exitCode, parseRows(result).filter(({ outcome }) => outcome !== 'done')]).toEqual([0, []]);
    expect(result.stderr).toContain('records are matched by key');
    const recordsAfter = await backup('new', 'second');
    const active = new Map(
      [...recordsBefore].map(([name, rows]) => [name, rows.filter((row) => !row.deleted_at)]),
    );
    const [expected, actual] = [active, recordsAfter].map((backup) =>
      toComparable(selectRestorable(backup), serviceFields),
    );
    for (const [resource, rows] of expected ?? [])
      expect([resource, actual?.get(resource)]).toEqual([resource, rows]);
    const repeatResult = await boh('new', line);
    expect([repeatResult.exitCode, writtenRows(repeatResult)]).toEqual([0, []]);
  });

  test('names in another spelling: refer to the row with the name, and are reported', async () => {
    const { exportFolder, boh, createEmptySandbox, json } = await exportAll();
    editRows(exportFolder, 'inventory-items', ([row = {}]) => Object.assign(row, { category: 'veg' }));
    createEmptySandbox('new');
    const line = `import ${exportFolder} --resource inventory-item-categories,inventory-items`;
    expect((await boh('new', `${line} --skip-missing --yes`)).stderr).toContain('"veg" matched VEG');
    const { category } = await json('new', 'inventory-items get @SKU-001 --include category');
    expect(category.reference).toBe('VEG');
  });

  test('with missing references: lists them with the flags that map them', async () => {
    const { exportFolder, boh, createEmptySandbox, json } = await exportAll();
    createEmptySandbox('new');
    const line = `import ${exportFolder} --resource sections,tags`;
    const refusedResult = await boh('new', `${line} --yes`);
    expect(failureOf(refusedResult)).toMatchObject({
      category: 'usage',
      fields: { tables: expect.arrayContaining([expect.stringContaining('--map-table "Table 1=…"')]) },
    });
    const result = await boh('new', `${line} --skip-missing --yes`);
    expect(result.exitCode).toBe(0);
    const sections = await json('new', 'sections list --all');
    expect(sections.map(({ branch }: { branch: Cells }) => branch.id)).toContain('branch-riverside');
  });

  test('with --skip-missing into an empty account: what the plan omits is never sent, also the second time', async () => {
    const { exportFolder, boh, createEmptySandbox } = await exportAll();
    createEmptySandbox('new');
    const line = `import ${exportFolder} --skip-missing --skip-invalid --yes`;
    const failedRows = (result: Parameters<typeof parseRows>[0]) =>
      writtenRows(result).filter(({ outcome }) => outcome !== 'done');
    expect(failedRows(await boh('new', line))).toEqual([]);
    expect(writtenRows(await boh('new', line))).toEqual([]);
  });
});

/** Columns that accept any of the texts. */
const editable = [
  ...['customers.name', 'addresses.name', 'addresses.description', 'categories.name_localized', 'tags.name'],
  ...['inventory-items.name', 'suppliers.contact_name', 'sections.name', 'modifiers.name', 'roles.name'],
  ...['delivery-zones.name_localized', 'timed-events.name', 'users.name', 'tax-groups.name_localized'],
];

/** Texts that file formats and services might change. */
const messages = [
  ...[
    'Plain',
    'a,b;c',
    'say "so"',
    "it's",
    '00012',
    '1,5',
    '2026-11-23',
    'TRUE',
    'null',
    'كزبرة',
    'é e\u0301',
  ],
  ...['=1+1', '-5', '+966', '@Riverside', '1E+05x', 'two\nlines'],
];

/** Returns a row with empty cells. */
function emptyRow(rows: readonly Cells[]): Cells {
  return Object.fromEntries(Object.keys(rows[0] ?? {}).map((name) => [name, '']));
}
