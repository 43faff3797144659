import { describe, expect, test } from 'vitest';
import { failureOf } from '../harness/run-boh.ts';
import { type ImportSandbox, openImportSandbox } from './import-sandbox.ts';

const rowsOf = ({ stdout }: { stdout: string }) =>
  stdout
    .trim()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

const countRecords = async (sandbox: ImportSandbox, line: string) =>
  (await sandbox.json<unknown[]>(line)).length;

describe('--where', () => {
  test('update: changes every record that matches the filter, and skips records that already match', async () => {
    const sandbox = openImportSandbox();
    const before = await countRecords(sandbox, 'customers list --tags-id @VIP');
    const changed = await countRecords(sandbox, 'customers list --tags-id @VIP --is-blacklisted false');
    const line = 'customers update --where tags.id=@VIP --is-blacklisted';
    const unconfirmedResult = await sandbox.boh(line);
    expect(unconfirmedResult.exitCode).toBe(2);
    expect(failureOf(unconfirmedResult).message).toBe(`To update ${changed} customers, add --yes.`);
    const completedRows = rowsOf(await sandbox.boh(`${line} --yes`));
    expect(completedRows).toHaveLength(before);
    expect(completedRows.filter(({ action }) => action === 'update')).toHaveLength(changed);
    const repeatedRows = rowsOf(await sandbox.boh(`${line} --yes`));
    expect(new Set(repeatedRows.map(({ action }) => action))).toEqual(new Set(['skip']));
  });

  test('delete and restore: delete the matching records, and restore only deleted ones', async () => {
    const sandbox = openImportSandbox();
    const before = await countRecords(sandbox, 'customers list --tags-id @VIP');
    expect(
      (await sandbox.boh('customers delete --where tags-id=@VIP --yes --max-deletes 100%')).exitCode,
    ).toBe(0);
    expect(await countRecords(sandbox, 'customers list --tags-id @VIP')).toBe(0);
    const restored = rowsOf(await sandbox.boh('customers restore --where tags.id=@VIP --yes'));
    expect(restored).toHaveLength(before);
    expect(await countRecords(sandbox, 'customers list --tags-id @VIP')).toBe(before);
    expect(rowsOf(await sandbox.boh('customers restore --where tags.id=@VIP --yes'))).toEqual([]);
    const runs = await sandbox.json<{ command: string }[]>('runs list');
    expect(runs.at(-1)?.command).toBe('customers delete --where');
  });

  test('link-item: sets a link for each record that matches', async () => {
    const sandbox = openImportSandbox();
    const line =
      'suppliers link-item @SKU-001 --where name=a --order-unit box --order-to-storage-factor 2 --yes';
    const linked = rowsOf(await sandbox.boh(line));
    expect(linked.length).toBeGreaterThan(1);
    expect(linked.every(({ outcome }) => outcome === 'done')).toBe(true);
    const repeatedRows = rowsOf(await sandbox.boh(line));
    expect(repeatedRows.map(({ action }) => action)).toEqual(linked.map(() => 'skip'));
  });

  test('update --add-tags and --remove-tags: add values to and remove them from each record', async () => {
    const sandbox = openImportSandbox();
    const line = 'customers update --where tags.id=@VIP --add-tags @Regular --yes';
    expect((await sandbox.boh(line)).exitCode).toBe(0);
    const customers = await sandbox.json<{ tags: { name: string }[] }[]>(
      'customers list --tags-id @VIP --include tags',
    );
    for (const { tags } of customers)
      expect(tags.map(({ name }) => name)).toEqual(expect.arrayContaining(['VIP', 'Regular']));
    const removal = 'customers update --where tags.id=@VIP --remove-tags @Regular --yes';
    expect((await sandbox.boh(removal)).exitCode).toBe(0);
    const after = await sandbox.json<{ tags: { name: string }[] }[]>(
      'customers list --tags-id @VIP --include tags',
    );
    for (const { tags } of after) expect(tags.map(({ name }) => name)).not.toContain('Regular');
  });

  test.each([
    ['customers delete --where nmae=x --yes', 'Did you mean "name"'],
    ['customers delete --where name --yes', 'Expected KEY=VALUE'],
    ['customers delete 42 --where name=x --yes', 'takes no ID'],
    ['customers update --where name=x --yes', 'Specify at least one field.'],
    ['users update --where name=x --data {"pin":"1234"} --yes', 'is a secret'],
    ['customers update --where name=x --email x --full --yes', "can't be used with --where"],
    ['customers update --where name=a --name x --yes --max-changes 1', 'the limit is 1'],
  ])('%s: is refused, and no run is created', async (line, message) => {
    const sandbox = openImportSandbox();
    const refusedResult = await sandbox.boh(line);
    expect(refusedResult.exitCode).toBe(2);
    expect(JSON.stringify(failureOf(refusedResult))).toContain(JSON.stringify(message).slice(1, -1));
    expect(await sandbox.json('runs list')).toEqual([]);
  });

  test('delete --dry-run: prints the planned actions, and deletes nothing', async () => {
    const sandbox = openImportSandbox();
    const plannedRows = rowsOf(await sandbox.boh('customers delete --where tags.id=@VIP --dry-run'));
    expect(plannedRows[0]).toMatchObject({ action: 'delete', outcome: 'not_sent' });
    expect(await countRecords(sandbox, 'customers list --tags-id @VIP')).toBe(plannedRows.length);
  });
});
