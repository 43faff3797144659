import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Row } from '../../src/account/session/row.ts';
import { failureOf } from '../harness/run-boh.ts';
import {
  type BackupRecords,
  openAccounts,
  parseRows,
  selectRestorable,
  serviceFields,
  toComparable,
} from './backups.ts';

describe('a backup restored into an empty account', () => {
  test('gives equal records except for ids and times, also deleted ones, and a second restore writes nothing', async () => {
    const { folder, boh, createEmptySandbox, backup } = openAccounts();
    const backupBefore = await backup('demo', 'first');
    createEmptySandbox('new');
    const line = `backup restore ${join(folder, 'first')} --same-references --with-deleted --yes`;
    const result = await boh('new', line);
    expect([result.exitCode, parseRows(result).filter(({ outcome }) => outcome !== 'done')]).toEqual([0, []]);
    const backupAfter = await backup('new', 'second');
    const [expected, actual] = [backupBefore, backupAfter].map((records) =>
      toComparable(selectRestorable(records), serviceFields),
    );
    for (const [resource, rows] of expected ?? [])
      expect([resource, actual?.get(resource)]).toEqual([resource, rows]);
    // The service assigns new IDs.
    const ids = (backup: BackupRecords) => new Set((backup.get('customers') ?? []).map(({ id }) => id));
    expect([...ids(backupAfter)].filter((id) => ids(backupBefore).has(id))).toEqual([]);
    const repeatResult = await boh('new', line);
    expect([
      repeatResult.exitCode,
      parseRows(repeatResult).filter(({ action }) => action !== 'skip'),
    ]).toEqual([0, []]);
  });

  test("reports records that it can't restore before it writes", async () => {
    const { folder, boh, createEmptySandbox, backup } = openAccounts();
    await backup('demo', 'first');
    createEmptySandbox('new');
    const result = await boh(
      'new',
      `backup restore ${join(folder, 'first')} --same-references --dry-run --exit-code`,
    );
    expect(result.exitCode).toBe(10);
    for (const message of [
      /API can't write them: .*loyalty rewards/,
      /have already taken effect: .*transfer orders/,
      /because they are deleted \(to include them: --with-deleted\): .*2 customers/,
      /can't create them, .*: 2 payment methods/,
      /Fields that no request can write: .*users: is_owner, pin, password/,
      /customers: 200 to create/,
      /\d+ requests/,
    ])
      expect(result.stderr).toMatch(message);
    expect(parseRows(result)).toContainEqual(
      expect.objectContaining({ resource: 'suppliers', outcome: 'not_sent' }),
    );
    expect((await boh('new', 'customers list --json')).stdout.trim()).toBe('[]');
  });
});

const linksOf = (row: Row | undefined) => (row?.items ?? []) as { id: string }[];

describe('a backup restored into its own account', () => {
  test('restores deleted and changed records by id, and keeps new records', async () => {
    const { folder, boh, json, backup } = openAccounts();
    const backupBefore = await backup('demo', 'first');
    const [firstSupplier, secondSupplier] = backupBefore.get('suppliers') ?? [];
    await boh('demo', `suppliers update ${firstSupplier?.id} --name Renamed --email new@example.com`);
    await boh('demo', `suppliers delete ${secondSupplier?.id} --yes`);
    const [link] = linksOf(firstSupplier);
    await boh('demo', `suppliers unlink-item ${firstSupplier?.id} ${link?.id}`);
    const newSupplier = await json('demo', 'suppliers create --name Newcomer');
    const result = await boh('demo', `backup restore ${join(folder, 'first')} --yes`);
    expect([result.exitCode, result.stderr]).toEqual([0, expect.stringContaining('to the same account')]);
    const changed = parseRows(result).filter(({ action }) => action !== 'skip');
    expect(changed.map(({ id, action }) => [id, action])).toEqual([
      [firstSupplier?.id, 'update'],
      [secondSupplier?.id, 'update'],
    ]);
    const backupAfter = await backup('demo', 'second');
    const suppliers = new Map(backupAfter.get('suppliers')?.map((row) => [row.id, row]));
    expect(suppliers.get(firstSupplier?.id)).toMatchObject({
      name: firstSupplier?.name,
      email: firstSupplier?.email,
    });
    expect(linksOf(suppliers.get(firstSupplier?.id))).toHaveLength(linksOf(firstSupplier).length);
    expect(suppliers.get(secondSupplier?.id)?.deleted_at).toBe(null);
    expect(suppliers.get(newSupplier.id)).toMatchObject({ name: 'Newcomer' });
  });
});

describe('a permanently deleted record in a backup of the same account', () => {
  test('is created again once', async () => {
    const { folder, boh, json, backup } = openAccounts();
    const backupBefore = await backup('demo', 'first');
    const [address] = (backupBefore.get('addresses') ?? []).filter((row) => !row.deleted_at);
    await boh('demo', `addresses delete ${address?.id} --yes`);
    const line = `backup restore ${join(folder, 'first')} --yes`;
    const result = await boh('demo', line);
    expect([result.exitCode, parseRows(result).filter(({ action }) => action !== 'skip')]).toMatchObject([
      0,
      [{ resource: 'addresses', action: 'create', outcome: 'done' }],
    ]);
    const { id: customer } = (address?.customer ?? {}) as { id?: string };
    const addresses = await json('demo', `addresses list --customer-id ${customer}`);
    expect(addresses).toContainEqual(
      expect.objectContaining({ name: address?.name, description: address?.description }),
    );
    const repeatResult = await boh('demo', line);
    expect([
      repeatResult.exitCode,
      parseRows(repeatResult).filter(({ action }) => action !== 'skip'),
    ]).toEqual([0, []]);
  });
});

describe('customers with the same name', () => {
  test('if only one has a phone number: are not matched', async () => {
    const { folder, boh, json, createEmptySandbox } = openAccounts();
    createEmptySandbox('one');
    createEmptySandbox('two');
    await boh('one', 'customers create --name Sami');
    await boh('one', 'customers create --name Huda --dial-code 966 --phone 551 --is-blacklisted');
    await boh('two', 'customers create --name Sami --dial-code 966 --phone 552');
    const existingCustomer = await json('two', 'customers create --name Houda --dial-code 966 --phone 551');
    await boh('one', `backup ${join(folder, 'first')} --resource customers`);
    const result = await boh('two', `backup restore ${join(folder, 'first')} --yes`);
    expect(parseRows(result).map(({ key, action }) => [key, action])).toEqual([
      ['Sami', 'create'],
      ['Huda', 'update'],
    ]);
    expect(await json('two', `customers get ${existingCustomer.id}`)).toMatchObject({
      name: 'Huda',
      is_blacklisted: true,
    });
    expect(await json('two', 'customers list')).toHaveLength(3);
  });
});

describe("references of a backup's records", () => {
  test('that are missing in the target: are reported all at once, and nothing is sent', async () => {
    const { folder, boh, createEmptySandbox, backup } = openAccounts();
    await backup('demo', 'first');
    createEmptySandbox('new');
    const line = `backup restore ${join(folder, 'first')} --resource customers,addresses,sections`;
    const result = await boh('new', `${line} --yes`);
    expect(result.exitCode).toBe(2);
    const { fields, hint } = failureOf(result) as { fields: Record<string, string[]>; hint: string };
    expect(Object.keys(fields).sort()).toEqual(['delivery_zones', 'tables', 'tags']);
    expect(fields.tables?.join()).toContain('--map-table');
    expect(hint).toContain('--with-references');
    expect((await boh('new', 'customers list --json')).stdout.trim()).toBe('[]');
  });

  test('with --with-references: are transferred, or matched by name; with --skip-missing: are omitted', async () => {
    const { folder, boh, json, createEmptySandbox, backup } = openAccounts();
    await backup('demo', 'first');
    createEmptySandbox('new');
    const line = `backup restore ${join(folder, 'first')} --resource customers --yes`;
    const [tag] = (await json('demo', 'customers list --include tags')).flatMap(
      ({ tags }: { tags: { name: string }[] }) => tags,
    ) as { name: string; type: number }[];
    const existing = await json('new', `tags create --name ${tag?.name} --type customer`);
    // A tag of the same name for another resource is a different tag.
    await boh('new', `tags create --name ${tag?.name} --type supplier`);
    const result = await boh('new', `${line} --with-references`);
    expect(result.exitCode).toBe(0);
    const tags = parseRows(result).filter(({ resource }) => resource === 'tags');
    expect(tags.find(({ key }) => key === tag?.name)).toMatchObject({ action: 'skip', id: existing.id });
    expect(tags.some(({ action }) => action === 'create')).toBe(true);
    createEmptySandbox('bare');
    const withoutReferencesResult = await boh('bare', `${line} --skip-missing`);
    expect([withoutReferencesResult.exitCode, withoutReferencesResult.stderr]).toEqual([
      0,
      expect.stringMatching(/Relations omitted, .*: tags of customers \(\d+\)/),
    ]);
    expect((await json('bare', 'customers list')).length).toBe(200);
    expect(await json('bare', 'tags list')).toEqual([]);
  });

  test('to deleted records: are omitted, and the records that contain them are written once', async () => {
    const { folder, boh, json, createEmptySandbox } = openAccounts();
    createEmptySandbox('one');
    createEmptySandbox('two');
    const { id } = await json('one', 'customers create --name Gone --phone 551');
    await boh('one', `addresses create --name Home --customer-id ${id}`);
    await boh('one', `customers delete ${id} --yes`);
    await boh('one', `backup ${join(folder, 'first')}`);
    const line = `backup restore ${join(folder, 'first')} --resource customers,addresses --yes`;
    const result = await boh('two', line);
    expect(result.stderr).toContain('missing in the target: customer of addresses (1).');
    const repeatResult = await boh('two', line);
    expect(parseRows(repeatResult)).toMatchObject([{ resource: 'addresses', action: 'skip' }]);
    expect(await json('two', 'addresses list')).toHaveLength(1);
  });

  test('with --map-branch: are replaced by another branch, by name or id', async () => {
    const { folder, boh, json, createEmptySandbox, backup } = openAccounts();
    await backup('demo', 'first');
    createEmptySandbox('new');
    const line = `backup restore ${join(folder, 'first')} --resource sections --skip-missing --yes`;
    const result = await boh(
      'new',
      `${line} --map-branch Riverside=branch-airport --map-branch branch-old-town=branch-airport`,
    );
    expect(result.exitCode).toBe(0);
    const sections = (await json('new', 'sections list')) as { branch: { id: string } }[];
    expect(new Set(sections.map(({ branch }) => branch.id))).toEqual(new Set(['branch-airport']));
    const wrongResult = await boh('new', `${line} --map-branch Riverside`);
    expect([wrongResult.exitCode, failureOf(wrongResult).fields]).toEqual([
      2,
      { 'map-branch': ['Expected SOURCE=TARGET, not "Riverside"'] },
    ]);
  });
});

describe('a restore', () => {
  test('asks before it writes, and refuses a damaged backup', async () => {
    const { folder, boh, createEmptySandbox, backup } = openAccounts();
    await backup('demo', 'first');
    createEmptySandbox('new');
    const line = `backup restore ${join(folder, 'first')} --resource tags`;
    const result = await boh('new', line);
    expect([result.exitCode, failureOf(result).message]).toEqual([2, 'To create 16 records, add --yes.']);
    const manifest = JSON.parse(readFileSync(join(folder, 'first', 'manifest.json'), 'utf8'));
    const { file } = manifest.resources.find(({ resource }: { resource: string }) => resource === 'users');
    writeFileSync(join(folder, 'first', file), `${readFileSync(join(folder, 'first', file), 'utf8')} `);
    const damagedResult = await boh('new', `${line} --yes`);
    expect([damagedResult.exitCode, Object.keys(failureOf(damagedResult).fields as object)]).toEqual([
      8,
      ['users'],
    ]);
    expect(failureOf(damagedResult).hint).toContain('Use another copy of this backup');
    expect((await boh('new', 'tags list --json')).stdout.trim()).toBe('[]');
    expect((await boh('new', `backup restore ${join(folder, 'nowhere')} --yes`)).exitCode).toBe(5);
  });
});
