/** The keys of rows and of records: which ones are the same in different forms, and which ones are not. */
import { describe, expect, test } from 'vitest';
import { openImportSandbox } from './import-sandbox.ts';

const units = 'storage_unit;ingredient_unit;storage_to_ingredient_factor;costing_method';

test('import: keys that differ in spaces, direction marks or Unicode forms match the same record', async () => {
  const sandbox = openImportSandbox();
  const cafe = `sku;name;${units}\nCAF\u00c9;Café;kg;g;1;1\n`;
  await sandbox.import('new.csv', cafe, 'inventory-items --key sku --yes');
  const before = await sandbox.json<unknown[]>('inventory-items list');
  const text = 'sku;cost\nSKU-001 ;7,5\n\u00a0SKU-002;8,5\n\u200fSKU-003\u200f;9,5\nCAFE\u0301;10,5\n';
  const result = await sandbox.import('prices.csv', text, 'inventory-items --key sku --yes');
  expect(result.rows.map(({ key, action, outcome }) => [key, action, outcome])).toEqual([
    ['SKU-001', 'update', 'done'],
    ['SKU-002', 'update', 'done'],
    ['SKU-003', 'update', 'done'],
    ['CAF\u00c9', 'update', 'done'],
  ]);
  const after = await sandbox.json<{ sku: string; cost: number }[]>('inventory-items list');
  expect(after).toHaveLength(before.length);
  expect(after.find(({ sku }) => sku === 'SKU-001')?.cost).toBe(7.5);
});

test('import: rows whose keys differ only in invisible characters are reported as duplicates', async () => {
  const sandbox = openImportSandbox();
  const text = `sku;name;${units}\nD-1;x;kg;g;1;1\nD-1 ;y;kg;g;1;1\n\u202aD-1\u202c;z;kg;g;1;1\n`;
  const refusedResult = await sandbox.import('dup.csv', text, 'inventory-items --key sku --yes');
  expect(refusedResult.exitCode).toBe(2);
  expect(refusedResult.rows.map(({ line }) => line)).toEqual([2, 3, 4]);
});

test.each([
  ['Unix line breaks', 'A-1\nB', '"A-1\r\nB"'],
  ['Windows line breaks', 'A-1\r\nB', '"A-1\nB"'],
  ['classic Mac line breaks', 'A-1\rB', '"A-1\r\nB"'],
  ['decomposed letters', 'CRE\u0300ME', 'CR\u00c8ME'],
])('import: a record whose key has %s matches a row with another spelling', async (_, sku, cell) => {
  const sandbox = openImportSandbox();
  const item = { sku, name: sku, storage_unit: 'kg', ingredient_unit: 'g' };
  const itemText = JSON.stringify({ ...item, storage_to_ingredient_factor: 1, costing_method: 1 });
  await sandbox.import('made.ndjson', `${itemText}\n`, 'inventory-items --mode create --yes');
  for (const key of ['sku', 'name']) {
    const header = `${key};cost;storage_unit;ingredient_unit;storage_to_ingredient_factor;costing_method`;
    const text = `${header}\n${cell};7.25;kg;g;1;1\n`;
    const foundResult = await sandbox.import('otherwise.csv', text, `inventory-items --key ${key} --dry-run`);
    expect(foundResult.rows.map(({ action, changes }) => [action, changes])).toEqual([
      ['update', { cost: { from: 0, to: 7.25 } }],
    ]);
  }
});

test('import: a row with another spelling updates the record, which keeps its own, and a note says so', async () => {
  const sandbox = openImportSandbox();
  const text = 'sku;cost\nsku-001;7,5\nSKU 002;8,5\nSKU-003;9,5\n';
  const result = await sandbox.import('case.csv', text, 'inventory-items --key sku --yes');
  expect(result.rows.map(({ action, outcome }) => [action, outcome])).toEqual(
    Array(3).fill(['update', 'done']),
  );
  expect(result.stderr).toContain(
    'line 2: sku "sku-001" matched SKU-001\nline 3: sku "SKU 002" matched SKU-002\n',
  );
  expect(result.stderr).not.toContain('matched SKU-003');
  const items = await sandbox.json<{ sku: string; cost: number }[]>('inventory-items list');
  expect(items.find(({ sku }) => sku === 'SKU-001')?.cost).toBe(7.5);
  const repeatResult = await sandbox.import('case.csv', text, 'inventory-items --key sku');
  expect(repeatResult.rows.map(({ action }) => action)).toEqual(['skip', 'skip', 'skip']);
});

test('import: more than ten notes about spellings are counted', async () => {
  const sandbox = openImportSandbox();
  const numbers = Array.from({ length: 12 }, (_, index) => String(index + 1).padStart(3, '0'));
  const text = `sku,cost\n${numbers.map((number) => `sku-${number},77`).join('\n')}\n`;
  const result = await sandbox.import('case.csv', text, 'inventory-items --key sku --dry-run');
  expect(result.stderr.match(/ matched /g)).toHaveLength(10);
  expect(result.stderr).toContain('and 2 others in another spelling');
});

test('import --mode create: a row with another spelling of an existing key is refused', async () => {
  const sandbox = openImportSandbox();
  const text = `sku;name;${units}\nsku-001;x;kg;g;1;1\n`;
  const result = await sandbox.import('new.csv', text, 'inventory-items --key sku --mode create');
  expect(result.exitCode).toBe(2);
  expect(result.rows[0]?.error?.message).toMatch(/^The row already exists: inventory item \S+\.$/);
});

test.each([
  ['two new rows', ['Täst-9', 'TÄST-9']],
  ['two rows for one record', ['SKU-001', 'sku-001']],
])('import: %s whose keys are spellings of each other are refused', async (_, skus) => {
  const sandbox = openImportSandbox();
  const text = `sku;name;${units}\n${skus.map((sku) => `${sku};x;kg;g;1;1`).join('\n')}\n`;
  const result = await sandbox.import('two.csv', text, 'inventory-items --key sku --yes');
  expect(result.exitCode).toBe(2);
  expect(result.rows.map(({ error }) => error?.message)).toEqual(
    Array(2).fill(expect.stringMatching(/is one of several rows .*: lines 2, 3\.$/)),
  );
});

test('import: two records whose keys are spellings of each other are both updated by their own', async () => {
  const sandbox = openImportSandbox();
  for (const name of ['Seafarers', 'SEAFARERS']) await sandbox.boh(`suppliers create --name ${name}`);
  const file = 'name,phone\nSeafarers,111\nSEAFARERS,222\n';
  const result = await sandbox.import('n.csv', file, 'suppliers --key name --yes');
  expect(result.rows.map(({ action }) => action)).toEqual(['update', 'update']);
  expect(new Set(result.rows.map(({ id }) => id)).size).toBe(2);
  const other = await sandbox.import('n.csv', 'name,phone\nseafarers,333\n', 'suppliers --key name --yes');
  expect(other.rows[0]?.error?.message).toMatch(
    /^The row matches several suppliers: \w+ \(\w+\), \w+ \(\w+\)\.$/,
  );
});

test('import: a record whose key has surrounding spaces matches its row, and the spaces are kept', async () => {
  const sandbox = openImportSandbox();
  const itemText =
    '{"sku":"PAD-1 ","name":"  Padded  ","storage_unit":"kg","ingredient_unit":"g","storage_to_ingredient_factor":1,"costing_method":1}\n';
  await sandbox.import('pad.ndjson', itemText, 'inventory-items --mode create --yes');
  await sandbox.boh(`inventory-items export --sku-partial PAD --to ${sandbox.folder}/pad.csv`);
  const byId = await sandbox.import('pad.csv', sandbox.read('pad.csv'), 'inventory-items');
  expect(byId.rows.map(({ action }) => action)).toEqual(['skip']);
  const byKey = await sandbox.import('k.csv', 'sku,name\n"PAD-1 ",  Padded  \n', 'inventory-items --key sku');
  expect(byKey.rows.map(({ action }) => action)).toEqual(['skip']);
});

describe('deleted records', () => {
  const item = (sku: string, name: string) =>
    JSON.stringify({
      ...{ sku, name, storage_unit: 'kg', ingredient_unit: 'g' },
      ...{ storage_to_ingredient_factor: 1, costing_method: 1 },
    });
  const createAndDeleteTwice = async (sandbox: ReturnType<typeof openImportSandbox>, sku: string) => {
    for (const name of ['First', 'Second']) {
      await sandbox.import('one.ndjson', item(sku, name), 'inventory-items --mode create --yes');
      await sandbox.boh(`inventory-items delete @${sku} --yes`);
    }
  };

  test('import: do not match a row whose record exists, with any number of other rows', async () => {
    const sandbox = openImportSandbox();
    await createAndDeleteTwice(sandbox, 'D-1');
    await sandbox.import('one.ndjson', item('D-1', 'Third'), 'inventory-items --mode create --yes');
    for (const otherCount of [1, 60]) {
      const rows = Array.from({ length: otherCount }, (_, index) => item(`Z-${index}`, 'Z'));
      const text = [item('D-1', 'Fourth'), ...rows].join('\n');
      const result = await sandbox.import(
        'd.ndjson',
        text,
        'inventory-items --key sku --on-deleted restore --dry-run',
      );
      expect(result.rows[0]).toMatchObject({ action: 'update', changes: { name: { from: 'Third' } } });
    }
  });

  test('import of a file that deletes by key: are skipped, also in a second import', async () => {
    const sandbox = openImportSandbox();
    await createAndDeleteTwice(sandbox, 'D-1');
    const text = 'sku,_command\nSKU-001,delete\nSKU-002,delete\nD-1,delete\n';
    const line = 'inventory-items --key sku --yes';
    const firstResult = await sandbox.import('d.csv', text, line);
    expect([firstResult.exitCode, firstResult.rows.map(({ action }) => action)]).toEqual([
      0,
      ['skip', 'delete', 'delete'],
    ]);
    const repeatResult = await sandbox.import('d.csv', text, line);
    expect([repeatResult.exitCode, repeatResult.rows.map(({ action }) => action)]).toEqual([
      0,
      ['skip', 'skip', 'skip'],
    ]);
    const neverResult = await sandbox.import(
      'n.csv',
      'sku\nNEVER\n',
      'inventory-items --key sku --mode delete --yes',
    );
    expect([neverResult.exitCode, neverResult.rows[0]?.error?.message]).toEqual([
      2,
      'The row matches no inventory item to delete.',
    ]);
  });
});
