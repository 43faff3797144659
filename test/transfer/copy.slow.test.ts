import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { type BohResult, failureOf } from '../harness/run-boh.ts';
import { type Accounts, openAccounts, parseRows, toComparable } from './backups.ts';

let accounts: Accounts;
/** Runs `boh copy`: `main` has the demo business, and `new` only its owner. */
let copy: (line: string) => Promise<BohResult>;

beforeEach(async () => {
  accounts = openAccounts();
  for (const name of ['main', 'new']) {
    await accounts.bohWithoutSandbox(`profiles add ${name} --sandbox`, { BOH_SANDBOX: name });
  }
  accounts.createDemoSandbox('main');
  accounts.createEmptySandbox('new');
  copy = (line) => accounts.bohWithoutSandbox(`copy ${line}`);
});

const accountFlags = '--from main --to new';

describe('a copy', () => {
  test('to an empty account: transfers records and their references once, equal except for ids and times', async () => {
    const line = `suppliers ${accountFlags} --with-references --yes`;
    const result = await copy(line);
    expect([result.exitCode, result.stderr]).toEqual([
      0,
      expect.stringContaining('to new, the sandbox "new"'),
    ]);
    const ignoredFields = ['created_at', 'updated_at', 'is_product', 'yield_percentage'];
    const activeRecords = async (sandbox: string) => {
      const backup = await accounts.backup(sandbox, sandbox);
      const rows = [...backup].map(
        ([name, records]) => [name, records.filter((row) => !row.deleted_at)] as const,
      );
      return toComparable(new Map(rows), ignoredFields);
    };
    const [expected, actual] = [await activeRecords('main'), await activeRecords('new')];
    expect(actual.get('suppliers')).toEqual(expected.get('suppliers'));
    expect(expected.get('inventory_items')).toEqual(
      expect.arrayContaining(actual.get('inventory_items') ?? []),
    );
    expect(actual.get('customers')).toEqual([]);
    const repeatResult = await copy(`${line} --dry-run --exit-code`);
    expect([repeatResult.exitCode, new Set(parseRows(repeatResult).map(({ action }) => action))]).toEqual([
      0,
      new Set(['skip']),
    ]);
  });

  test('of a name with different whitespace: matches the existing record', async () => {
    const source = await accounts.json('main', 'tags create --name Late\u00a0lunch --type order');
    const existing = await accounts.json('new', 'tags create --name Late\u2003lunch --type order');
    await copy(`tags ${accountFlags} --yes`);
    const copiedTags = (await accounts.json('new', 'tags list')).filter(({ name }: { name: string }) =>
      /^Late\slunch$/.test(name),
    );
    expect(copiedTags).toMatchObject([{ id: existing.id, name: source.name }]);
  });

  test('of existing names: updates these records and no others', async () => {
    await copy(`tags ${accountFlags} --yes`);
    const [tag, otherTag] = await accounts.json('new', 'tags list');
    await accounts.boh('new', `tags update ${tag.id} --name-localized changed`);
    const ownTag = await accounts.json('new', 'tags create --name Own --type order');
    const planResult = await copy(`tags ${accountFlags} --dry-run --exit-code`);
    expect(planResult.exitCode).toBe(10);
    const changedRows = parseRows(planResult).filter(({ action }) => action !== 'skip');
    expect(changedRows).toMatchObject([
      { id: tag.id, action: 'update', changes: { name_localized: { from: 'changed' } } },
    ]);
    expect((await copy(`tags ${accountFlags} --yes`)).exitCode).toBe(0);
    const tagsAfter = await accounts.json('new', 'tags list');
    const tagsById = new Map(tagsAfter.map((row: { id: string }) => [row.id, row]));
    expect(tagsById.get(tag.id)).toMatchObject({ name_localized: tag.name_localized });
    expect(tagsById.get(otherTag.id)).toEqual(otherTag);
    expect(tagsById.has(ownTag.id)).toBe(true);
  });

  test('with filters: copies only the matching records', async () => {
    const result = await copy(
      `customers ${accountFlags} --where is_blacklisted=true --with-references --yes`,
    );
    expect(result.exitCode).toBe(0);
    const blacklisted = await accounts.json('main', 'customers list --is-blacklisted');
    const names = (rows: { name: string }[]) => rows.map(({ name }) => name).sort();
    expect(names(await accounts.json('new', 'customers list'))).toEqual(names(blacklisted));
    expect(blacklisted.length).toBeGreaterThan(0);
  });

  test('with missing references: reports all of them at once, and sends nothing', async () => {
    const result = await copy(`customers sections ${accountFlags} --yes`);
    expect(result.exitCode).toBe(2);
    const fields = failureOf(result).fields as Record<string, string[]>;
    expect(Object.keys(fields).sort()).toEqual(['tables', 'tags']);
    const [name] = (await accounts.json('main', 'tags list --type customer')).map(
      (tag: { name: string }) => tag.name,
    );
    expect(fields.tags?.join()).toContain(name);
    expect(await accounts.json('new', 'customers list')).toEqual([]);
  });

  test('with --map-branch: replaces a branch by another', async () => {
    const line = `sections ${accountFlags} --map-branch Riverside=@Airport --skip-missing --yes`;
    expect((await copy(line)).exitCode).toBe(2);
    expect((await copy(line.replace('=@Airport', '=branch-airport'))).exitCode).toBe(0);
    const branches = (await accounts.json('new', 'sections list')).map(
      ({ branch }: { branch: { id: string } }) => branch.id,
    );
    expect(branches).not.toContain('branch-riverside');
    expect(branches).toContain('branch-airport');
  });

  test('from the list of runs: is resumed only in the target account', async () => {
    await copy(`tags ${accountFlags} --yes`);
    const [run] = await accounts.json('new', 'runs list');
    expect(run).toMatchObject({ command: 'copy --to new', source: 'main: tags', profile: 'new' });
    const otherProfileResult = await accounts.bohWithoutSandbox(`runs resume ${run.id} --profile main`);
    expect([otherProfileResult.exitCode, failureOf(otherProfileResult).hint]).toEqual([
      2,
      expect.stringContaining('--profile new'),
    ]);
  });
});

test('a stopped run, after a change of the active profile: is resumed by the command that it printed', async () => {
  const file = join(accounts.folder, 'sections.csv');
  const rows = ['One,nowhere', ...Array.from({ length: 9 }, (_, index) => `S${index},branch-airport`)];
  writeFileSync(file, `name,branch_id\n${rows.join('\n')}\n`);
  const line = `sections import ${file} --mode create --max-errors 0 --concurrency 1 --yes`;
  const stoppedResult = await accounts.bohWithoutSandbox(`--profile new ${line}`);
  const command = /To resume it: boh (.+)/.exec(String(failureOf(stoppedResult).hint))?.[1] ?? '';
  await accounts.bohWithoutSandbox('profiles use main');
  const result = await accounts.bohWithoutSandbox(command);
  expect([command, result.exitCode]).toEqual([expect.stringContaining('--profile new'), 9]);
  expect(await accounts.json('new', 'sections list')).toHaveLength(9);
});

describe('a copy is refused', () => {
  test.each([
    ['with the same account twice', 'tags --from main --to main --yes', 'are the same account'],
    ['without --from', 'tags --to new', '--from PROFILE --to PROFILE'],
    ['without resources', accountFlags, 'Missing the resources to copy'],
    ["for a profile that doesn't exist", 'tags --from main --to nowhere', 'Profile "nowhere" not found'],
    ['of resources that are read-only', `loyalty-rewards ${accountFlags}`, "the API can't write them"],
    ['with filters for several resources', `tags roles ${accountFlags} --where name=x`, 'one resource'],
    [
      'with --sandbox',
      `tags ${accountFlags} --sandbox`,
      "A copy uses the accounts of two profiles, so it can't be combined with --sandbox",
    ],
    ['without --yes outside a terminal', `tags ${accountFlags}`, 'add --yes'],
  ])('%s', async (_, line, message) => {
    const result = await copy(line);
    expect([result.exitCode, result.stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(await accounts.json('new', 'tags list')).toEqual([]);
  });

  test('into a protected account without confirmation', async () => {
    await accounts.bohWithoutSandbox('profiles add safe --sandbox --protected', { BOH_SANDBOX: 'new' });
    const refusedResult = await copy('tags --from main --to safe');
    expect(refusedResult.exitCode).toBe(2);
    expect(await accounts.json('new', 'tags list')).toEqual([]);
    const result = await copy('tags --from main --to safe --yes');
    expect([result.exitCode, parseRows(result).length]).toEqual([0, 16]);
  });
});
