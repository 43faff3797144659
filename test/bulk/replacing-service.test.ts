/**
 * Runs over many records at a service whose PUT replaces whole records: they stop after the first update, so that no
 * other record loses values.
 */
import { describe, expect, test } from 'vitest';
import { createWorkspace } from '../history/sandbox-workspace.ts';
import { type ImportSandbox, openImportSandbox } from './import-sandbox.ts';

interface Customer {
  id: string;
  email: string | null;
  birth_date: string | null;
}

async function openReplacingSandbox(): Promise<{ sandbox: ImportSandbox; customers: Customer[] }> {
  const sandbox = openImportSandbox();
  await sandbox.boh('sandbox settings set wire.put=replace');
  return { sandbox, customers: await sandbox.json<Customer[]>('customers list --all') };
}

const listCustomers = (sandbox: ImportSandbox) => sandbox.json<Customer[]>('customers list --all');

/** Returns the IDs of customers whose email or birth date has changed. */
function changedIds(before: readonly Customer[], after: readonly Customer[]): string[] {
  const customersById = new Map(after.map((customer) => [customer.id, customer]));
  return before
    .filter(({ id, email, birth_date: birthDate }) => {
      const current = customersById.get(id);
      return current?.email !== email || current?.birth_date !== birthDate;
    })
    .map(({ id }) => id);
}

function formatNamesCsv(customers: readonly Customer[]): string {
  return `id,name\n${customers.map(({ id }, index) => `${id},Number ${index}\n`).join('')}`;
}

test('import: stops after the first update that clears fields, and prints the command that restores them', async () => {
  const { sandbox, customers } = await openReplacingSandbox();
  const result = await sandbox.import(
    'names.csv',
    formatNamesCsv(customers),
    'customers --yes --concurrency 8',
  );
  expect(result.exitCode).toBe(9);
  expect(result.rows.map(({ outcome }) => outcome)).toEqual(['done']);
  const updatedId = result.rows[0]?.id as string;
  expect(result.stderr).toMatch(
    new RegExp(
      `update of customer ${updatedId} succeeded, but emptied .*birth_date, .*: this service replaces the whole record`,
    ),
  );
  expect(result.stderr).toContain('1 updated, 199 not sent.');
  expect(changedIds(customers, await listCustomers(sandbox))).toEqual([updatedId]);
  const [, data = ''] = / --data '(.*)'$/m.exec(result.stderr) ?? [];
  const restoreResult = await sandbox.boh(`customers update ${updatedId} --data -`, data);
  expect([restoreResult.exitCode, restoreResult.stderr]).toEqual([0, expect.any(String)]);
  expect(changedIds(customers, await listCustomers(sandbox))).toEqual([]);
  const [entry] = await sandbox
    .json<{ before: Customer }[]>('history --limit 2 -o json')
    .then((entries) => entries.slice(-1));
  expect(entry?.before).toMatchObject({ email: customers.find(({ id }) => id === updatedId)?.email });
});

test('runs resume: stops after the first update that clears fields', async () => {
  const { sandbox, customers } = await openReplacingSandbox();
  await sandbox.import('names.csv', formatNamesCsv(customers), 'customers --yes');
  const [{ id: run }] = await sandbox.json<[{ id: string }]>('runs list');
  const resumeResult = await sandbox.boh(`runs resume ${run} --yes`);
  expect(resumeResult.exitCode).toBe(9);
  expect(changedIds(customers, await listCustomers(sandbox))).toHaveLength(2);
});

describe('update at a replacing service', () => {
  test.each([
    ['--where', 'customers update --where name=a --is-blacklisted true --yes -o ndjson'],
    ['several IDs', 'customers update $IDS --is-blacklisted true --yes -o ndjson'],
  ])('%s: stops after the first record', async (_, line) => {
    const { sandbox, customers } = await openReplacingSandbox();
    const ids = customers.slice(0, 5).map(({ id }) => id);
    const result = await sandbox.boh(line.replace('$IDS', ids.join(' ')));
    expect([result.exitCode, result.stderr]).toEqual([
      9,
      expect.stringMatching(
        /succeeded, but emptied name, .* were not attempted|succeeded, but emptied name, .* are left/,
      ),
    ]);
    expect(changedIds(customers, await listCustomers(sandbox))).toHaveLength(1);
  });
});

test('update of one record at a replacing service: exits with 9, outcome done, and a hint that restores the fields', async () => {
  const workspace = createWorkspace();
  await workspace.boh('sandbox', 'settings', 'set', 'wire.put=replace');
  const result = await workspace.boh('customers', 'update', 'customer-1', '--is-blacklisted', '-o', 'json');
  expect(result.exitCode).toBe(9);
  expect(JSON.parse(result.stderr.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({
    error: { category: 'partial', outcome: 'done', hint: expect.stringContaining('To restore') },
  });
});

test('api PUT at a replacing service: prints the response, and warns about the cleared fields', async () => {
  const workspace = createWorkspace();
  await workspace.boh('sandbox', 'settings', 'set', 'wire.put=replace');
  const before = (await workspace.json('customers', 'get', 'customer-1')) as Customer & { dial_code: string };
  const request = ['api', 'PUT', '/customers/customer-1', '--data', '{"is_blacklisted":true}'];
  const result = await workspace.boh(...request);
  expect(result.exitCode).toBe(0);
  expect(JSON.parse(result.stdout).data).toMatchObject({ id: 'customer-1', birth_date: null });
  expect(result.stderr).toMatch(
    /warning: The update of customer customer-1 succeeded, but emptied .*birth_date/,
  );
  const [, data = ''] = / --data '(.*)'$/m.exec(result.stderr) ?? [];
  expect((await workspace.boh('customers', 'update', 'customer-1', '--data', data)).exitCode).toBe(0);
  expect(await workspace.json('customers', 'get', 'customer-1')).toMatchObject({
    birth_date: before.birth_date,
  });
  const unreadResult = await workspace.bohWith({ BOH_HISTORY_BEFORE: 'off' }, ...request);
  expect(unreadResult).toMatchObject({
    exitCode: 0,
    stderr: expect.not.stringContaining('succeeded, but emptied'),
  });
});

test('import at a merging service: reads one record again, for any number of rows', async () => {
  const sandbox = openImportSandbox();
  const customers = await sandbox.json<Customer[]>('customers list --all');
  const result = await sandbox.import('names.csv', formatNamesCsv(customers), 'customers --yes --verbose');
  expect([result.exitCode, result.rows.length]).toEqual([0, customers.length]);
  expect(result.stderr.match(/GET \/customers\/\w+/g)).toHaveLength(1);
  expect(changedIds(customers, await listCustomers(sandbox))).toEqual([]);
});
