/** With wire.put = replace every change of a record sends all of it: no value is lost at a service that replaces. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { newWorkspace } from '../history/boh-in-sandbox.ts';

type Row = Record<string, unknown>;

async function replacing() {
  const workspace = newWorkspace();
  const boh = (line: string, ...more: string[]) => workspace.plain({}, ...line.split(' '), ...more);
  for (const line of [
    'profiles add here --sandbox',
    'sandbox settings set wire.put=replace',
    'config set wire.put replace',
  ])
    expect((await boh(line)).exitCode).toBe(0);
  const all = async (resource: string): Promise<Row[]> =>
    JSON.parse((await boh(`${resource} list --all -o json`)).stdout).map(
      ({ updated_at: _, ...row }: Row) => row,
    );
  const write = (name: string, text: string) => {
    writeFileSync(join(workspace.config, name), text);
    return join(workspace.config, name);
  };
  const done = async (line: string, ...more: string[]) => {
    const result = await boh(line, ...more);
    expect([line, result.exitCode, result.stderr]).toEqual([line, 0, expect.any(String)]);
    return result;
  };
  return { boh, all, write, done };
}

type Workspace = Awaited<ReturnType<typeof replacing>>;

/** Returns the customers with changes in the first ones. */
const changed = (rows: readonly Row[], count: number, change: Row) =>
  rows.map((row, at) => (at < count ? { ...row, ...change } : row));

const ids = (rows: readonly Row[], count: number) => rows.slice(0, count).map(({ id }) => String(id));

describe('only the intended fields change', () => {
  test.each<[string, number, (workspace: Workspace, rows: Row[]) => Promise<unknown>]>([
    [
      'by an import',
      20,
      async ({ done, write }, rows) => {
        const lines = ids(rows, 20).map((id) => `${id},true\n`);
        const result = await done(
          `customers import ${write('a.csv', `id,is_blacklisted\n${lines.join('')}`)} --yes`,
        );
        // Each record is read right before its update.
        expect(result.stderr).toContain('40 requests.');
      },
    ],
    [
      'by an update of several',
      3,
      async ({ done }, rows) => {
        await done(`customers update ${ids(rows, 3).join(' ')} --is-blacklisted --yes`);
      },
    ],
    [
      'by an update of what filters choose',
      200,
      async ({ done }) => {
        await done('customers update --where is_blacklisted=false --is-blacklisted --yes');
      },
    ],
    [
      'by an upsert',
      1,
      async ({ done }, [row]) => {
        await done(`customers upsert --key phone --phone ${row?.phone} --is-blacklisted`);
      },
    ],
    [
      'by files that declare it',
      1,
      async ({ done, write }, [row]) => {
        await done(
          `apply ${write('a.yaml', `customers:\n  - { phone: "${row?.phone}", is_blacklisted: true }\n`)} --yes`,
        );
      },
    ],
  ])('%s, and undone it is as it was', async (_, count, change) => {
    const workspace = await replacing();
    const before = (await workspace.all('customers')).filter(({ is_blacklisted: is }) => is === false);
    await change(workspace, before);
    const by = (rows: readonly Row[]) => new Map(rows.map((row) => [row.id, row]));
    const now = by(await workspace.all('customers'));
    for (const row of changed(before, Math.min(count, before.length), { is_blacklisted: true }))
      expect(now.get(row.id)).toEqual(row);
    await workspace.done('undo --last --yes');
    const again = by(await workspace.all('customers'));
    for (const row of before) expect(again.get(row.id)).toEqual(row);
  });

  test('by a restore from a backup', async () => {
    const { done, all, write } = await replacing();
    const before = await all('suppliers');
    const folder = `${write('kept', '')}-backup`;
    await done(`backup ${folder}`);
    await done(`suppliers update ${before[0]?.id} --contact-name Ada`);
    expect((await all('suppliers'))[0]).toEqual({ ...before[0], contact_name: 'Ada' });
    await done(`restore-from ${folder} --yes --resource suppliers`);
    expect(await all('suppliers')).toEqual(before);
  });
});

test('a dry run shows the complete request bodies', async () => {
  const { done } = await replacing();
  const { stdout } = await done('suppliers update supplier-1 --phone 71 --dry-run -o json');
  expect(JSON.parse(stdout)).toMatchObject({
    body: { name: 'Fresh Farms', phone: '71', tags: [{}] },
  });
});

describe('a field that the service never shows', () => {
  test('is required for one record', async () => {
    const { boh, done } = await replacing();
    const [user] = JSON.parse((await done('users list -o json')).stdout);
    const refused = await boh(`users update ${user.id} --lang ar`);
    expect(refused).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("would empty pin, which the service doesn't show"),
    });
    await done(`users update ${user.id}`, '--data', '{"lang":"ar","pin":"4821"}');
    await done(`users update ${user.id} --lang en --unchecked`);
    expect(JSON.parse((await done(`users get ${user.id} -o json`)).stdout)).toMatchObject({
      email: user.email,
      lang: 'en',
    });
  });

  test('is required in all rows before any of them is sent', async () => {
    const { boh, done, all, write } = await replacing();
    const users = await all('users');
    const some = ids(users, 4);
    const file = write(
      'a.csv',
      `id,lang,pin\n${some.map((id, at) => `${id},ar,${at === 0 ? '4821' : ''}\n`).join('')}`,
    );
    const refused = await boh(`users import ${file} --yes`);
    expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('users without pin') });
    expect(await all('users')).toEqual(users);
    const whole = write('b.csv', `id,lang,pin\n${some.map((id) => `${id},ar,4821\n`).join('')}`);
    await done(`users import ${whole} --yes`);
    const now = await all('users');
    for (const row of changed(users, 4, { lang: 'ar' }))
      expect(now.find(({ id }) => id === row.id)).toEqual(row);
  });
});
