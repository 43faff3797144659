/** Values that the contract doesn't expect are stored unchanged and reported, or refused; none is lost. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { runBoh } from '../harness/run-boh.ts';
import { serve } from '../harness/serve.ts';
import { openWorkspace } from './workspace.ts';

const moment = '2026-01-01 00:00:00';

/** Syncs a mirror from a service that returns these bodies for a resource. */
async function copyOf(path: string, records: readonly string[]) {
  const workspace = openWorkspace();
  const service = await serve({
    'GET /whoami': { data: { user: { id: 'u' }, business: { id: 'b' } } },
    [`GET ${path}`]: `{"data":[${records.join(',')}],"meta":{"last_page":1,"total":${records.length}}}`,
  });
  onTestFinished(() => service.close());
  const env = { ...workspace.env, BOH_BASE_URL: service.baseUrl, BOH_TOKEN: 'a-token-of-a-test' };
  const command = path.slice(1).replaceAll('_', '-');
  const boh = (...words: string[]) => runBoh(words, { env });
  return {
    ...workspace,
    service,
    sync: (...flags: string[]) => boh('mirror', 'sync', '--resource', command, '-o', 'json', ...flags),
    diff: () => boh('mirror', 'diff', '--resource', command),
    listed: async (...flags: string[]) =>
      JSON.parse((await boh(command, 'list', '-o', 'json', ...flags)).stdout) as Record<string, unknown>[],
  };
}

describe('a list with items that are not records', () => {
  test('is stored as JSON, and shown unchanged', async () => {
    const lists = {
      notifications: ['a', 'b\0c', 'd'],
      roles: [{ id: 'r1' }, { name: 'of no id' }, null],
      branches: 'none',
    };
    const copy = await copyOf('/users', [
      JSON.stringify({ id: 'u1', name: 'U', updated_at: moment, ...lists }),
      JSON.stringify({
        id: 'u2',
        name: 'V',
        updated_at: moment,
        notifications: ['a'],
        roles: [],
        branches: null,
      }),
    ]);
    expect(await copy.sync()).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining(
        "values that don't fit their column for users: branches, notifications, roles.",
      ),
    });
    expect(copy.sql('SELECT user_id, value FROM users_notifications ORDER BY user_id, position')).toEqual([
      { user_id: 'u1', value: 'a' },
      { user_id: 'u1', value: 'd' },
      { user_id: 'u2', value: 'a' },
    ]);
    const [first, second] = copy.sql('SELECT other_fields AS other FROM users ORDER BY id');
    expect(JSON.parse(String(first?.other))).toEqual(lists);
    expect(second).toEqual({ other: null });
    expect(await copy.listed('--mirror')).toMatchObject([lists, { notifications: ['a'], roles: [] }]);
    expect(await copy.diff()).toMatchObject({ exitCode: 0 });
  });

  test('is stored with the nested record it is in', async () => {
    const options = [{ id: 'o1', name: 'O', branches: [{ id: 'b1' }, { id: 'b\0' }] }, 'no record'];
    const copy = await copyOf('/modifiers', [
      JSON.stringify({ id: 'm1', name: 'M', updated_at: moment, options }),
    ]);
    expect(await copy.sync()).toMatchObject({ exitCode: 0 });
    const [row] = copy.sql('SELECT other_fields AS other FROM modifiers');
    expect(JSON.parse(String(row?.other))).toEqual({ options });
    // It can't be stored without a part of it.
    expect(await copy.sync('--exclude', 'modifiers.options.name', '--full')).toMatchObject({ exitCode: 0 });
    expect(copy.sql('SELECT other_fields AS other FROM modifiers')).toEqual([{ other: null }]);
  });
});

test('equal numbers are stored identically by every engine', async () => {
  const copy = await copyOf('/inventory_items', [
    `{"id":"i1","name":"N","cost":-0.00,"costing_method":1.0,"updated_at":"${moment}"}`,
    `{"id":"i2","name":"N","cost":-0e3,"costing_method":1e0,"updated_at":"${moment}"}`,
    `{"id":"i3","name":"N","cost":"-0.050","costing_method":1.5,"updated_at":"${moment}"}`,
  ]);
  expect(await copy.sync()).toMatchObject({ exitCode: 0 });
  expect(
    copy.sql(
      'SELECT cost, exact_numbers AS exact, costing_method AS method, other_fields AS other FROM inventory_items ORDER BY id',
    ),
  ).toEqual([
    { cost: 0, exact: '{"cost":"0.00"}', method: 1, other: null },
    { cost: 0, exact: null, method: 1, other: null },
    { cost: -0.05, exact: '{"cost":"-0.050"}', method: null, other: '{"costing_method":1.5}' },
  ]);
});

test('mirror sync: reports records with ids that no engine can store, and no other problem', async () => {
  const copy = await copyOf('/taxes', [JSON.stringify({ id: 'a\0b', name: 'T', updated_at: moment })]);
  const result = await copy.sync();
  expect(result).toMatchObject({ exitCode: 8, stdout: expect.stringContaining('usable ID') });
  expect(result.stderr).not.toContain('Another program changed');
});

test.each([
  ['is no moment', '"yesterday"'],
  ['lies in the future', '"2199-01-01 00:00:00"'],
])('a change time that %s: later syncs of an unchanged list read no changes', async (_what, at) => {
  const copy = await copyOf('/taxes', [`{"id":"t1","name":"T","rate":5,"updated_at":${at}}`]);
  expect(await copy.sync()).toMatchObject({ exitCode: 0 });
  copy.service.takeRequests();
  expect(await copy.sync()).toMatchObject({ exitCode: 0 });
  expect(copy.service.takeRequests().filter((each) => each.includes('/taxes')).length).toBeLessThanOrEqual(4);
});

test('unknown fields of any name are stored as they are, and only some are reported', async () => {
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`extra_${at}`, at]));
  const copy = await copyOf('/taxes', [
    `{"1":"one","id":"t1","__proto__":{"x":1},"name":"T","constructor":"c","toString":null,"updated_at":"${moment}"}`,
    `{"updated_at":"${moment}","__proto__":"text","name":"U","id":"t2"}`,
    JSON.stringify({ id: 't3', name: 'V', updated_at: moment, ...many }),
  ]);
  const result = await copy.sync();
  expect(result).toMatchObject({ exitCode: 0, stderr: expect.stringContaining(' and 94 more. ') });
  const [first, second] = copy.sql('SELECT other_fields AS other FROM taxes ORDER BY id');
  expect(first?.other).toBe('{"1":"one","__proto__":{"x":1},"constructor":"c","toString":null}');
  expect(second?.other).toBe('{"__proto__":"text"}');
  expect(JSON.stringify(await copy.listed('--mirror'))).toContain('"__proto__":{"x":1}');
});

test('a nested record that is in a list twice gets two rows', async () => {
  const options = [
    { id: 'o1', name: 'A', branches: [{ id: 'b1' }] },
    { id: 'o1', name: 'B' },
  ];
  const copy = await copyOf('/modifiers', [
    JSON.stringify({ id: 'm1', name: 'M', updated_at: moment, options }),
  ]);
  expect(await copy.sync()).toMatchObject({ exitCode: 0 });
  expect(copy.sql('SELECT id, name FROM modifiers_options ORDER BY position')).toEqual([
    { id: 'o1', name: 'A' },
    { id: 'o1/2', name: 'B' },
  ]);
  expect(await copy.diff()).toMatchObject({ exitCode: 0 });
});
