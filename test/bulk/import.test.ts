import { describe, expect, test, vi } from 'vitest';
import { systemClock } from '../../src/account/client/retry.ts';
import { failureOf } from '../harness/run-boh.ts';
import { openImportSandbox } from './import-sandbox.ts';

const people = `name,dial_code,phone,email,tags
Layla Test,966,550001,layla@example.com,Regular
"Huda, the second",966,550002,,"Regular,VIP"
`;

interface Customer {
  id: string;
  name: string;
  phone: string;
  email: string | null;
  updated_at: string;
  tags: { name: string }[];
}

/** Imports the text of a CSV file as customers. */
const importCustomers = (sandbox: ReturnType<typeof openImportSandbox>, text: string, flags = '') =>
  sandbox.import('people.csv', text, `customers ${flags}`.trimEnd());

describe('boh customers import', () => {
  test('creates new records, updates changed ones, and skips records that already match', async () => {
    const sandbox = openImportSandbox();
    const first = await importCustomers(sandbox, people, '--key phone --yes');
    expect(first.exitCode).toBe(0);
    expect(first.rows).toEqual([
      { line: 2, key: '550001', action: 'create', id: expect.any(String), outcome: 'done', error: null },
      { line: 3, key: '550002', action: 'create', id: expect.any(String), outcome: 'done', error: null },
    ]);
    const [huda] = await sandbox.json<Customer[]>('customers list --phone 550002 --include tags');
    expect(huda?.name).toBe('Huda, the second');
    expect(huda?.tags.map(({ name }) => name).sort()).toEqual(['Regular', 'VIP']);

    const editedRows = people.replace('550002,,', '550002,huda@example.com,');
    const second = await importCustomers(sandbox, editedRows, '--key phone --yes');
    expect(second.rows.map(({ action }) => action)).toEqual(['skip', 'update']);
    const [updatedHuda] = await sandbox.json<Customer[]>('customers list --phone 550002');
    expect(updatedHuda).toMatchObject({ id: huda?.id, email: 'huda@example.com' });

    const third = await importCustomers(sandbox, editedRows, '--key phone');
    expect(third.exitCode).toBe(0);
    expect(third.rows.map(({ action, outcome }) => [action, outcome])).toEqual([
      ['skip', 'done'],
      ['skip', 'done'],
    ]);
  });

  test('without a terminal: requires --yes for several records, otherwise sends nothing', async () => {
    const sandbox = openImportSandbox();
    const refusedResult = await importCustomers(sandbox, people, '--key phone');
    expect(refusedResult.exitCode).toBe(2);
    expect(failureOf(refusedResult).message).toContain('--yes');
    expect(await sandbox.json('customers list --phone 550001')).toEqual([]);
    expect(await sandbox.json('runs list')).toEqual([]);
  });

  test('without a unique field in the API document: requires --key', async () => {
    const refusedResult = await importCustomers(openImportSandbox(), people, '--yes');
    expect(refusedResult.exitCode).toBe(2);
    expect(failureOf(refusedResult).hint).toContain('--key');
    expect(failureOf(refusedResult).hint).toContain('--mode create');
  });

  test('invalid rows and unknown names: are reported with line, column and reason before anything is sent', async () => {
    const sandbox = openImportSandbox();
    const file = `name,phone,birth_date,gender,tags,email
Good,550101,1990-01-02,female,Regular,
Bad,550102,1990-13-02,neither,Regular,
Bad,550103,,,Unknown Name,
Ragged,550104
Good too,550105,,,VIP,x@example.com
`;
    const refusedResult = await importCustomers(sandbox, file, '--key phone --yes');
    expect(refusedResult.exitCode).toBe(2);
    const fields = failureOf(refusedResult).fields as Record<string, string[]>;
    expect(Object.keys(fields)).toEqual(['line 3', 'line 4', 'line 5']);
    expect(fields['line 3']?.[0]).toMatch(/birth_date must be a date.*gender must be one of male/);
    expect(fields['line 4']?.[0]).toContain('Unknown Name');
    expect(fields['line 5']?.[0]).toContain('has 2 cells, but the header has 6');
    expect(refusedResult.rows.map(({ line, outcome }) => [line, outcome])).toEqual([
      [3, 'failed'],
      [4, 'failed'],
      [5, 'failed'],
    ]);
    expect(await sandbox.json('customers list --phone 550101')).toEqual([]);

    const result = await importCustomers(sandbox, file, '--key phone --yes --skip-invalid');
    expect(result.exitCode).toBe(9);
    expect(result.rows.filter(({ outcome }) => outcome === 'done').map(({ line }) => line)).toEqual([2, 6]);
  });

  test('--dry-run: shows the changes of each field; with --exit-code it exits with 10', async () => {
    const sandbox = openImportSandbox();
    await importCustomers(sandbox, people, '--key phone --yes');
    const editedRows = people.replace('layla@example.com', 'l@example.com');
    const dryRunResult = await importCustomers(sandbox, editedRows, '--key phone --dry-run --exit-code');
    expect(dryRunResult.exitCode).toBe(10);
    expect(dryRunResult.rows[0]).toMatchObject({
      action: 'update',
      outcome: 'not_sent',
      changes: { email: { from: 'layla@example.com', to: 'l@example.com' } },
    });
    const emptyResult = await importCustomers(sandbox, people, '--key phone --dry-run --exit-code');
    expect(emptyResult.exitCode).toBe(0);
    const [layla] = await sandbox.json<Customer[]>('customers list --phone 550001');
    expect(layla?.email).toBe('layla@example.com');
  });

  test('--dry-run --offline: validates the file without any request', async () => {
    const sandbox = openImportSandbox();
    const flags = '--key phone --dry-run --offline';
    const validResult = await importCustomers(sandbox, people, flags);
    expect(validResult.exitCode).toBe(0);
    expect(validResult.rows.map(({ action, outcome }) => [action, outcome])).toEqual([
      ['update', 'not_sent'],
      ['update', 'not_sent'],
    ]);
    const invalidResult = await importCustomers(sandbox, 'phone,gender\n1,x\n', flags);
    expect(invalidResult.exitCode).toBe(2);
    const importResult = await importCustomers(sandbox, people, '--key phone --yes --offline');
    expect(importResult.exitCode).toBe(2);
  });

  test('failed rows: exits with the code of their category if all failed for one reason, otherwise with 9', async () => {
    const sandbox = openImportSandbox();
    const flags = '--mode create --yes';
    const result = await importCustomers(sandbox, 'name,tags.id\nA,missing\nB,missing\n', flags);
    expect(result.exitCode).toBe(6);
    expect(failureOf(result).message).toBe('2 failed; nothing was done.');
    const partialResult = await importCustomers(sandbox, 'name,tags.id\nA,missing\nB,\n', flags);
    expect(partialResult.exitCode).toBe(9);
  });

  test('row older than its record: is refused unless --stale overwrite is set', async () => {
    const sandbox = openImportSandbox();
    const [first, second] = await sandbox.json<Customer[]>('customers list --limit 2');
    const file = `id,name,updated_at
${first?.id},Renamed,${first?.updated_at}
${second?.id},Renamed,2020-01-01 00:00:00
`;
    const refusedResult = await importCustomers(sandbox, file, '--yes');
    expect(refusedResult.exitCode).toBe(2);
    expect(refusedResult.rows).toMatchObject([
      { line: 3, error: { message: expect.stringContaining('based on another version of the customer') } },
    ]);
    const overwriteResult = await importCustomers(sandbox, file, '--yes --stale overwrite');
    expect(overwriteResult.rows.map(({ outcome }) => outcome)).toEqual(['done', 'done']);
    // The same file changes nothing when it is imported again, so it can't be stale.
    const repeatResult = await importCustomers(sandbox, file);
    expect(repeatResult.rows.map(({ action }) => action)).toEqual(['skip', 'skip']);
  });

  test('--mode update: creates nothing; --mode create: updates nothing', async () => {
    const sandbox = openImportSandbox();
    const updateResult = await importCustomers(sandbox, people, '--key phone --mode update --yes');
    expect(updateResult.exitCode).toBe(2);
    expect(updateResult.rows[0]?.error?.message).toContain('matches no customer');
    await importCustomers(sandbox, people, '--mode create --yes');
    const createResult = await importCustomers(sandbox, people, '--key phone --mode create --yes');
    expect(createResult.rows[0]?.error?.message).toContain('already exists');
  });

  test('\\N: clears the field; an empty cell: keeps it', async () => {
    const sandbox = openImportSandbox();
    await importCustomers(sandbox, people, '--key phone --yes');
    const file = 'phone,name,email\n550001,,\\N\n';
    const result = await importCustomers(sandbox, file, '--key phone');
    expect(result.rows).toMatchObject([{ action: 'update', outcome: 'done' }]);
    const [layla] = await sandbox.json<Customer[]>('customers list --phone 550001');
    expect(layla).toMatchObject({ name: 'Layla Test', email: null });
  });

  test('unknown columns, read-only columns and two rows for one record: are refused', async () => {
    const sandbox = openImportSandbox();
    const unknownResult = await importCustomers(sandbox, 'phone,nmae,order_count\n1,x,2\n', '--key phone');
    expect(unknownResult.exitCode).toBe(2);
    expect(failureOf(unknownResult).fields).toEqual({
      nmae: [expect.stringContaining('Did you mean "name"?')],
      order_count: [expect.stringContaining('--ignore-read-only')],
    });
    const duplicates = await importCustomers(sandbox, 'phone,name\n1,x\n2,y\n1,z\n', '--key phone --yes');
    expect(duplicates.rows.map(({ line }) => line)).toEqual([2, 4]);
    expect(duplicates.rows[0]?.error?.message).toContain('lines 2, 4');
  });

  test('_command column: deletes, updates or creates the record of each row', async () => {
    const sandbox = openImportSandbox();
    await importCustomers(sandbox, people, '--key phone --yes');
    const file = '_command,phone,name\ndelete,550001,\nupdate,550002,Renamed\ncreate,550003,New\n';
    const result = await importCustomers(sandbox, file, '--key phone --yes');
    expect(result.rows.map(({ action, outcome }) => [action, outcome])).toEqual([
      ['delete', 'done'],
      ['update', 'done'],
      ['create', 'done'],
    ]);
    expect(await sandbox.json('customers list --phone 550001')).toEqual([]);
  });

  test('_command create in every row: needs no key; with another row, a key is required', async () => {
    const sandbox = openImportSandbox();
    const file = 'name,phone,_command\nAli,550011,create\n';
    const result = await importCustomers(sandbox, file, '--yes');
    expect(result.rows.map(({ action, outcome }) => [action, outcome])).toEqual([['create', 'done']]);
    const mixedResult = await importCustomers(sandbox, `${file}Omar,550012,\n`, '--yes');
    expect(mixedResult).toMatchObject({ exitCode: 2, rows: [] });
    expect(mixedResult.stderr).toContain("The rows can't be matched with existing customers");
  });

  test('JSON and NDJSON as lists print them: are read from a file and from standard input', async () => {
    const sandbox = openImportSandbox();
    const [tag] = await sandbox.json<{ id: string }[]>('tags list --name VIP');
    const rows = [
      { name: 'A', phone: '5501', tags: [{ id: tag?.id, name: 'VIP' }] },
      { name: 'B', phone: '5502', email: null },
    ];
    const jsonResult = await sandbox.import(
      'c.json',
      JSON.stringify(rows, null, 2),
      'customers --key phone --yes',
    );
    expect(jsonResult.rows).toMatchObject([
      { line: 2, outcome: 'done' },
      { line: 12, outcome: 'done' },
    ]);
    const text = rows.map((row) => JSON.stringify(row)).join('\n');
    const pipedResult = await sandbox.boh('customers import - --key phone', text);
    expect(
      pipedResult.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).action),
    ).toEqual(['skip', 'skip']);
  });
});

describe('boh runs', () => {
  test('after an import: list contains the run, and show prints the outcome of each row', async () => {
    const sandbox = openImportSandbox();
    await importCustomers(sandbox, people, '--key phone --yes');
    const runs =
      await sandbox.json<{ id: string; started_at: string; done: number; state: string }[]>('runs list');
    expect(runs).toMatchObject([
      { command: 'customers import', source: 'people.csv', state: 'finished', done: 2 },
    ]);
    const showResult = await sandbox.boh(`runs show ${runs[0]?.id}`);
    expect(
      showResult.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).line),
    ).toEqual([2, 3]);
    const repeatResult = await sandbox.boh(`runs resume ${runs[0]?.id}`);
    expect(repeatResult).toMatchObject({ exitCode: 0, stdout: '' });
    expect((await sandbox.boh('runs show 20200101-000000-000ab')).exitCode).toBe(5);
  });
});

test('import --rate: limits requests to the embedded sandbox; a rate from the settings does not', async () => {
  const sandbox = openImportSandbox();
  let waitedMs = 0;
  vi.spyOn(systemClock, 'sleep').mockImplementation(async (ms) => {
    waitedMs += ms;
  });
  vi.spyOn(systemClock, 'now').mockImplementation(() => Date.UTC(2026, 10, 20) + waitedMs);
  const pacedResult = await importCustomers(sandbox, people, '--mode create --yes --rate 4/s');
  expect(waitedMs).toBeGreaterThan(1000);
  expect(pacedResult).toMatchObject({ exitCode: 0 });
  expect(pacedResult.stderr).toContain('2 requests, about 1 second at 4 requests a second');
  await sandbox.boh('config set rate 1/s');
  const unpacedResult = await importCustomers(sandbox, people, '--mode create --yes');
  expect(unpacedResult.stderr).toContain('2 requests.');
});

test('import of rows without a key that were partly created: creates them again only with --ledger FILE', async () => {
  const sandbox = openImportSandbox();
  const rows = 'name,dial_code,phone,tags.id\nLayla,966,550001,\nHuda,966,550002,no-such-tag\n';
  const stoppedResult = await importCustomers(sandbox, rows, '--mode create --yes --max-errors 0');
  expect(stoppedResult.exitCode).toBe(9);
  const refusedResult = await importCustomers(sandbox, rows, '--mode create --yes');
  expect(refusedResult.exitCode).toBe(2);
  expect(failureOf(refusedResult).hint).toContain('--ledger FILE');
  const flags = `--mode create --yes --ledger ${sandbox.folder}/ledger.sqlite`;
  expect((await importCustomers(sandbox, rows, flags)).exitCode).toBe(9);
  expect(await sandbox.json('customers list --phone 550001')).toHaveLength(2);
});

test('import --dry-run -o id: prints the IDs of the records that would be written', async () => {
  const sandbox = openImportSandbox();
  const [first, second] = await sandbox.json<{ id: string; phone: string }[]>('suppliers list --limit 2');
  const text = `id,phone\n${first?.id},${first?.phone}\n${second?.id},555000777\n`;
  const dryRunResult = await sandbox.import('ids.csv', text, 'suppliers --dry-run -o id');
  expect(dryRunResult.stdout.trim()).toBe(second?.id);
});
