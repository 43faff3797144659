import { describe, expect, test } from 'vitest';
import { openImportSandbox } from './import-sandbox.ts';

interface NamedRecord {
  id: string;
  name: string;
}

describe('import: matching a row with a record', () => {
  test('several matching records: the row is refused', async () => {
    const sandbox = openImportSandbox();
    await sandbox.import('c.csv', 'name,phone\nOne,771\nTwo,771\n', 'customers --mode create --yes');
    const refusedResult = await sandbox.import('c.csv', 'name,phone\nThree,771\n', 'customers --key phone');
    expect(refusedResult.exitCode).toBe(2);
    expect(refusedResult.rows[0]?.error?.message).toMatch(/matches several customers: \w+, \w+/);
    const bothResult = await sandbox.import(
      'c.csv',
      'name,phone,email\nTwo,771,two@example.com\n',
      'customers --key name,phone',
    );
    expect(bothResult.rows).toMatchObject([{ key: 'Two, 771', action: 'update', outcome: 'done' }]);
  });

  test('without --key: a unique field of the API document identifies the record', async () => {
    const sandbox = openImportSandbox();
    const file = 'reference,name\nCAT-NEW,New\n';
    const first = await sandbox.import('c.csv', file, 'categories');
    expect(first.rows).toMatchObject([{ key: 'CAT-NEW', action: 'create' }]);
    expect((await sandbox.import('c.csv', file, 'categories')).rows).toMatchObject([{ action: 'skip' }]);
  });

  test('a column of IDs: identifies records, and rows without an ID are new', async () => {
    const sandbox = openImportSandbox();
    const [supplier] = await sandbox.json<NamedRecord[]>('suppliers list --limit 1');
    const result = await sandbox.import(
      's.csv',
      `id,name\n${supplier?.id},Renamed\n,Brand New\n`,
      'suppliers --yes',
    );
    expect(result.rows.map(({ action }) => action)).toEqual(['update', 'create']);
    const missingResult = await sandbox.import('s.csv', 'id,name\nmissing,x\n', 'suppliers');
    expect(missingResult.exitCode).toBe(2);
    expect(missingResult.rows[0]?.error?.message).toContain(
      'has the ID missing, but no supplier with this ID exists',
    );
  });

  test('a deleted record: is reported, and restored with --on-deleted restore', async () => {
    const sandbox = openImportSandbox();
    const [supplier] = await sandbox.json<NamedRecord[]>('suppliers list --limit 1');
    await sandbox.boh(`suppliers delete ${supplier?.id} --yes`);
    const file = `id,phone\n${supplier?.id},12345\n`;
    const refusedResult = await sandbox.import('s.csv', file, 'suppliers');
    expect(refusedResult.rows[0]?.error?.message).toContain('which is deleted');
    const restoreResult = await sandbox.import('s.csv', file, 'suppliers --on-deleted restore');
    expect(restoreResult.rows).toMatchObject([{ action: 'update', outcome: 'done' }]);
    const after = await sandbox.json<{ phone: string; deleted_at: null }>(`suppliers get ${supplier?.id}`);
    expect(after).toMatchObject({ phone: '12345', deleted_at: null });
  });

  test('a record deleted since the export: is restored, unless it was also changed', async () => {
    const sandbox = openImportSandbox();
    const [first, second] = await sandbox.json<NamedRecord[]>('suppliers list --limit 2');
    await sandbox.boh(`suppliers export --to ${sandbox.folder}/all.csv`);
    const [header, ...rows] = sandbox.read('all.csv').trimEnd().split('\n');
    const fileOf = (supplier: NamedRecord | undefined) =>
      `${header}\n${rows.find((row) => row.includes(supplier?.id ?? '-'))}\n`;
    await sandbox.boh(`suppliers update ${second?.id} --phone 777`);
    await sandbox.boh(`suppliers delete ${first?.id} ${second?.id} --yes`);
    const line = 'suppliers --on-deleted restore --yes';
    const restoreResult = await sandbox.import('first.csv', fileOf(first), line);
    expect(restoreResult.rows, restoreResult.stderr).toMatchObject([{ action: 'update', outcome: 'done' }]);
    const refusedResult = await sandbox.import('second.csv', fileOf(second), line);
    expect(refusedResult.rows[0]?.error?.message).toMatch(
      /deleted at .*\(to overwrite it: --stale overwrite\)/,
    );
    expect(await sandbox.json(`suppliers get ${first?.id}`)).toMatchObject({ deleted_at: null });
  });
});

describe('import: the requests of a row', () => {
  test("a field that a creation doesn't accept: is sent in an update", async () => {
    const sandbox = openImportSandbox();
    const file = 'reference,name,is_ready\nMOD-NEW,Choice of Tea,true\n';
    const result = await sandbox.import('m.csv', file, 'modifiers');
    expect(result.rows).toMatchObject([{ action: 'create', outcome: 'done' }]);
    const after = await sandbox.json<object>(`modifiers get ${result.rows[0]?.id}`);
    expect(after).toMatchObject({ reference: 'MOD-NEW', name: 'Choice of Tea', is_ready: true });
  });

  test("a field that can't be changed: is accepted with its current value and refused otherwise", async () => {
    const sandbox = openImportSandbox();
    const [tag] = await sandbox.json<(NamedRecord & { type: number })[]>('tags list --name VIP');
    const sameResult = await sandbox.import(
      't.csv',
      `id,name,type\n${tag?.id},Very Important,customer\n`,
      'tags',
    );
    expect(sameResult.rows).toMatchObject([{ action: 'update', outcome: 'done' }]);
    const otherResult = await sandbox.import('t.csv', `id,type\n${tag?.id},branch\n`, 'tags');
    expect(otherResult.rows[0]?.error?.message).toMatch(/type is set at creation/);
  });

  test('list of related records with amounts: names are resolved and amounts are sent', async () => {
    const sandbox = openImportSandbox();
    const file = 'branch,status,items\nbranch-riverside,draft,"SKU-001=7.5,@sku:SKU-002=3"\n';
    const result = await sandbox.import('a.csv', file, 'cost-adjustments --mode create');
    expect(result.exitCode, result.stderr).toBe(0);
    const after = await sandbox.json<{ items: { sku: string; pivot: { cost_per_unit: number } }[] }>(
      `cost-adjustments get ${result.rows[0]?.id}`,
    );
    expect(after.items.map(({ pivot }) => pivot.cost_per_unit)).toEqual([7.5, 3]);
    const commaResult = await sandbox.import(
      'a.csv',
      'branch;status;business_date;items\nbranch-riverside;draft;31/12/2026;"SKU-001=7,5; SKU-002=3,25"\n',
      'cost-adjustments --mode create --decimal comma',
    );
    const second = await sandbox.json<{ items: { pivot: { cost_per_unit: number } }[] }>(
      `cost-adjustments get ${commaResult.rows[0]?.id}`,
    );
    expect(second.items.map(({ pivot }) => pivot.cost_per_unit)).toEqual([7.5, 3.25]);
  });

  test('--list-mode: replaces a list, adds to it or removes from it', async () => {
    const sandbox = openImportSandbox();
    const tagsOf = async () => {
      const [record] = await sandbox.json<{ tags: NamedRecord[] }[]>(
        'customers list --phone 771 --include tags',
      );
      return record?.tags.map(({ name }) => name).sort();
    };
    const line = 'customers --key phone';
    await sandbox.import('c.csv', 'name,phone,tags\nOne,771,"VIP,Regular"\n', line);
    expect(await tagsOf()).toEqual(['Regular', 'VIP']);
    const corporateRow = 'phone,tags\n771,Corporate\n';
    await sandbox.import('c.csv', corporateRow, `${line} --list-mode add`);
    expect(await tagsOf()).toEqual(['Corporate', 'Regular', 'VIP']);
    const repeatResult = await sandbox.import('c.csv', corporateRow, `${line} --list-mode add`);
    expect(repeatResult.rows).toMatchObject([{ action: 'skip' }]);
    await sandbox.import('c.csv', 'phone,tags\n771,VIP\n', `${line} --list-mode remove`);
    expect(await tagsOf()).toEqual(['Corporate', 'Regular']);
    await sandbox.import('c.csv', corporateRow, line);
    expect(await tagsOf()).toEqual(['Corporate']);
    await sandbox.import('c.csv', 'phone,email\n771,-\n', `${line} --null -`);
    expect(await tagsOf()).toEqual(['Corporate']);
  });

  test('--list-mode add with nested objects: adds new ones, and updates existing ones by name', async () => {
    const sandbox = openImportSandbox();
    const importModifier = (options: object[], flags = '') =>
      sandbox.import(
        'm.ndjson',
        `${JSON.stringify({ name: 'Size', options })}\n`,
        `modifiers --key name${flags}`,
      );
    const optionsOf = async () => {
      const [modifier] = await sandbox.json<{ options: { name: string; price: number }[] }[]>(
        'modifiers list --name Size --include options',
      );
      return modifier?.options.map(({ name, price }) => [name, price]);
    };
    await importModifier([
      { name: 'Small', price: 1 },
      { name: 'Large', price: 3 },
    ]);
    const newOptions = [
      { name: 'Large', price: 4 },
      { name: 'Huge', price: 5 },
    ];
    await importModifier(newOptions, ' --list-mode add');
    const expectedOptions = [['Small', 1], ...newOptions.map(({ name, price }) => [name, price])];
    expect(await optionsOf()).toEqual(expectedOptions);
    const repeatResult = await importModifier(newOptions, ' --list-mode add');
    expect([repeatResult.rows, await optionsOf()]).toMatchObject([[{ action: 'skip' }], expectedOptions]);
  });

  test('a number with other trailing zeros: is not sent', async () => {
    const sandbox = openImportSandbox();
    const header =
      'sku,name,storage_unit,ingredient_unit,storage_to_ingredient_factor,costing_method,minimum_level,cost';
    await sandbox.import('i.csv', `${header}\nN-1,x,kg,g,1000,1,5,2.5\n`, 'inventory-items --key sku');
    const sameResult = await sandbox.import(
      'i.csv',
      'sku,minimum_level,cost\nN-1,5.00,2.50\n',
      'inventory-items --key sku',
    );
    expect(sameResult.rows).toMatchObject([{ action: 'skip' }]);
  });
});

test('import: a row with the ID and a row with the key of one record are both refused', async () => {
  const sandbox = openImportSandbox();
  const [{ id, reference, name } = { id: '', reference: '', name: '' }] =
    await sandbox.json<{ id: string; reference: string; name: string }[]>('categories list --limit 1');
  const text = `id,reference,name\n${id},,${name}\n,${reference},Beta\n`;
  const refusedResult = await sandbox.import('c.csv', text, 'categories --yes');
  expect(refusedResult.exitCode).toBe(2);
  expect(refusedResult.rows.map(({ line, error }) => [line, error?.message])).toEqual([
    [2, `The row is one of several rows that match the same category (${id}): lines 2, 3.`],
    [3, `The row is one of several rows that match the same category (${id}): lines 2, 3.`],
  ]);
});
