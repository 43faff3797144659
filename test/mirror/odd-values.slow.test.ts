/** Tests that values that don't match the contract are stored unchanged and reported, or refused. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { isRelation } from '../../src/api/contract/include.ts';
import { api } from '../../src/api/resources/index.ts';
import { runBoh } from '../harness/run-boh.ts';
import { serve } from '../harness/serve.ts';
import { openWorkspace } from './workspace.ts';

const timestamp = '2026-01-01 00:00:00';

/** Opens a workspace for a service that returns these records for a resource, with empty lists for other relations. */
async function openMirrorOf(path: string, recordTexts: readonly string[]) {
  const workspace = openWorkspace();
  const resource = api.resource(path.slice(1)) ?? expect.fail(path);
  const relations = Object.entries(resource.fields).filter(([, field]) => isRelation(field));
  const empty = relations.map(([name, { kind }]) => `"${name}":${kind === 'one' ? 'null' : '[]'},`).join('');
  const records = recordTexts.map((text) => text.replace('{', `{${empty}`));
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
    list: async (...flags: string[]) =>
      JSON.parse((await boh(command, 'list', '-o', 'json', ...flags)).stdout) as Record<string, unknown>[],
  };
}

describe('a list with items that are not records', () => {
  test('is stored as JSON, and returned unchanged', async () => {
    const lists = {
      notifications: ['a', 'b\0c', 'd'],
      roles: [{ id: 'r1' }, { name: 'without an ID' }, null],
      branches: 'none',
    };
    const mirror = await openMirrorOf('/users', [
      JSON.stringify({ id: 'u1', name: 'U', updated_at: timestamp, ...lists }),
      JSON.stringify({
        id: 'u2',
        name: 'V',
        updated_at: timestamp,
        notifications: ['a'],
        roles: [],
        branches: null,
      }),
    ]);
    expect(await mirror.sync()).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining(
        "values that don't fit their column for users: branches, notifications, roles.",
      ),
    });
    expect(mirror.sql('SELECT user_id, value FROM users_notifications ORDER BY user_id, position')).toEqual([
      { user_id: 'u1', value: 'a' },
      { user_id: 'u1', value: 'd' },
      { user_id: 'u2', value: 'a' },
    ]);
    const [firstRow, secondRow] = mirror.sql('SELECT other_fields AS other FROM users ORDER BY id');
    expect(JSON.parse(String(firstRow?.other))).toEqual(lists);
    expect(secondRow).toEqual({ other: null });
    expect(await mirror.list('--mirror')).toMatchObject([lists, { notifications: ['a'], roles: [] }]);
    expect(await mirror.diff()).toMatchObject({ exitCode: 0 });
  });

  test('in a nested record is stored as JSON with the whole field', async () => {
    const lists = { products: [], ingredients: [], tax_group: null };
    const branches = [{ id: 'b1' }, { id: 'b\0' }];
    const options = [{ id: 'o1', name: 'O', branches, ...lists }, 'not a record'];
    const mirror = await openMirrorOf('/modifiers', [
      JSON.stringify({ id: 'm1', name: 'M', updated_at: timestamp, options }),
    ]);
    expect(await mirror.sync()).toMatchObject({ exitCode: 0 });
    const [row] = mirror.sql('SELECT other_fields AS other FROM modifiers');
    expect(JSON.parse(String(row?.other))).toEqual({ options });
    // If a part of the field is excluded, the field isn't stored at all.
    expect(await mirror.sync('--exclude', 'modifiers.options.name', '--full')).toMatchObject({ exitCode: 0 });
    expect(mirror.sql('SELECT other_fields AS other FROM modifiers')).toEqual([{ other: null }]);
  });
});

test('mirror sync: stores equal numbers in the same way', async () => {
  const mirror = await openMirrorOf('/inventory_items', [
    `{"id":"i1","name":"N","cost":-0.00,"costing_method":1.0,"updated_at":"${timestamp}"}`,
    `{"id":"i2","name":"N","cost":-0e3,"costing_method":1e0,"updated_at":"${timestamp}"}`,
    `{"id":"i3","name":"N","cost":"-0.050","costing_method":1.5,"updated_at":"${timestamp}"}`,
  ]);
  expect(await mirror.sync()).toMatchObject({ exitCode: 0 });
  expect(
    mirror.sql(
      'SELECT cost, exact_numbers AS exact, costing_method AS method, other_fields AS other FROM inventory_items ORDER BY id',
    ),
  ).toEqual([
    { cost: 0, exact: '{"cost":"0.00"}', method: 1, other: null },
    { cost: 0, exact: null, method: 1, other: null },
    { cost: -0.05, exact: '{"cost":"-0.050"}', method: null, other: '{"costing_method":1.5}' },
  ]);
});

test('mirror sync: reports records with IDs that no engine can store, and no other problem', async () => {
  const mirror = await openMirrorOf('/taxes', [
    JSON.stringify({ id: 'a\0b', name: 'T', updated_at: timestamp }),
  ]);
  const result = await mirror.sync();
  expect(result).toMatchObject({ exitCode: 8, stdout: expect.stringContaining('usable ID') });
  expect(result.stderr).not.toContain('Another program changed');
});

test.each([
  ['is not a timestamp', '"yesterday"'],
  ['is in the future', '"2199-01-01 00:00:00"'],
])(
  'updated_at that %s: later syncs of an unchanged list read the list at most four times',
  async (_, updatedAt) => {
    const record = `{"id":"t1","name":"T","rate":5,"updated_at":${updatedAt}}`;
    const mirror = await openMirrorOf('/taxes', [record]);
    expect(await mirror.sync()).toMatchObject({ exitCode: 0 });
    mirror.service.takeRequests();
    expect(await mirror.sync()).toMatchObject({ exitCode: 0 });
    expect(
      mirror.service.takeRequests().filter((request) => request.includes('/taxes')).length,
    ).toBeLessThanOrEqual(4);
  },
);

test('mirror sync: stores unknown fields with any name unchanged, and reports some of them', async () => {
  const extraFields = Object.fromEntries(
    Array.from({ length: 100 }, (_, index) => [`extra_${index}`, index]),
  );
  const mirror = await openMirrorOf('/taxes', [
    `{"1":"one","id":"t1","__proto__":{"x":1},"name":"T","constructor":"c","toString":null,"updated_at":"${timestamp}"}`,
    `{"updated_at":"${timestamp}","__proto__":"text","name":"U","id":"t2"}`,
    JSON.stringify({ id: 't3', name: 'V', updated_at: timestamp, ...extraFields }),
  ]);
  const result = await mirror.sync();
  expect(result).toMatchObject({ exitCode: 0, stderr: expect.stringContaining(' and 94 more. ') });
  const [firstRow, secondRow] = mirror.sql('SELECT other_fields AS other FROM taxes ORDER BY id');
  expect(firstRow?.other).toBe('{"1":"one","__proto__":{"x":1},"constructor":"c","toString":null}');
  expect(secondRow?.other).toBe('{"__proto__":"text"}');
  expect(JSON.stringify(await mirror.list('--mirror'))).toContain('"__proto__":{"x":1}');
});

test('mirror sync: stores two rows for a nested record that is in a list twice', async () => {
  const options = [
    { id: 'o1', name: 'A', branches: [{ id: 'b1' }], products: [], ingredients: [], tax_group: null },
    { id: 'o1', name: 'B' },
  ];
  const mirror = await openMirrorOf('/modifiers', [
    JSON.stringify({ id: 'm1', name: 'M', updated_at: timestamp, options }),
  ]);
  expect(await mirror.sync()).toMatchObject({ exitCode: 0 });
  expect(mirror.sql('SELECT id, name FROM modifiers_options ORDER BY position')).toEqual([
    { id: 'o1', name: 'A' },
    { id: 'o1/2', name: 'B' },
  ]);
  expect(await mirror.diff()).toMatchObject({ exitCode: 0 });
});
