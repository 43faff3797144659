import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fc } from '../harness/fast-check.ts';
import { failureOf, runBoh } from '../harness/run-boh.ts';
import { openImportSandbox } from './import-sandbox.ts';

describe('column names of an import', () => {
  test.each([
    ['customers', 'Customer Name,Mobile,Date of Birth', 'A B,551234,1990-01-02'],
    ['customers', 'الاسم,رقم الجوال,تاريخ الميلاد', 'A B,551234,1990-01-02'],
    ['customers', 'FULL NAME,Phone No.,D.O.B.', 'A B,551234,1990-01-02'],
  ])('common synonyms in %s (%s): are mapped to fields and reported', async (resource, header, row) => {
    const sandbox = openImportSandbox();
    const result = await sandbox.import(
      'people.csv',
      `${header}\n${row}\n`,
      `${resource} --mode create --dry-run`,
    );
    expect(result.rows[0]?.changes).toEqual({
      name: { from: null, to: 'A B' },
      phone: { from: null, to: '551234' },
      birth_date: { from: null, to: '1990-01-02' },
    });
    expect(result.stderr).toMatch(
      new RegExp(`Mapped columns of people\\.csv: .*${header.split(',')[1]} to phone, `),
    );
  });

  test('a synonym of a field that another column has: is refused like any unknown column', async () => {
    const sandbox = openImportSandbox();
    const result = await sandbox.import(
      'p.csv',
      'name,phone,Mobile\nA,551234,552345\n',
      'customers --mode create',
    );
    expect(failureOf(result).fields).toEqual({
      Mobile: [expect.stringContaining('is not a field of customers')],
    });
  });

  test('--save-map and --map FILE: the next import needs no other flag, and columns may be missing', async () => {
    const sandbox = openImportSandbox();
    const map = join(sandbox.folder, 'map.json');
    const file = 'Who,Mobile,Points\nA B,551234,7\n';
    const line = 'customers --mode create --dry-run';
    const firstResult = await sandbox.import(
      'p.csv',
      file,
      `${line} --map Who=name --map Points= --save-map ${map}`,
    );
    expect(firstResult.exitCode).toBe(0);
    expect(JSON.parse(readFileSync(map, 'utf8'))).toEqual({
      columns: { Who: 'name', Points: null, Mobile: 'phone' },
    });
    const repeatResult = await sandbox.import('p.csv', file, `${line} --map ${map}`);
    expect(repeatResult.rows).toEqual(firstResult.rows);
    const fewerColumnsResult = await sandbox.import('p.csv', 'Who\nA B\n', `${line} --map ${map}`);
    expect(fewerColumnsResult.rows[0]?.changes).toEqual({ name: { from: null, to: 'A B' } });
  });

  const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;
  const anyName = fc
    .array(
      fc.constantFrom('=', ',', ';', '"', "'", '\n', ' ', '\u00a0', '\t', '@', '0', 'x', 'مخبز', '__proto__'),
      {
        minLength: 1,
        maxLength: 5,
      },
    )
    .map((parts) => parts.join(''))
    .filter((name) => name.trim() !== '');
  const distinctNames = fc.uniqueArray(anyName, {
    minLength: 2,
    maxLength: 4,
    selector: (name) => name.trim(),
  });

  test.each(['csv', 'ndjson'])(
    'any column names of %s: --save-map stores them so that --map reads them back',
    async (format) => {
      const { folder } = openImportSandbox();
      const [file, map] = [join(folder, `p.${format}`), join(folder, 'map.json')];
      const run = (...flags: string[]) =>
        runBoh(['--sandbox', 'customers', 'import', file, '--mode', 'create', '--dry-run', ...flags], {
          env: { BOH_CONFIG_DIR: join(folder, 'config') },
        });
      await fc.assert(
        fc.asyncProperty(distinctNames, async (names) => {
          const all = [...names, 'phone'];
          const record = Object.fromEntries(all.map((name) => [name, name === 'phone' ? '551234' : 'A B']));
          writeFileSync(
            file,
            format === 'csv'
              ? `${all.map(quoted).join(',')}\n${Object.values(record).join(',')}\n`
              : `${JSON.stringify(record)}\n`,
          );
          const flags = names.flatMap((name, index) => ['--map', `${name}=${index === 0 ? 'name' : ''}`]);
          const first = await run(...flags, '--save-map', map);
          expect(first.exitCode, first.stderr).toBe(0);
          const again = await run('--map', map);
          expect([again.exitCode, again.stdout], again.stderr).toEqual([0, first.stdout]);
          const trims = format === 'csv';
          expect(Object.entries(JSON.parse(readFileSync(map, 'utf8')).columns).sort()).toEqual(
            names.map((name, index) => [trims ? name.trim() : name, index === 0 ? 'name' : null]).sort(),
          );
        }),
        { numRuns: 12 },
      );
    },
  );

  test('--save-map with an equals sign in its path: is refused, because --map would read it as a column', async () => {
    const sandbox = openImportSandbox();
    const path = join(sandbox.folder, 'a=b.json');
    const result = await sandbox.import('p.csv', 'name\nA\n', `customers --mode create --save-map ${path}`);
    expect([result.exitCode, failureOf(result).fields]).toEqual([
      2,
      { 'save-map': [expect.stringContaining('equals sign')] },
    ]);
    expect(existsSync(path)).toBe(false);
  });

  test.each([
    ['nothing.json', undefined, "can't read"],
    ['list.json', '[]', "this isn't a column map"],
    ['text.json', 'Who is name', "this isn't a column map"],
  ])('--map %s: is refused', async (name, text, message) => {
    const sandbox = openImportSandbox();
    const path = join(sandbox.folder, name);
    if (text !== undefined) writeFileSync(path, text);
    const result = await sandbox.import('p.csv', 'Who\nA\n', `customers --mode create --map ${path}`);
    expect([result.exitCode, failureOf(result).message]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe('a code whose leading zeros a spreadsheet has removed', () => {
  const item =
    '--name Zeros --storage-unit kg --ingredient-unit g --storage-to-ingredient-factor 1000 --costing-method 1';

  test('import: a row that matches no record is refused, and the message suggests the code with zeros', async () => {
    const sandbox = openImportSandbox();
    await sandbox.boh(`inventory-items create --sku 00003 ${item}`);
    const refusedResult = await sandbox.import(
      'z.csv',
      'sku,cost\n3,5\nSKU-001,9\n',
      'inventory-items --key sku',
    );
    expect(failureOf(refusedResult).fields).toEqual({
      'line 2': ['The row matches no inventory item. Did you mean "00003"? To create "3": --mode create.'],
    });
    const updateResult = await sandbox.import(
      'z.csv',
      'sku,cost\n3,5\n',
      'inventory-items --key sku --mode update',
    );
    expect(failureOf(updateResult).fields).toEqual({
      'line 2': ['The row matches no inventory item. Did you mean "00003"?'],
    });
    const correctResult = await sandbox.import(
      'z.csv',
      'sku,cost\n00003,5\n',
      'inventory-items --key sku --yes',
    );
    expect(correctResult.rows).toMatchObject([{ action: 'update', outcome: 'done' }]);
  });

  test('lookup by key: the message suggests the record', async () => {
    const sandbox = openImportSandbox();
    await sandbox.boh(`inventory-items create --sku 00003 ${item}`);
    const missing = failureOf(await sandbox.boh('inventory-items get @3'));
    expect(missing.message).toBe('Inventory item @3 not found. Did you mean Zeros (00003)?');
    const sheet = 'branch,sku,quantity\nRiverside,3,4\n';
    const countFailure = failureOf(await sandbox.import('c.csv', sheet, 'inventory-counts'));
    expect(countFailure.fields).toEqual({
      'line 2': [expect.stringContaining('Did you mean Zeros (00003)?')],
    });
  });
});
