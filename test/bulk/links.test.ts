import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { api } from '../../src/api/resources/index.ts';
import { failureOf } from '../harness/run-boh.ts';
import { type ImportSandbox, openImportSandbox } from './import-sandbox.ts';

const linked = api.collections.flatMap(({ command, links = {} }) =>
  Object.keys(links).map((kind) => [command, kind] as const),
);

async function importLinks(sandbox: ImportSandbox, name: string, text: string | Uint8Array, line: string) {
  writeFileSync(join(sandbox.folder, name), text);
  const [command = '', word = '', ...flags] = line.split(' ');
  const result = await sandbox.boh(
    [command, 'import-links', word, join(sandbox.folder, name), ...flags].join(' '),
  );
  const rows = result.stdout
    .trim()
    .split('\n')
    .filter((row) => row.startsWith('{'));
  return { ...result, rows: rows.map((row) => JSON.parse(row)) };
}

describe('links of a resource', () => {
  test.each(linked)(
    '%s %s: an import of the export changes nothing, in every format',
    async (command, word) => {
      const sandbox = openImportSandbox();
      for (const flags of ['-o csv', '-o csv --ids', '-o csv --spreadsheet', '-o ndjson', '-o json']) {
        const exportResult = await sandbox.boh(`${command} export-links ${word} ${flags}`);
        expect(exportResult).toMatchObject({ exitCode: 0, stderr: '' });
        const result = await importLinks(
          sandbox,
          `in.${flags.split(' ')[1]}`,
          exportResult.stdout,
          `${command} ${word}`,
        );
        expect({ flags, ...result }).toMatchObject({ exitCode: 0 });
        expect(result.rows.length).toBeGreaterThan(0);
        expect(result.rows.filter(({ action }) => action !== 'skip')).toEqual([]);
      }
    },
  );

  test('import-links of a file in another encoding: is refused, and --encoding reads it', async () => {
    const sandbox = openImportSandbox();
    const [header = '', row = ''] = (await sandbox.boh('suppliers export-links item')).stdout.split('\n');
    const cells = row.split(',').with(header.split(',').indexOf('order_unit'), 'caisse carrée');
    const file = Buffer.from(`${header}\n${cells.join(',')}\n`, 'latin1');
    const refused = await importLinks(sandbox, 'in.csv', file, 'suppliers item --dry-run');
    expect(failureOf(refused).fields).toMatchObject({ '--encoding windows-1252': ['caisse carrée'] });
    const flags = 'suppliers item --encoding windows-1252 --dry-run';
    const result = await importLinks(sandbox, 'in.csv', file, flags);
    expect(result.rows[0].changes.order_unit.to).toBe('caisse carrée');
  });

  test('import-links of a price list: changes, adds and removes links', async () => {
    const sandbox = openImportSandbox();
    const items = await sandbox.json<{ sku: string }[]>('inventory-items list');
    const before = (await sandbox.boh('suppliers export-links item')).stdout.trim().split('\n');
    expect(before[0]).toBe(
      'supplier,item,order_unit,order_to_storage_factor,minimum_order_quantity,cost,code',
    );
    const [supplier = '', item = ''] = (before[1] ?? '').split(',');
    const linkedSkus = new Set(
      before
        .slice(1)
        .filter((row) => row.startsWith(`${supplier},`))
        .map((row) => row.split(',')[1]),
    );
    const newSku = items.find(({ sku }) => !linkedSkus.has(sku))?.sku;
    const file = `supplier;item;cost;order_unit;order_to_storage_factor\n${supplier};${item};41,25;;\n${supplier};${newSku};3,5;box;6\n`;
    const showResult = await importLinks(sandbox, 'prices.csv', file, 'suppliers item --dry-run --exit-code');
    expect(showResult.exitCode).toBe(10);
    expect(showResult.rows[0].changes).toEqual({ cost: { from: expect.anything(), to: 41.25 } });
    const result = await importLinks(sandbox, 'prices.csv', file, 'suppliers item --yes');
    expect(result.rows.map(({ action, outcome }) => [action, outcome])).toEqual([
      ['link', 'done'],
      ['link', 'done'],
    ]);
    const after = (await sandbox.boh('suppliers export-links item')).stdout;
    expect(after).toContain(`${supplier},${newSku},box,6,,3.5,`);
    // Fields that the row left empty keep their values.
    const [, , unit, factor] = (before[1] ?? '').split(',');
    expect(after).toContain(`${supplier},${item},${unit},${factor},`);
    expect(after.split('\n').find((row) => row.startsWith(`${supplier},${item},`))).toContain(',41.25,');
    const missingResult = await importLinks(
      sandbox,
      'gone.csv',
      `supplier,item,_command\n${supplier},${newSku},delete\n`,
      'suppliers item --yes',
    );
    expect(missingResult.rows.map(({ action, outcome }) => [action, outcome])).toEqual([['unlink', 'done']]);
    expect((await sandbox.boh('suppliers export-links item')).stdout).not.toContain(`${supplier},${newSku},`);
  });

  test('import-links: a code that only loses its zeros is refused, and written with --accept-damage', async () => {
    const sandbox = openImportSandbox();
    const row = (await sandbox.boh('suppliers export-links item')).stdout.trim().split('\n')[1] ?? '';
    const [supplier, item] = row.split(',');
    const file = (code: string) => `supplier,item,code\n${supplier},${item},${code}\n`;
    await importLinks(sandbox, 'old.csv', file('00471'), 'suppliers item --yes');
    const refused = await importLinks(sandbox, 'new.csv', file('471'), 'suppliers item --dry-run');
    expect(refused.exitCode).toBe(2);
    expect(refused.rows[0].error.message).toContain('code only loses zeros');
    const flags = 'suppliers item --dry-run --accept-damage';
    const accepted = await importLinks(sandbox, 'new.csv', file('471'), flags);
    expect(accepted.rows[0].changes).toEqual({ code: { from: '00471', to: '471' } });
    const repaired = await importLinks(sandbox, 'old.csv', file('00471'), 'suppliers item --dry-run');
    expect(repaired.rows[0]).toMatchObject({ action: 'skip', error: null });
  });

  test('import-links with invalid rows: exits with 2 and reports every invalid row', async () => {
    const sandbox = openImportSandbox();
    const row = (await sandbox.boh('suppliers export-links item')).stdout.trim().split('\n')[1] ?? '';
    const [supplier, item] = row.split(',');
    const file = `supplier,item,cost\n${supplier},Nothing of it,1\n${supplier},${item},much\n,${item},1\n${supplier},${item},1\n${supplier},${item},2\n`;
    const result = await importLinks(sandbox, 'bad.csv', file, 'suppliers item --yes');
    expect(result.exitCode).toBe(2);
    const fields = failureOf(result).fields as Record<string, string[]>;
    expect(Object.keys(fields)).toEqual(['line 2', 'line 3', 'line 4', 'line 5', 'line 6']);
    expect(fields['line 5']?.[0]).toContain('lines 5, 6');
    const headerResult = await importLinks(
      sandbox,
      'header.csv',
      'supplier,itme\na,b\n',
      'suppliers item --yes',
    );
    expect(failureOf(headerResult).fields).toHaveProperty('itme');
    expect((await sandbox.boh('suppliers export-links thing')).exitCode).toBe(2);
  });
});

test('import-links: two columns for one end are refused, and an unreadable row has no other errors', async () => {
  const sandbox = openImportSandbox();
  writeFileSync(
    join(sandbox.folder, 'l.csv'),
    'supplier,supplier_id,item,code\nFresh Farms,supplier-1,SKU-001,\n ,supplier-1,SKU-002,1E+05\n',
  );
  const refusedResult = await sandbox.boh(`suppliers import-links item ${sandbox.folder}/l.csv --yes`);
  expect(refusedResult.exitCode).toBe(2);
  expect(failureOf(refusedResult).fields).toEqual({
    'line 2': ['supplier_id is a second column for supplier.'],
    'line 3': [expect.stringContaining('code is a number that a spreadsheet has shortened')],
  });
  writeFileSync(
    join(sandbox.folder, 'l.ndjson'),
    '{"supplier":"Fresh Farms","item":"SKU-001","cost":9007199254740993}\n',
  );
  const inexactResult = await sandbox.boh(`suppliers import-links item ${sandbox.folder}/l.ndjson --yes`);
  expect(failureOf(inexactResult).fields).toEqual({
    'line 1': [expect.stringMatching(/^The row can't be used: 9007199254740993 .* would become \d+\.$/)],
  });
});
