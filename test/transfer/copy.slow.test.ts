import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { failureOf, type Ran } from '../harness/run-boh.ts';
import { type Accounts, comparable, openAccounts, rowsOf } from './backups.ts';

let accounts: Accounts;
/** Copies from the demo business to an account with nothing but its owner. */
let copy: (line: string) => Promise<Ran>;

beforeEach(async () => {
  accounts = openAccounts();
  for (const name of ['main', 'new']) {
    await accounts.outside(`profiles add ${name} --sandbox`, { BOH_SANDBOX: name });
  }
  accounts.fill('main');
  accounts.empty('new');
  copy = (line) => accounts.outside(`copy ${line}`);
});

const between = '--from main --to new';

describe('a copy', () => {
  test('to an empty account: transfers records and their references once, equal except for ids and times', async () => {
    const line = `suppliers ${between} --with-references --yes`;
    const ran = await copy(line);
    expect([ran.exitCode, ran.stderr]).toEqual([0, expect.stringContaining('to new, the sandbox "new"')]);
    const own = ['created_at', 'updated_at', 'is_product', 'yield_percentage'];
    const active = async (sandbox: string) => {
      const kept = await accounts.backup(sandbox, sandbox);
      const rows = [...kept].map(([name, all]) => [name, all.filter((row) => !row.deleted_at)] as const);
      return comparable(new Map(rows), own);
    };
    const [was, is] = [await active('main'), await active('new')];
    expect(is.get('suppliers')).toEqual(was.get('suppliers'));
    expect(was.get('inventory_items')).toEqual(expect.arrayContaining(is.get('inventory_items') ?? []));
    expect(is.get('customers')).toEqual([]);
    const again = await copy(`${line} --dry-run --exit-code`);
    expect([again.exitCode, new Set(rowsOf(again).map(({ action }) => action))]).toEqual([
      0,
      new Set(['skip']),
    ]);
  });

  test('of a name with different whitespace: matches the existing record', async () => {
    const there = await accounts.json('main', 'tags create --name Late\u00a0lunch --type order');
    const own = await accounts.json('new', 'tags create --name Late\u2003lunch --type order');
    await copy(`tags ${between} --yes`);
    const found = (await accounts.json('new', 'tags list')).filter(({ name }: { name: string }) =>
      /^Late\slunch$/.test(name),
    );
    expect(found).toMatchObject([{ id: own.id, name: there.name }]);
  });

  test('of existing names: updates these records and no others', async () => {
    await copy(`tags ${between} --yes`);
    const [tag, other] = await accounts.json('new', 'tags list');
    await accounts.boh('new', `tags update ${tag.id} --name-localized changed`);
    const own = await accounts.json('new', 'tags create --name Own --type order');
    const planned = await copy(`tags ${between} --dry-run --exit-code`);
    expect(planned.exitCode).toBe(10);
    const changed = rowsOf(planned).filter(({ action }) => action !== 'skip');
    expect(changed).toMatchObject([
      { id: tag.id, action: 'update', changes: { name_localized: { from: 'changed' } } },
    ]);
    expect((await copy(`tags ${between} --yes`)).exitCode).toBe(0);
    const after = await accounts.json('new', 'tags list');
    const found = new Map(after.map((row: { id: string }) => [row.id, row]));
    expect(found.get(tag.id)).toMatchObject({ name_localized: tag.name_localized });
    expect(found.get(other.id)).toEqual(other);
    expect(found.has(own.id)).toBe(true);
  });

  test('with filters: copies only the matching records', async () => {
    const ran = await copy(`customers ${between} --where is_blacklisted=true --with-references --yes`);
    expect(ran.exitCode).toBe(0);
    const barred = await accounts.json('main', 'customers list --is-blacklisted');
    const names = (rows: { name: string }[]) => rows.map(({ name }) => name).sort();
    expect(names(await accounts.json('new', 'customers list'))).toEqual(names(barred));
    expect(barred.length).toBeGreaterThan(0);
  });

  test('with missing references: names all of them at once, and sends nothing', async () => {
    const ran = await copy(`customers sections ${between} --yes`);
    expect(ran.exitCode).toBe(2);
    const fields = failureOf(ran).fields as Record<string, string[]>;
    expect(Object.keys(fields).sort()).toEqual(['tables', 'tags']);
    const [name] = (await accounts.json('main', 'tags list --type customer')).map(
      (tag: { name: string }) => tag.name,
    );
    expect(fields.tags?.join()).toContain(name);
    expect(await accounts.json('new', 'customers list')).toEqual([]);
  });

  test('with --map-branch: replaces a branch by another', async () => {
    const line = `sections ${between} --map-branch Riverside=@Airport --skip-missing --yes`;
    expect((await copy(line)).exitCode).toBe(2);
    expect((await copy(line.replace('=@Airport', '=branch-airport'))).exitCode).toBe(0);
    const branches = (await accounts.json('new', 'sections list')).map(
      ({ branch }: { branch: { id: string } }) => branch.id,
    );
    expect(branches).not.toContain('branch-riverside');
    expect(branches).toContain('branch-airport');
  });

  test('that stopped: is resumed in the target account', async () => {
    await copy(`tags ${between} --yes`);
    const [run] = await accounts.json('new', 'runs list');
    expect(run).toMatchObject({ command: 'copy --to new', source: 'main: tags', profile: 'new' });
    const elsewhere = await accounts.outside(`runs resume ${run.id} --profile main`);
    expect([elsewhere.exitCode, failureOf(elsewhere).hint]).toEqual([
      2,
      expect.stringContaining('--profile new'),
    ]);
  });
});

test('a stopped run with another active profile: is resumed by the command that it prints', async () => {
  const file = join(accounts.folder, 'sections.csv');
  const rows = ['One,nowhere', ...Array.from({ length: 9 }, (_, at) => `S${at},branch-airport`)];
  writeFileSync(file, `name,branch_id\n${rows.join('\n')}\n`);
  const line = `sections import ${file} --mode create --max-errors 0 --concurrency 1 --yes`;
  const stopped = await accounts.outside(`--profile new ${line}`);
  const command = /To resume it: boh (.+)/.exec(String(failureOf(stopped).hint))?.[1] ?? '';
  await accounts.outside('profiles use main');
  const ran = await accounts.outside(command);
  expect([command, ran.exitCode]).toEqual([expect.stringContaining('--profile new'), 9]);
  expect(await accounts.json('new', 'sections list')).toHaveLength(9);
});

describe('a copy is refused', () => {
  test.each([
    ['where both accounts are one', 'tags --from main --to main --yes', 'are the same account'],
    ['without its two accounts', 'tags --to new', '--from PROFILE --to PROFILE'],
    ['without resources', between, 'Missing the resources to copy'],
    ["for a profile that doesn't exist", 'tags --from main --to nowhere', 'Profile "nowhere" not found'],
    ["for what can't be written", `loyalty-rewards ${between}`, "the API can't write them"],
    ['with filters for several resources', `tags roles ${between} --where name=x`, 'one resource'],
    ['with an additional account', `tags ${between} --sandbox`, 'A copy needs two profiles'],
    ['without --yes, away from a terminal', `tags ${between}`, 'add --yes'],
  ])('%s', async (_, line, message) => {
    const ran = await copy(line);
    expect([ran.exitCode, ran.stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(await accounts.json('new', 'tags list')).toEqual([]);
  });

  test('into a protected account without confirmation', async () => {
    await accounts.outside('profiles add safe --sandbox --protected', { BOH_SANDBOX: 'new' });
    const refused = await copy('tags --from main --to safe');
    expect(refused.exitCode).toBe(2);
    expect(await accounts.json('new', 'tags list')).toEqual([]);
    const ran = await copy('tags --from main --to safe --yes');
    expect([ran.exitCode, rowsOf(ran).length]).toEqual([0, 16]);
  });
});
