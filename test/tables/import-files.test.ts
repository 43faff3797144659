import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openImportSandbox } from '../bulk/import-sandbox.ts';
import { failureOf, runBoh } from '../harness/run-boh.ts';

interface Named {
  name: string;
  phone: string;
}

test.each([
  ['semicolons', 'sku;cost\nSKU-001;1.234\n'],
  ['tabs', 'sku\tcost\nSKU-001\t1.234\n'],
  ['a direction mark', 'sku,cost\nSKU-001,"\u200f1,234"\n'],
])('import: ambiguous numbers with %s are refused, and --decimal decides', async (_, text) => {
  const sandbox = openImportSandbox();
  const refusedResult = await sandbox.import('i.csv', text, 'inventory-items --key sku');
  expect(refusedResult.exitCode).toBe(2);
  expect(failureOf(refusedResult)).toMatchObject({
    message: expect.stringContaining('The file i.csv has ambiguous numbers'),
    hint: expect.stringContaining('--decimal'),
  });
  const decidedResult = await sandbox.import(
    'i.csv',
    text,
    'inventory-items --key sku --decimal comma --dry-run',
  );
  const cost = text.includes('.') ? 1234 : 1.234;
  expect(decidedResult.rows[0]?.changes).toEqual({ cost: { from: 4.5, to: cost } });
});

test('import: an ambiguous number after the sampled rows is refused', async () => {
  const sandbox = openImportSandbox();
  const rows = Array.from({ length: 2100 }, (_, index) => `N${index},no,${index}`);
  const text = `name,is_blacklisted,house_account_limit\n${rows.join('\n')}\nlast,no,"1,234"\n`;
  const refusedResult = await sandbox.import('many.csv', text, 'customers --mode create --yes');
  expect(refusedResult.exitCode).toBe(2);
  expect(refusedResult.rows).toMatchObject([
    { line: 2102, error: { message: expect.stringContaining('is ambiguous') } },
  ]);
});

test('import: numbers shortened by a spreadsheet are refused as phones and SKUs, unless a record already has them', async () => {
  const sandbox = openImportSandbox();
  const text = 'name,phone\nHani,9.66512E+11\nMona,"9,66512E+11"\nSami,1E5\n';
  const refusedResult = await sandbox.import('x.csv', text, 'customers --mode create --yes');
  expect(refusedResult.exitCode).toBe(2);
  expect(refusedResult.rows.map(({ line, error }) => [line, error?.message])).toEqual([
    [2, expect.stringContaining('phone is a number that a spreadsheet has shortened: "9.66512E+11"')],
    [3, expect.stringContaining('9,66512E+11')],
  ]);
  await sandbox.boh('customers create --name Odd --phone 1E+05');
  await sandbox.boh(`customers export --to ${sandbox.folder}/out.csv`);
  const reimportResult = await sandbox.import(
    'out.csv',
    sandbox.read('out.csv'),
    'customers --dry-run --exit-code',
  );
  expect(reimportResult.exitCode).toBe(0);
});

test('import: phones copied from a telephone are read as the phone numbers', async () => {
  const sandbox = openImportSandbox();
  const text = 'name,phone,email\n منى ,\u202a٥٥٥٤٠٠٠١٠\u202c,\u200fMona@X.example \n';
  await sandbox.import('p.csv', text, 'customers --key phone');
  const customers = await sandbox.json<Named[]>('customers list --phone 555400010');
  expect(customers).toMatchObject([{ name: 'منى', phone: '555400010', email: 'Mona@X.example' }]);
  const repeatResult = await sandbox.import('p.csv', 'phone,name\n555400010,منى\n', 'customers --key phone');
  expect(repeatResult.rows.map(({ action }) => action)).toEqual(['skip']);
  const mails = 'email,name\nmona@x.example,منى\nMONA@x.example,منى\n';
  const duplicateResult = await sandbox.import('m.csv', mails, 'customers --key email --yes');
  expect(duplicateResult.rows.map(({ line, outcome }) => [line, outcome])).toEqual([
    [2, 'failed'],
    [3, 'failed'],
  ]);
});

test('import: spaces and direction marks around texts and units are not part of them', async () => {
  const sandbox = openImportSandbox();
  const header =
    'sku,name,storage_unit,ingredient_unit,storage_to_ingredient_factor,costing_method,category\n';
  const text = `${header}\u200fN-1 ,\u200f\u00a0ملح \u200fبحري\u200f,\u200ekg\u200e, g\u00a0,1000,1,\u200f\n`;
  const result = await sandbox.import('marks.csv', text, 'inventory-items --mode create --dry-run');
  expect(result.rows[0]?.changes).toEqual({
    sku: { from: null, to: 'N-1' },
    name: { from: null, to: 'ملح \u200fبحري' },
    storage_unit: { from: null, to: 'kg' },
    ingredient_unit: { from: null, to: 'g' },
    storage_to_ingredient_factor: { from: null, to: 1000 },
    costing_method: { from: null, to: 1 },
  });
});

test('import: a header with invisible characters is recognized, and a second header is skipped', async () => {
  const sandbox = openImportSandbox();
  const text = '\u200fname\u00a0,\u200ePhone\nMb A,555200031\n\ufeffname,phone\nMb B,555200032\n  ,\u00a0\n';
  const refusedResult = await sandbox.import(
    'two.csv',
    text.replace('Phone', 'phone'),
    'customers --key phone --all-rows --yes',
  );
  expect(refusedResult.exitCode).toBe(2);
  expect(refusedResult.rows).toMatchObject([{ line: 3, error: { message: 'The row repeats the header.' } }]);
  const restResult = await sandbox.import(
    'two.csv',
    text.replace('Phone', 'phone'),
    'customers --key phone --yes',
  );
  expect(restResult.rows.map(({ action, outcome }) => [action, outcome])).toEqual([
    ['create', 'done'],
    ['create', 'done'],
  ]);
});

test('import: null in JSON for an id, a timestamp or a command is ignored', async () => {
  const sandbox = openImportSandbox();
  const text = '{"id":null,"updated_at":null,"_command":null,"name":"New","phone":"555500001"}\n';
  const result = await sandbox.import('n.ndjson', text, 'customers --key phone');
  expect(result.rows).toMatchObject([{ action: 'create', outcome: 'done' }]);
});

test('import --failed: refuses to overwrite the input file', async () => {
  const sandbox = openImportSandbox();
  const text = 'sku;cost\nSKU-001;10,5\nSKU-999;1,5\n';
  const flags = `inventory-items --key sku --mode update --skip-invalid --failed ${sandbox.folder}/p.csv --yes`;
  const refusedResult = await sandbox.import('p.csv', text, flags);
  expect(refusedResult.exitCode).toBe(2);
  expect(failureOf(refusedResult).message).toContain('overwritten');
  expect(sandbox.read('p.csv')).toBe(text);
});

test('import --failed: rows with a secret keep each cell in its column, also after a column without a name', async () => {
  const sandbox = openImportSandbox();
  const text = 'name;;email;pin;phone\nU1;;u1@x.example;12345;"5;551"\n';
  const refusedResult = await sandbox.import(
    'u.csv',
    text,
    `users --mode create --failed ${sandbox.folder}/f.csv --yes`,
  );
  expect(refusedResult.exitCode).toBe(2);
  expect(sandbox.read('f.csv')).toMatch(/^name;;email;pin;phone;_reason\nU1;;u1@x\.example;;"5;551";.*\n$/);
});

test.each([
  'inventory-items import-links ingredient FILE',
  'inventory-items update --where sku=SKU-001 --cost 1',
])('%s --max-changes: accepts only a number', async (line) => {
  const sandbox = openImportSandbox();
  const refusedResult = await sandbox.boh(`${line} --max-changes few --yes`);
  expect(refusedResult.exitCode).toBe(2);
  expect(failureOf(refusedResult).fields).toMatchObject({ 'max-changes': [expect.stringContaining('10%')] });
});

test('import: the cell that clears a field also clears a list', async () => {
  const sandbox = openImportSandbox();
  const text = 'id;tags\ncustomer-1;\\N\n';
  const result = await sandbox.import('tags.csv', text, 'customers');
  expect(result.rows).toMatchObject([{ action: 'update', outcome: 'done' }]);
  expect(await sandbox.json('customers get customer-1 --include tags')).toMatchObject({ tags: [] });
  const repeatResult = await sandbox.import('tags.csv', text, 'customers');
  expect(repeatResult.rows.map(({ action }) => action)).toEqual(['skip']);
});

test('import: an export that a spreadsheet has saved in its own format changes nothing', async () => {
  const sandbox = openImportSandbox();
  await sandbox.boh(`customers export --name Huda --to ${sandbox.folder}/out.csv`);
  const text = sandbox.read('out.csv');
  const saved = text.replaceAll(
    /(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):\d\d/g,
    (_, year, month, day, hour, minute) => {
      const period = Number(hour) < 12 ? 'AM' : 'PM';
      return `${Number(month)}/${day}/${year} ${Number(hour) % 12 || 12}:${minute} ${period}`;
    },
  );
  expect(saved).not.toBe(text);
  const reimportResult = await sandbox.import(
    'back.csv',
    saved,
    'customers --dates mdy --dry-run --exit-code',
  );
  expect(reimportResult.rows.map(({ action, outcome }) => [action, outcome])).toContainEqual([
    'skip',
    'done',
  ]);
  expect(reimportResult.exitCode).toBe(0);
});

test("import --null '': an empty cell clears the field", async () => {
  const sandbox = openImportSandbox();
  await sandbox.boh('customers update customer-1 --email huda@example.com');
  const text = 'id,name,email,tags\ncustomer-1,Huda Al-Amin,,\n';
  const dryRunResult = await sandbox.import('c.csv', text, 'customers --dry-run');
  expect(dryRunResult.rows.map(({ action }) => action)).toEqual(['skip']);
  writeFileSync(join(sandbox.folder, 'c.csv'), text);
  const line = ['--sandbox', 'customers', 'import', join(sandbox.folder, 'c.csv'), '--null', '', '--dry-run'];
  const result = await runBoh(line, { env: { BOH_CONFIG_DIR: join(sandbox.folder, 'config') } });
  expect(JSON.parse(result.stdout).changes).toEqual({
    email: { from: 'huda@example.com', to: null },
    tags: { from: [expect.anything()], to: [] },
  });
});

test("import --ledger: a file that isn't a ledger is left unchanged and refused", async () => {
  const sandbox = openImportSandbox();
  const text = 'sku;cost\nSKU-001;77,5\n';
  const refusedResult = await sandbox.import(
    'p.csv',
    text,
    `inventory-items --key sku --ledger ${sandbox.folder}/p.csv`,
  );
  expect(refusedResult.exitCode).toBe(2);
  expect(failureOf(refusedResult).message).toContain("this file isn't a ledger");
  expect(sandbox.read('p.csv')).toBe(text);
});

test('import --ledger: an empty file, as mktemp creates it, becomes the ledger', async () => {
  const sandbox = openImportSandbox();
  writeFileSync(join(sandbox.folder, 'new'), '');
  const importResult = await sandbox.import(
    'p.csv',
    'sku;cost\nSKU-001;77,5\n',
    `inventory-items --key sku --yes --ledger ${sandbox.folder}/new`,
  );
  expect([importResult.exitCode, importResult.stderr]).toEqual([0, expect.stringContaining('1 updated')]);
  expect(sandbox.read('new')).toMatch(/^SQLite format 3/);
});

test('import of many duplicate rows: reports each with a short message', async () => {
  const sandbox = openImportSandbox();
  const refusedResult = await sandbox.import(
    'same.csv',
    `sku,cost\n${'SAME,1\n'.repeat(1500)}`,
    'inventory-items --key sku',
  );
  expect(refusedResult.rows).toHaveLength(1500);
  expect(refusedResult.rows[7]?.error?.message).toBe(
    'The row is one of several rows with the same key (SAME): lines 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 1,490 more.',
  );
});

test('import of a misspelled name: the message suggests the similar name once', async () => {
  const sandbox = openImportSandbox();
  const text = 'sku,category\nSKU-001,Végétables\n';
  const refusedResult = await sandbox.import('near.csv', text, 'inventory-items --key sku');
  expect(refusedResult.rows[0]?.error?.message).toMatch(/Did you mean Vegetables \(\S+\)\?$/);
});

test('import: a byte that may be Windows or Mac encoding is refused, and --encoding decides', async () => {
  const sandbox = openImportSandbox();
  const bytes = Buffer.concat([Buffer.from('name,phone\nGarc'), Buffer.from([0x92]), Buffer.from('a,555\n')]);
  const refusedResult = await sandbox.import('mac.csv', bytes, 'customers --key phone --dry-run');
  expect(refusedResult.exitCode).toBe(2);
  expect(failureOf(refusedResult).fields).toMatchObject({
    '--encoding windows-1252': ['Garc’a'],
    '--encoding macintosh': ['García'],
  });
  const line = 'customers --key phone --dry-run --encoding';
  const mac = await sandbox.import('mac.csv', bytes, `${line} macintosh`);
  expect(mac.rows[0]?.changes?.name?.to).toBe('García');
  const windows = await sandbox.import('mac.csv', bytes, `${line} windows-1252`);
  expect(windows.rows[0]?.changes?.name?.to).toBe('Garc’a');
});
