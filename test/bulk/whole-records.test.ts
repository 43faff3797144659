/** With wire.put = replace, each update sends all fields of the record, so that a replacing service keeps its values. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createWorkspace } from '../history/sandbox-workspace.ts';

type Row = Record<string, unknown>;

async function openReplacingWorkspace() {
  const workspace = createWorkspace();
  const boh = (line: string, ...flags: string[]) =>
    workspace.bohWithoutSandbox({}, ...line.split(' '), ...flags);
  for (const line of [
    'profiles add here --sandbox',
    'sandbox settings set wire.put=replace',
    'config set wire.put replace',
  ])
    expect((await boh(line)).exitCode).toBe(0);
  const listRecords = async (resource: string): Promise<Row[]> =>
    JSON.parse((await boh(`${resource} list --all -o json`)).stdout).map(
      ({ updated_at: _, ...row }: Row) => row,
    );
  const write = (name: string, text: string) => {
    writeFileSync(join(workspace.config, name), text);
    return join(workspace.config, name);
  };
  const runSuccessfully = async (line: string, ...flags: string[]) => {
    const result = await boh(line, ...flags);
    expect([line, result.exitCode, result.stderr]).toEqual([line, 0, expect.any(String)]);
    return result;
  };
  return { boh, all: listRecords, write, runSuccessfully };
}

type Workspace = Awaited<ReturnType<typeof openReplacingWorkspace>>;

/** Returns the customers with changes in the first ones. */
const changed = (rows: readonly Row[], count: number, change: Row) =>
  rows.map((row, index) => (index < count ? { ...row, ...change } : row));

const ids = (rows: readonly Row[], count: number) => rows.slice(0, count).map(({ id }) => String(id));

describe('wire.put replace: only the requested fields change', () => {
  test.each<[string, number, (workspace: Workspace, rows: Row[]) => Promise<unknown>]>([
    [
      'import',
      20,
      async ({ runSuccessfully, write }, rows) => {
        const lines = ids(rows, 20).map((id) => `${id},true\n`);
        const result = await runSuccessfully(
          `customers import ${write('a.csv', `id,is_blacklisted\n${lines.join('')}`)} --yes`,
        );
        // Each record is read right before its update.
        expect(result.stderr).toContain('40 requests.');
      },
    ],
    [
      'update of several ids',
      3,
      async ({ runSuccessfully }, rows) => {
        await runSuccessfully(`customers update ${ids(rows, 3).join(' ')} --is-blacklisted --yes`);
      },
    ],
    [
      'update --where',
      200,
      async ({ runSuccessfully }) => {
        await runSuccessfully('customers update --where is_blacklisted=false --is-blacklisted --yes');
      },
    ],
    [
      'upsert',
      1,
      async ({ runSuccessfully }, [row]) => {
        await runSuccessfully(`customers upsert --key phone --phone ${row?.phone} --is-blacklisted`);
      },
    ],
    [
      'apply',
      1,
      async ({ runSuccessfully, write }, [row]) => {
        await runSuccessfully(
          `apply ${write('a.yaml', `customers:\n  - { phone: "${row?.phone}", is_blacklisted: true }\n`)} --yes`,
        );
      },
    ],
  ])('%s, and undo restores the records', async (_, count, change) => {
    const workspace = await openReplacingWorkspace();
    const before = (await workspace.all('customers')).filter(
      ({ is_blacklisted }) => is_blacklisted === false,
    );
    await change(workspace, before);
    const byId = (rows: readonly Row[]) => new Map(rows.map((row) => [row.id, row]));
    const currentRecords = byId(await workspace.all('customers'));
    for (const row of changed(before, Math.min(count, before.length), { is_blacklisted: true }))
      expect(currentRecords.get(row.id)).toEqual(row);
    await workspace.runSuccessfully('undo --last --yes');
    const restoredCustomers = byId(await workspace.all('customers'));
    for (const row of before) expect(restoredCustomers.get(row.id)).toEqual(row);
  });

  test('backup restore: restores the record completely', async () => {
    const { runSuccessfully, all, write } = await openReplacingWorkspace();
    const before = await all('suppliers');
    const folder = `${write('kept', '')}-backup`;
    await runSuccessfully(`backup ${folder}`);
    await runSuccessfully(`suppliers update ${before[0]?.id} --contact-name Ada`);
    expect((await all('suppliers'))[0]).toEqual({ ...before[0], contact_name: 'Ada' });
    await runSuccessfully(`backup restore ${folder} --yes --resource suppliers`);
    expect(await all('suppliers')).toEqual(before);
  });
});

test('wire.put replace: a dry run shows the complete request body', async () => {
  const { runSuccessfully } = await openReplacingWorkspace();
  const { stdout } = await runSuccessfully('suppliers update supplier-1 --phone 71 --dry-run -o json');
  expect(JSON.parse(stdout)).toMatchObject({
    body: { name: 'Fresh Farms', phone: '71', tags: [{}] },
  });
});

describe('wire.put replace: a field that the service never returns', () => {
  test('update of one record: requires the field', async () => {
    const { boh, runSuccessfully } = await openReplacingWorkspace();
    const [user] = JSON.parse((await runSuccessfully('users list -o json')).stdout);
    const refusedResult = await boh(`users update ${user.id} --lang ar`);
    expect(refusedResult).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("would empty pin, which the service doesn't return"),
    });
    await runSuccessfully(`users update ${user.id}`, '--data', '{"lang":"ar","pin":"4821"}');
    await runSuccessfully(`users update ${user.id} --lang en --unchecked`);
    expect(JSON.parse((await runSuccessfully(`users get ${user.id} -o json`)).stdout)).toMatchObject({
      email: user.email,
      lang: 'en',
    });
  });

  test('import: requires the field in all rows before any is sent', async () => {
    const { boh, runSuccessfully, all, write } = await openReplacingWorkspace();
    const users = await all('users');
    const firstIds = ids(users, 4);
    const file = write(
      'a.csv',
      `id,lang,pin\n${firstIds.map((id, index) => `${id},ar,${index === 0 ? '4821' : ''}\n`).join('')}`,
    );
    const refusedResult = await boh(`users import ${file} --yes`);
    expect(refusedResult).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('users without pin'),
    });
    expect(await all('users')).toEqual(users);
    const completeFile = write('b.csv', `id,lang,pin\n${firstIds.map((id) => `${id},ar,4821\n`).join('')}`);
    await runSuccessfully(`users import ${completeFile} --yes`);
    const currentRecords = await all('users');
    for (const row of changed(users, 4, { lang: 'ar' }))
      expect(currentRecords.find(({ id }) => id === row.id)).toEqual(row);
  });
});
