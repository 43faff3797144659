/** Ignores columns of a CSV or JSON file: without a name, with a repeated name, and all that --map doesn't name. */
import { expect, test } from 'vitest';
import { openImportSandbox } from '../bulk/import-sandbox.ts';
import { failureOf } from '../harness/run-boh.ts';

const names = (rows: readonly { changes?: Record<string, { to: unknown }> | null }[]) =>
  rows.map(({ changes }) => changes?.name?.to);

test('import --map "=": ignores columns without a name', async () => {
  const sandbox = openImportSandbox();
  const text = ',name,,phone\n7,Hala,x,501\n8,Omar,y,502\n';
  const refused = await sandbox.import('u.csv', text, 'customers --mode create --dry-run');
  expect(refused.exitCode).toBe(2);
  expect(refused.rows[1]?.error?.message).toBe(
    'The row has a value in column 1, which has no name (to ignore such columns: --map "=").',
  );
  const flags = `customers --mode create --map = --save-map ${sandbox.folder}/map.json --dry-run`;
  const result = await sandbox.import('u.csv', text, flags);
  expect(result.exitCode, result.stderr).toBe(0);
  expect(names(result.rows)).toEqual(['Hala', 'Omar']);
  const again = await sandbox.import(
    'u.csv',
    text,
    `customers --mode create --map ${sandbox.folder}/map.json --dry-run`,
  );
  expect(names(again.rows)).toEqual(['Hala', 'Omar']);
});

test('import --map "=phone": is refused, because a column without a name has no field', async () => {
  const result = await openImportSandbox().import('u.csv', 'name,\nA,1\n', 'customers --map =phone --yes');
  expect(result.exitCode).toBe(2);
  expect(result.stderr).toContain('map: Expected COLUMN=FIELD, not "=phone"');
});

test('import: columns with the same name are refused, unless they are ignored', async () => {
  const sandbox = openImportSandbox();
  const text = 'name,Remark,phone,Remark,Remark\nHala,a,501,b,c\n';
  const refused = await sandbox.import('d.csv', text, 'customers --mode create --dry-run');
  expect(failureOf(refused)).toMatchObject({
    message: 'The file d.csv has duplicate columns in its header (line 1): Remark.',
    hint: 'Name each column once. To ignore them: --map "Remark="',
  });
  const result = await sandbox.import('d.csv', text, 'customers --mode create --map Remark= --dry-run');
  expect(result.exitCode, result.stderr).toBe(0);
  expect(result.rows[0]?.changes).toEqual({
    name: { from: null, to: 'Hala' },
    phone: { from: null, to: '501' },
  });
  const mapped = await sandbox.import('d.csv', text, 'customers --mode create --map Remark=name --dry-run');
  expect(failureOf(mapped).message).toContain('has duplicate columns');
});

test.each([
  ['csv', ',Who,phone,email,Who 2,x,x\n1,Hala,501,bad,z,1,2\n'],
  ['ndjson', '{"":1,"Who":"Hala","phone":"501","email":"bad","Who 2":"z"}\n'],
])('import --only-mapped of %s: reads the columns of --map and no others', async (format, text) => {
  const sandbox = openImportSandbox();
  const result = await sandbox.import(
    `o.${format}`,
    text,
    'customers --mode create --only-mapped --map Who=name --map phone=phone --dry-run',
  );
  expect(result.exitCode, result.stderr).toBe(0);
  expect(result.rows[0]?.changes).toEqual({
    name: { from: null, to: 'Hala' },
    phone: { from: null, to: '501' },
  });
});

test('import --only-mapped: requires --map', async () => {
  const result = await openImportSandbox().import('o.csv', 'name\nA\n', 'customers --only-mapped --yes');
  expect(result.exitCode).toBe(2);
  expect(result.stderr).toContain('only-mapped: Add --map for each column to read');
});

test('import: an ignored column without a name keeps the secrets of its rows', async () => {
  const sandbox = openImportSandbox();
  const text = ',name,email,lang,pin\n1,Rana,rana@x.example,en,48213\n';
  const result = await sandbox.import('s.csv', text, 'users --mode create --map = --yes');
  expect(result.rows, result.stderr).toMatchObject([{ action: 'create', outcome: 'done' }]);
});
