import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type BohResult, failureOf, runBoh } from '../harness/run-boh.ts';
import { serve, type TestService } from '../harness/serve.ts';

const supplier = { id: '42', name: 'Fresh Farms', code: 'SUP-1', phone: '1', deleted_at: null };
const deletedSupplier = { id: '43', name: 'Old Mill', code: 'SUP-2', deleted_at: '2026-11-01 08:00:00' };
const rows = (...data: object[]) => ({ data, meta: { last_page: 1, total: data.length } });

let service: TestService;
beforeAll(async () => {
  service = await serve({
    'GET /suppliers?filter[code]=SUP-1': rows(supplier),
    'GET /suppliers?filter[is_deleted]=true&filter[code]=SUP-2': rows(deletedSupplier),
    'GET /suppliers?filter[code]=SUP-2&filter[is_deleted]=true': rows(deletedSupplier),
    'GET /suppliers': rows(),
    'GET /suppliers/42': { data: supplier },
    'GET /suppliers/43': { data: { ...deletedSupplier, deleted_at: null } },
    'PUT /suppliers/42': { data: { ...supplier, phone: '5' } },
    'PUT /suppliers/43/restore': '',
    'POST /suppliers': { data: { id: '50', name: 'Fish' } },
  });
});
afterAll(() => service.close());
beforeEach(() => void service.takeRequests());

const boh = (...argv: string[]) =>
  runBoh(argv, {
    env: { BOH_TOKEN: 'a-token', BOH_BASE_URL: service.baseUrl },
  });
const writes = () => service.takeRequests().filter((line) => !line.startsWith('GET'));

/** Returns the outcome in the last line of stderr, which is a JSON object. */
const outcomeOf = ({ stderr }: BohResult) => JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '').done;

describe('boh suppliers upsert', () => {
  it.each([
    ['--code SUP-9 --name Fish', 'created', '50', ['POST /suppliers']],
    ['--code SUP-1 --phone 5', 'updated', '42', ['PUT /suppliers/42']],
    ['--code SUP-1 --phone 1', 'unchanged', '42', []],
    ['--code SUP-2 --on-deleted restore', 'restored', '43', ['PUT /suppliers/43/restore']],
  ] as const)('%s: %s', async (flags, outcome, id, expected) => {
    const result = await boh('suppliers', 'upsert', '--key', 'code', ...flags.split(' '));
    expect([result.exitCode, JSON.parse(result.stdout).id]).toEqual([0, id]);
    expect(outcomeOf(result)).toEqual({ outcome, id });
    expect(result.stderr).toContain(outcome);
    expect(writes()).toEqual(expected);
  });

  it('prints a message for people, and nothing with --quiet', async () => {
    const line = ['suppliers', 'upsert', '--key', 'code', '--code', 'SUP-1', '--phone', '5'];
    const ids = await boh(...line, '-o', 'id');
    const expectedMessage = /^Supplier "Fresh Farms" \(42\) updated\.\nTo undo this: boh undo \d+\n$/;
    expect([ids.stdout, ids.stderr]).toEqual(['42\n', expect.stringMatching(expectedMessage)]);
    expect((await boh(...line, '--quiet')).stderr).toBe('');
  });

  it('--dry-run: shows the request, or an empty list if the record is unchanged', async () => {
    const line = ['suppliers', 'upsert', '--key', 'code', '--code', 'SUP-1', '--dry-run', '--phone'];
    expect(JSON.parse((await boh(...line, '5')).stdout)).toMatchObject({
      method: 'PUT',
      body: { phone: '5' },
    });
    const unchangedResult = await boh(...line, '1');
    expect([unchangedResult.exitCode, JSON.parse(unchangedResult.stdout)]).toEqual([0, []]);
    expect(writes()).toEqual([]);
  });

  it('reports all problems of invalid input, and refuses a deleted record', async () => {
    const invalidResult = await boh(
      'suppliers',
      'upsert',
      '--key',
      'code',
      '--data',
      '{"code":5,"colour":"red"}',
    );
    expect([invalidResult.exitCode, Object.keys(Object(failureOf(invalidResult).fields))]).toEqual([
      2,
      ['code', 'colour'],
    ]);
    expect(service.takeRequests()).toEqual([]);
    const deletedResult = await boh(
      'suppliers',
      'upsert',
      '--key',
      'code',
      '--code',
      'SUP-2',
      '--name',
      'Old Mill',
    );
    expect([deletedResult.exitCode, failureOf(deletedResult).message]).toEqual([
      2,
      'The supplier 43 with this key is deleted. Nothing was sent.',
    ]);
    const invalidFlags = await boh('suppliers', 'upsert', '--key', '', '--code', 'x', '--on-deleted', 'keep');
    expect(Object.keys(Object(failureOf(invalidFlags).fields))).toEqual(['on-deleted', 'key']);
    expect(writes()).toEqual([]);
  });

  it("is refused for resources that can't be updated, and for a secret as the key", async () => {
    expect((await boh('loyalty-rewards', 'upsert')).exitCode).toBe(2);
    expect((await boh('users', 'upsert', '--key', 'password', '--ask', 'password')).exitCode).toBe(2);
    expect(service.takeRequests()).toEqual([]);
  });
});

describe('create --if-missing', () => {
  it('adds a missing record, and leaves an existing one unchanged', async () => {
    const line = ['suppliers', 'create', '--if-missing', '--key', 'code', '--name', 'Fish', '--code'];
    const existingResult = await boh(...line, 'SUP-1');
    expect([existingResult.exitCode, outcomeOf(existingResult), writes()]).toEqual([
      0,
      { outcome: 'unchanged', id: '42' },
      [],
    ]);
    const missingResult = await boh(...line, 'SUP-9');
    expect([outcomeOf(missingResult), writes()]).toEqual([
      { outcome: 'created', id: '50' },
      ['POST /suppliers'],
    ]);
    const restoreResult = await boh(...line, 'SUP-2', '--on-deleted', 'restore');
    expect([outcomeOf(restoreResult), writes()]).toEqual([
      { outcome: 'restored', id: '43' },
      ['PUT /suppliers/43/restore'],
    ]);
  });

  it('needs --key, and is required by --key and --on-deleted', async () => {
    const withoutIfMissing = await boh(
      'suppliers',
      'create',
      '--key',
      'code',
      '--code',
      'SUP-1',
      '--name',
      'x',
    );
    expect([withoutIfMissing.exitCode, failureOf(withoutIfMissing).message]).toEqual([
      2,
      '--key and --on-deleted can only be used with --if-missing.',
    ]);
    const withoutKey = await boh('suppliers', 'create', '--if-missing');
    expect(failureOf(withoutKey).message).toContain('Suppliers have no unique field');
    expect(service.takeRequests()).toEqual([]);
  });
});
