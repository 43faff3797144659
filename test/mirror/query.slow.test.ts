import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { failureOf, runBoh } from '../harness/run-boh.ts';
import { type MirrorWorkspace, openSyncedWorkspace, openWorkspace } from './workspace.ts';

function query(workspace: MirrorWorkspace, sql: string, ...flags: string[]) {
  return runBoh(['mirror', 'query', sql, ...flags], { env: workspace.env });
}

describe('boh mirror query', () => {
  test('prints results in each format, with named and positional parameters', async () => {
    const workspace = await openSyncedWorkspace('--resource tags,customers');
    const namedResult = await query(
      workspace,
      'select name, type from tags where name like :start and type = :type',
      '--param',
      'start=R%',
      '--param',
      'type=1',
      '-o',
      'csv',
    );
    expect(namedResult).toMatchObject({ exitCode: 0, stdout: 'name,type\r\nRegular,1\r\n' });
    const positionalResult = await query(
      workspace,
      "select ? as n, ? as t, ':x' as text -- :y",
      '5',
      '0551',
      '-o',
      'ndjson',
    );
    expect(positionalResult.stdout).toBe('{"n":5,"t":"0551","text":":x"}\n');
    const unclosedResult = await query(workspace, "select 'a from tags");
    expect([unclosedResult.exitCode, unclosedResult.stderr]).toEqual([
      2,
      expect.stringContaining('syntax error'),
    ]);
    const commentedResult = await query(
      workspace,
      '-- how many\nselect count(*) as count from tags',
      '-o',
      'ndjson',
    );
    expect(commentedResult).toMatchObject({ exitCode: 0, stdout: '{"count":18}\n' });
    const joinResult = await query(
      workspace,
      'select t.id, l.id from tags t join customers_tags l on l.tag_id = t.id limit 1',
      '--json',
    );
    expect(Object.keys(JSON.parse(joinResult.stdout)[0])).toEqual(['id', 'id_2']);
    for (const format of ['table', 'json', 'yaml', 'id']) {
      expect(await query(workspace, 'select id, name from tags', '-o', format)).toMatchObject({
        exitCode: 0,
      });
    }
    expect(await query(workspace, 'select id from tags where 0', '-o', 'json')).toMatchObject({
      stdout: '[]\n',
    });
  });

  test('warns about lists that were never synced completely, with the command that syncs them', async () => {
    const workspace = await openSyncedWorkspace('--resource tags');
    const incompleteResult = await query(
      workspace,
      'select count(*) as n from customers c join customers_tags t using (id)',
      '-o',
      'json',
    );
    expect(incompleteResult).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('"n": 0') });
    expect(incompleteResult.stderr).toContain(
      'warning: The mirror has no complete list of customers yet, so the result may be incomplete. To read them: boh mirror sync --resource customers',
    );
    const file = join(workspace.folder, 'other.sqlite');
    await workspace.boh(`mirror sync --resource tags --to sqlite:${file}`);
    const otherResult = await query(
      workspace,
      'select 1 from inventory_counts_in_words',
      '--to',
      `sqlite:${file}`,
    );
    expect(otherResult.stderr).toContain(`boh mirror sync --to sqlite:${file} --resource inventory-counts`);
    for (const sql of ['select name from tags', "select 'customers' as what", 'select 1 as one'])
      expect((await query(workspace, sql)).stderr).toBe('');
  });

  test('finds digits in a text column by a numeric parameter', async () => {
    const workspace = await openSyncedWorkspace('--resource customers');
    const [row] = workspace.sql("SELECT phone FROM customers WHERE phone LIKE '5%' LIMIT 1");
    const sql = 'select count(*) as count, typeof(:phone) as type from customers where phone = :phone';
    const result = await query(workspace, sql, '--param', `phone=${row?.phone}`, '-o', 'ndjson');
    expect(result.stdout).toBe('{"count":1,"type":"integer"}\n');
  });

  test("reports a value that is longer than SQLite's limit", async () => {
    const workspace = await openSyncedWorkspace('--resource tags');
    for (const sql of ["select printf('%.*c', 600000000, 'x')", 'select zeroblob(300000000)']) {
      const result = await query(workspace, sql);
      expect({ sql, ...failureOf(result) }).toMatchObject({ category: 'usage', exit_code: 2 });
      expect(result.stderr).toContain('has a value that is too long');
    }
  });

  test('refuses all statements except a single query, and changes nothing', async () => {
    const workspace = await openSyncedWorkspace('--resource tags');
    const otherFile = join(workspace.folder, 'attached.sqlite');
    const before = workspace.sql('SELECT count(*) AS count FROM tags');
    for (const sql of [
      'delete from tags',
      'with x as (select 1) delete from tags',
      "update tags set name = 'x'",
      'drop table tags',
      'select 1; select 2',
      'select 1; delete from tags',
      'pragma user_version = 9',
      'pragma query_only = off',
      `attach '${otherFile}' as other`,
      `vacuum into '${otherFile}'`,
      'begin immediate',
      'create temp table x (y)',
      'select * from missing',
      'selekt 1',
      'select :a',
      'select ?',
      '',
    ]) {
      const result = await query(workspace, sql);
      expect({ sql, ...result }).toMatchObject({ exitCode: 2, stdout: '' });
    }
    expect(await query(workspace, 'select 1', '--param', 'a=1')).toMatchObject({ exitCode: 2 });
    expect(await query(workspace, 'select 1 /* one */; -- and no more')).toMatchObject({ exitCode: 0 });
    expect(workspace.sql('SELECT count(*) AS count FROM tags')).toEqual(before);
    expect(existsSync(otherFile)).toBe(false);
  });

  test('exits with 5 without a mirror', async () => {
    const result = await query(openWorkspace(), 'select 1', '--json');
    expect(result.exitCode).toBe(5);
    expect(failureOf(result).hint).toContain('boh mirror sync');
  });
});

describe('boh mirror diff', () => {
  test('exits with 10 if a table differs, and with 0 if rows are excluded deliberately', async () => {
    const workspace = await openSyncedWorkspace();
    expect(await workspace.boh('mirror diff')).toMatchObject({ exitCode: 0 });
    workspace.change(
      "UPDATE suppliers SET name = 'x' WHERE id = 'supplier-1'; DELETE FROM customers_tags WHERE customer_id = 'customer-1'",
    );
    const result = await workspace.boh('mirror diff --json');
    expect(result.exitCode).toBe(10);
    const differentTables = JSON.parse(result.stdout).filter(({ same }: { same: boolean }) => !same);
    expect(differentTables).toMatchObject([
      { table: 'customers_tags', account_rows: 78, mirror_rows: 77 },
      { table: 'suppliers', account_rows: 11, mirror_rows: 11 },
    ]);
    await workspace.sync('--full --exclude customers.phone');
    await workspace.boh('mirror forget customers customer-1 --yes');
    expect(await workspace.boh('mirror diff')).toMatchObject({ exitCode: 0 });
  });
});
