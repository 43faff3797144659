import { describe, expect, test, vi } from 'vitest';
import { systemClock } from '../../src/client/retry.ts';
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

describe('boh customers import', () => {
  test('creates new records, updates changed ones, and skips records that already match', async () => {
    const sandbox = openImportSandbox();
    const first = await sandbox.import('people.csv', people, 'customers --key phone --yes');
    expect(first.exitCode).toBe(0);
    expect(first.rows).toEqual([
      { line: 2, key: '550001', action: 'create', id: expect.any(String), outcome: 'done', error: null },
      { line: 3, key: '550002', action: 'create', id: expect.any(String), outcome: 'done', error: null },
    ]);
    const [huda] = await sandbox.json<Customer[]>('customers list --phone 550002 --include tags');
    expect(huda?.name).toBe('Huda, the second');
    expect(huda?.tags.map(({ name }) => name).sort()).toEqual(['Regular', 'VIP']);

    const edited = people.replace('550002,,', '550002,huda@example.com,');
    const second = await sandbox.import('people.csv', edited, 'customers --key phone --yes');
    expect(second.rows.map(({ action }) => action)).toEqual(['skip', 'update']);
    const [after] = await sandbox.json<Customer[]>('customers list --phone 550002');
    expect(after).toMatchObject({ id: huda?.id, email: 'huda@example.com' });

    const third = await sandbox.import('people.csv', edited, 'customers --key phone');
    expect(third.exitCode).toBe(0);
    expect(third.rows.map(({ action, outcome }) => [action, outcome])).toEqual([
      ['skip', 'done'],
      ['skip', 'done'],
    ]);
  });

  test('without a terminal: requires --yes for several records, otherwise sends nothing', async () => {
    const sandbox = openImportSandbox();
    const refused = await sandbox.import('people.csv', people, 'customers --key phone');
    expect(refused.exitCode).toBe(2);
    expect(failureOf(refused).message).toContain('--yes');
    expect(await sandbox.json('customers list --phone 550001')).toEqual([]);
    expect(await sandbox.json('runs list')).toEqual([]);
  });

  test('without a unique field in the API document: requires --key', async () => {
    const refused = await openImportSandbox().import('people.csv', people, 'customers --yes');
    expect(refused.exitCode).toBe(2);
    expect(failureOf(refused).hint).toContain('--key');
    expect(failureOf(refused).hint).toContain('--mode create');
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
    const refused = await sandbox.import('people.csv', file, 'customers --key phone --yes');
    expect(refused.exitCode).toBe(2);
    const fields = failureOf(refused).fields as Record<string, string[]>;
    expect(Object.keys(fields)).toEqual(['line 3', 'line 4', 'line 5']);
    expect(fields['line 3']?.[0]).toMatch(/birth_date must be a date.*gender must be one of male/);
    expect(fields['line 4']?.[0]).toContain('Unknown Name');
    expect(fields['line 5']?.[0]).toContain('has 2 cells, but the header has 6');
    expect(refused.rows.map(({ line, outcome }) => [line, outcome])).toEqual([
      [3, 'failed'],
      [4, 'failed'],
      [5, 'failed'],
    ]);
    expect(await sandbox.json('customers list --phone 550101')).toEqual([]);

    const skipped = await sandbox.import('people.csv', file, 'customers --key phone --yes --skip-invalid');
    expect(skipped.exitCode).toBe(9);
    expect(skipped.rows.filter(({ outcome }) => outcome === 'done').map(({ line }) => line)).toEqual([2, 6]);
  });

  test('--dry-run: shows the changes of each field; with --exit-code it exits with 10', async () => {
    const sandbox = openImportSandbox();
    await sandbox.import('people.csv', people, 'customers --key phone --yes');
    const edited = people.replace('layla@example.com', 'l@example.com');
    const dry = await sandbox.import('people.csv', edited, 'customers --key phone --dry-run --exit-code');
    expect(dry.exitCode).toBe(10);
    expect(dry.rows[0]).toMatchObject({
      action: 'update',
      outcome: 'not_sent',
      changes: { email: { from: 'layla@example.com', to: 'l@example.com' } },
    });
    const none = await sandbox.import('people.csv', people, 'customers --key phone --dry-run --exit-code');
    expect(none.exitCode).toBe(0);
    const [layla] = await sandbox.json<Customer[]>('customers list --phone 550001');
    expect(layla?.email).toBe('layla@example.com');
  });

  test('--dry-run --offline: validates the file without any request', async () => {
    const sandbox = openImportSandbox();
    const good = await sandbox.import('people.csv', people, 'customers --key phone --dry-run --offline');
    expect(good.exitCode).toBe(0);
    expect(good.rows.map(({ action, outcome }) => [action, outcome])).toEqual([
      ['update', 'not_sent'],
      ['update', 'not_sent'],
    ]);
    const bad = await sandbox.import(
      'people.csv',
      'phone,gender\n1,x\n',
      'customers --key phone --dry-run --offline',
    );
    expect(bad.exitCode).toBe(2);
    const sending = await sandbox.import('people.csv', people, 'customers --key phone --yes --offline');
    expect(sending.exitCode).toBe(2);
  });

  test('failed rows: exits with the code of their category if all failed for one reason, otherwise with 9', async () => {
    const sandbox = openImportSandbox();
    const result = await sandbox.import(
      'c.csv',
      'name,tags.id\nA,missing\nB,missing\n',
      'customers --mode create --yes',
    );
    expect(result.exitCode).toBe(6);
    expect(failureOf(result).message).toBe('2 failed; nothing was done.');
    const some = await sandbox.import(
      'c.csv',
      'name,tags.id\nA,missing\nB,\n',
      'customers --mode create --yes',
    );
    expect(some.exitCode).toBe(9);
  });

  test('row older than its record: is refused unless --stale overwrite is set', async () => {
    const sandbox = openImportSandbox();
    const [one, two] = await sandbox.json<Customer[]>('customers list --limit 2');
    const file = `id,name,updated_at
${one?.id},Renamed,${one?.updated_at}
${two?.id},Renamed,2020-01-01 00:00:00
`;
    const refused = await sandbox.import('c.csv', file, 'customers --yes');
    expect(refused.exitCode).toBe(2);
    expect(refused.rows).toMatchObject([
      { line: 3, error: { message: expect.stringContaining('based on another version of the customer') } },
    ]);
    const insisted = await sandbox.import('c.csv', file, 'customers --yes --stale overwrite');
    expect(insisted.rows.map(({ outcome }) => outcome)).toEqual(['done', 'done']);
    // The same file changes nothing when it is imported again, so it can't be stale.
    const again = await sandbox.import('c.csv', file, 'customers');
    expect(again.rows.map(({ action }) => action)).toEqual(['skip', 'skip']);
  });

  test('--mode update: creates nothing; --mode create: updates nothing', async () => {
    const sandbox = openImportSandbox();
    const updated = await sandbox.import('people.csv', people, 'customers --key phone --mode update --yes');
    expect(updated.exitCode).toBe(2);
    expect(updated.rows[0]?.error?.message).toContain('matches no customer');
    await sandbox.import('people.csv', people, 'customers --mode create --yes');
    const created = await sandbox.import('people.csv', people, 'customers --key phone --mode create --yes');
    expect(created.rows[0]?.error?.message).toContain('already exists');
  });

  test('\\N: clears the field; an empty cell: keeps it', async () => {
    const sandbox = openImportSandbox();
    await sandbox.import('people.csv', people, 'customers --key phone --yes');
    const file = 'phone,name,email\n550001,,\\N\n';
    const result = await sandbox.import('people.csv', file, 'customers --key phone');
    expect(result.rows).toMatchObject([{ action: 'update', outcome: 'done' }]);
    const [layla] = await sandbox.json<Customer[]>('customers list --phone 550001');
    expect(layla).toMatchObject({ name: 'Layla Test', email: null });
  });

  test('unknown columns, read-only columns and two rows for one record: are refused', async () => {
    const sandbox = openImportSandbox();
    const unknown = await sandbox.import('c.csv', 'phone,nmae,order_count\n1,x,2\n', 'customers --key phone');
    expect(unknown.exitCode).toBe(2);
    expect(failureOf(unknown).fields).toEqual({
      nmae: [expect.stringContaining('Did you mean "name"?')],
      order_count: [expect.stringContaining('--ignore-read-only')],
    });
    const twice = await sandbox.import('c.csv', 'phone,name\n1,x\n2,y\n1,z\n', 'customers --key phone --yes');
    expect(twice.rows.map(({ line }) => line)).toEqual([2, 4]);
    expect(twice.rows[0]?.error?.message).toContain('lines 2, 4');
  });

  test('_command column: deletes, updates or creates the record of each row', async () => {
    const sandbox = openImportSandbox();
    await sandbox.import('people.csv', people, 'customers --key phone --yes');
    const file = '_command,phone,name\ndelete,550001,\nupdate,550002,Renamed\ncreate,550003,New\n';
    const result = await sandbox.import('c.csv', file, 'customers --key phone --yes');
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
    const result = await sandbox.import('new.csv', file, 'customers --yes');
    expect(result.rows.map(({ action, outcome }) => [action, outcome])).toEqual([['create', 'done']]);
    const mixed = await sandbox.import('mixed.csv', `${file}Omar,550012,\n`, 'customers --yes');
    expect(mixed).toMatchObject({ exitCode: 2, rows: [] });
    expect(mixed.stderr).toContain("The rows can't be matched with existing customers");
  });

  test('JSON and NDJSON as lists print them: are read from a file and from standard input', async () => {
    const sandbox = openImportSandbox();
    const [tag] = await sandbox.json<{ id: string }[]>('tags list --name VIP');
    const rows = [
      { name: 'A', phone: '5501', tags: [{ id: tag?.id, name: 'VIP' }] },
      { name: 'B', phone: '5502', email: null },
    ];
    const json = await sandbox.import('c.json', JSON.stringify(rows, null, 2), 'customers --key phone --yes');
    expect(json.rows).toMatchObject([
      { line: 2, outcome: 'done' },
      { line: 12, outcome: 'done' },
    ]);
    const text = rows.map((row) => JSON.stringify(row)).join('\n');
    const piped = await sandbox.boh('customers import - --key phone', text);
    expect(
      piped.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).action),
    ).toEqual(['skip', 'skip']);
  });
});

describe('boh runs', () => {
  test('after an import: list contains the run, and show the outcome of each row', async () => {
    const sandbox = openImportSandbox();
    await sandbox.import('people.csv', people, 'customers --key phone --yes');
    const runs =
      await sandbox.json<{ id: string; started_at: string; done: number; state: string }[]>('runs list');
    expect(runs).toMatchObject([
      { command: 'customers import', source: 'people.csv', state: 'finished', done: 2 },
    ]);
    const shown = await sandbox.boh(`runs show ${runs[0]?.id}`);
    expect(
      shown.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).line),
    ).toEqual([2, 3]);
    const again = await sandbox.boh(`runs resume ${runs[0]?.id}`);
    expect(again).toMatchObject({ exitCode: 0, stdout: '' });
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
  const paced = await sandbox.import('people.csv', people, 'customers --mode create --yes --rate 4/s');
  expect(waitedMs).toBeGreaterThan(1000);
  expect(paced).toMatchObject({ exitCode: 0 });
  expect(paced.stderr).toContain('2 requests, about 1 second at 4 requests a second');
  await sandbox.boh('config set rate 1/s');
  const free = await sandbox.import('people.csv', people, 'customers --mode create --yes');
  expect(free.stderr).toContain('2 requests.');
});

test('import of rows without a key that were partly created: creates them again only with --ledger FILE', async () => {
  const sandbox = openImportSandbox();
  const rows = 'name,dial_code,phone,tags.id\nLayla,966,550001,\nHuda,966,550002,no-such-tag\n';
  const stopped = await sandbox.import('people.csv', rows, 'customers --mode create --yes --max-errors 0');
  expect(stopped.exitCode).toBe(9);
  const refused = await sandbox.import('people.csv', rows, 'customers --mode create --yes');
  expect(refused.exitCode).toBe(2);
  expect(failureOf(refused).hint).toContain('--ledger FILE');
  const named = `customers --mode create --yes --ledger ${sandbox.folder}/own.sqlite`;
  expect((await sandbox.import('people.csv', rows, named)).exitCode).toBe(9);
  expect(await sandbox.json('customers list --phone 550001')).toHaveLength(2);
});

test('import --dry-run -o id: prints the ids of the records that would be written', async () => {
  const sandbox = openImportSandbox();
  const [one, two] = await sandbox.json<{ id: string; phone: string }[]>('suppliers list --limit 2');
  const text = `id,phone\n${one?.id},${one?.phone}\n${two?.id},555000777\n`;
  const dry = await sandbox.import('ids.csv', text, 'suppliers --dry-run -o id');
  expect(dry.stdout.trim()).toBe(two?.id);
});
