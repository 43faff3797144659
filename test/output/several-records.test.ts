import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { failureOf, runBoh } from '../harness/run-boh.ts';
import { serve, type TestService } from '../harness/serve.ts';

let service: TestService;
beforeAll(async () => {
  service = await serve({
    'GET /suppliers/1': { data: { id: '1', name: 'x' } },
    'GET /suppliers/2': { data: { id: '2', name: 'x' } },
    'PUT /suppliers/1': { data: { id: '1', name: 'x' } },
    'PUT /suppliers/2': { data: { id: '2', name: 'x' } },
    'DELETE /suppliers/1': '',
    'DELETE /suppliers/2': '',
    'PUT /suppliers/1/restore': '',
    'PUT /suppliers/2/restore': '',
    'DELETE /suppliers/locked': [409, { message: 'It is in use.' }],
    'DELETE /suppliers/signed-out': [401, { message: 'Unauthenticated.' }],
    'DELETE /suppliers/broken': [500, { message: 'Server error.' }],
  });
});
afterAll(() => service.close());

const boh = (line: string, token = 'a-token', stdin?: string) =>
  runBoh([...line.trim().split(' '), '--yes'], {
    ...(stdin !== undefined && { stdin }),
    env: { BOH_TOKEN: token, BOH_BASE_URL: service.baseUrl },
  });
const doneItem = (id: string, action = 'delete') => ({ id, action, outcome: 'done', error: null });

describe('delete and restore of several records', () => {
  test('formats for programs: print one item for each record', async () => {
    const items = [doneItem('1'), doneItem('2')];
    const stdoutOf = async (flags: string) => (await boh(`suppliers delete 1 2 ${flags}`)).stdout;
    expect(JSON.parse(await stdoutOf(''))).toEqual(items);
    expect(
      (await stdoutOf('-o ndjson'))
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(items);
    expect(parseYaml(await stdoutOf('-o yaml'))).toEqual(items);
    expect(await stdoutOf('-o csv')).toBe('id,action,outcome,error\r\n1,delete,done,\r\n2,delete,done,\r\n');
    expect(await stdoutOf('-o id')).toBe('1\n2\n');
  });

  test('-o table: writes one note for each record to stderr, and nothing to stdout', async () => {
    const result = await boh('suppliers delete 1 2 -o table');
    expect(result.stdout).toBe('');
    expect(result.stderr).toContain('Supplier 1 deleted.\nSupplier 2 deleted.\n');
  });

  test('the same ID twice: prints one item', async () => {
    expect(JSON.parse((await boh('suppliers restore 1 1')).stdout)).toEqual([doneItem('1', 'restore')]);
  });

  test('some records fail: the others are completed, and each failure has its message', async () => {
    const result = await boh('suppliers delete 1 missing locked 2');
    expect(result.exitCode).toBe(9);
    expect(JSON.parse(result.stdout)).toEqual([
      doneItem('1'),
      expect.objectContaining({
        id: 'missing',
        outcome: 'failed',
        error: expect.objectContaining({ category: 'not_found', exit_code: 5, status: 404 }),
      }),
      expect.objectContaining({ id: 'locked', outcome: 'failed' }),
      doneItem('2'),
    ]);
    expect(failureOf(result)).toMatchObject({
      category: 'partial',
      failures: [
        { id: 'missing', category: 'not_found', message: expect.stringContaining('missing') },
        { id: 'locked', category: 'refused', message: expect.stringContaining('It is in use.') },
      ],
    });
    expect(JSON.parse(result.stdout)[1].error.outcome).toBe('not_sent');
    expect((await boh('suppliers delete 1 missing -o id')).stdout).toBe('1\n');
    const [, row] = parse((await boh('suppliers delete 1 missing -o csv')).stdout, {
      columns: true,
    }) as Record<string, string>[];
    expect(JSON.parse(row?.error ?? '')).toMatchObject({ category: 'not_found' });
  });

  test('all records fail: exits with the code of the common reason, or with 9 for several reasons', async () => {
    const result = await boh('suppliers delete missing absent');
    expect(result.exitCode).toBe(5);
    expect(failureOf(result)).toMatchObject({
      category: 'not_found',
      message: '2 of 2 failed; nothing was done.',
      failures: [{ id: 'missing' }, { id: 'absent' }],
    });
    expect((await boh('suppliers delete missing locked')).exitCode).toBe(9);
  });

  test('the service stops accepting requests: the remaining records have the outcome not_sent', async () => {
    service.takeRequests();
    // A token that was refused is not sent again for a while.
    const result = await boh('suppliers delete 1 signed-out 2', 'a-refused-token');
    expect(service.takeRequests()).toEqual([
      'GET /whoami',
      'DELETE /suppliers/1',
      'DELETE /suppliers/signed-out',
    ]);
    expect(result.exitCode).toBe(3);
    expect(JSON.parse(result.stdout).map(({ outcome }: { outcome: string }) => outcome)).toEqual([
      'done',
      'failed',
      'not_sent',
    ]);
    expect(failureOf(result).message).toContain('Before that, 1 was done; 1 was not attempted.');
    expect(failureOf(result)).toMatchObject({ failures: [{ id: 'signed-out', category: 'not_signed_in' }] });
  });
});

test('an empty ID: is refused before a request is sent', async () => {
  service.takeRequests();
  const result = await runBoh(['suppliers', 'delete', '1', '', '2', '--yes'], {
    env: { BOH_TOKEN: 'a-token', BOH_BASE_URL: service.baseUrl },
  });
  expect([result.exitCode, result.stdout, service.takeRequests()]).toEqual([2, '', []]);
});

test.each([
  ['get', ''],
  ['update', ' --name x'],
  ['delete', ''],
  ['restore', ''],
])(
  '%s: prints an object for one ID, and a list for - or several IDs, also of requests',
  async (verb, flags) => {
    const outputOf = async (ids: string, stdin?: string) =>
      JSON.parse((await boh(`suppliers ${verb} ${ids}${flags}`, 'a-token', stdin)).stdout);
    for (const dryRun of ['', ' --dry-run']) {
      expect(await outputOf(`1${dryRun}`)).not.toBeInstanceOf(Array);
      expect(await outputOf(`1 2${dryRun}`)).toHaveLength(2);
      expect(await outputOf(`-${dryRun}`, '1\n')).toHaveLength(1);
      expect(await outputOf(`-${dryRun}`, '\n')).toEqual([]);
    }
  },
);

describe('delete of one record', () => {
  test.each([
    ['', `${JSON.stringify(doneItem('1'), null, 2)}\n`],
    ['-o ndjson', `${JSON.stringify(doneItem('1'))}\n`],
    ['-o csv', 'id,action,outcome,error\r\n1,delete,done,\r\n'],
    ['-o table', ''],
    ['-o id', '1\n'],
  ])('with the flags "%s": prints one object for programs', async (flags, stdout) => {
    const result = await boh(`suppliers delete 1 ${flags}`);
    expect([result.exitCode, result.stdout]).toEqual([0, stdout]);
    expect(result.stderr).toContain('Supplier 1 deleted.');
  });

  test('a failure: has the exit code of its category and no list of failures', async () => {
    const result = await boh('suppliers delete missing');
    expect([result.exitCode, result.stdout]).toEqual([5, '']);
    expect(failureOf(result)).not.toHaveProperty('failures');
  });
});
