import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { failureOf, runBoh } from '../harness/run-boh.ts';
import { type MirrorPlace, openPlace, synced } from './mirroring.ts';

function query(place: MirrorPlace, sql: string, ...more: string[]) {
  return runBoh(['mirror', 'query', sql, ...more], { env: place.env });
}

describe('boh mirror query', () => {
  test('prints results in every format, with named and positional parameters', async () => {
    const place = await synced('--resource tags,customers');
    const named = await query(
      place,
      'select name, type from tags where name like :start and type = :type',
      '--param',
      'start=R%',
      '--param',
      'type=1',
      '-o',
      'csv',
    );
    expect(named).toMatchObject({ exitCode: 0, stdout: 'name,type\r\nRegular,1\r\n' });
    const placed = await query(
      place,
      "select ? as n, ? as t, ':x' as text -- :y",
      '5',
      '0551',
      '-o',
      'ndjson',
    );
    expect(placed.stdout).toBe('{"n":5,"t":"0551","text":":x"}\n');
    const remarked = await query(place, '-- how many\nselect count(*) as count from tags', '-o', 'ndjson');
    expect(remarked).toMatchObject({ exitCode: 0, stdout: '{"count":18}\n' });
    const joined = await query(
      place,
      'select t.id, l.id from tags t join customers_tags l on l.tag_id = t.id limit 1',
      '--json',
    );
    expect(Object.keys(JSON.parse(joined.stdout)[0])).toEqual(['id', 'id_2']);
    for (const format of ['table', 'json', 'yaml', 'id']) {
      expect(await query(place, 'select id, name from tags', '-o', format)).toMatchObject({ exitCode: 0 });
    }
    expect(await query(place, 'select id from tags where 0', '-o', 'json')).toMatchObject({ stdout: '[]\n' });
  });

  test('warns about lists that were never read completely, with the command that reads them', async () => {
    const place = await synced('--resource tags');
    const warned = await query(
      place,
      'select count(*) as n from customers c join customers_tags t using (id)',
      '-o',
      'json',
    );
    expect(warned).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('"n": 0') });
    expect(warned.stderr).toContain(
      'warning: The mirror has no complete list of customers yet, so the result may be incomplete. To read them: boh mirror sync --resource customers',
    );
    const file = join(place.folder, 'other.sqlite');
    await place.boh(`mirror sync --resource tags --to sqlite:${file}`);
    const other = await query(place, 'select 1 from inventory_counts_in_words', '--to', `sqlite:${file}`);
    expect(other.stderr).toContain(`boh mirror sync --to sqlite:${file} --resource inventory-counts`);
    for (const sql of ['select name from tags', "select 'customers' as what", 'select 1 as one'])
      expect((await query(place, sql)).stderr).toBe('');
  });

  test('compares digits in a text column with a number', async () => {
    const place = await synced('--resource customers');
    const [row] = place.sql("SELECT phone FROM customers WHERE phone LIKE '5%' LIMIT 1");
    const sql = 'select count(*) as count, typeof(:phone) as type from customers where phone = :phone';
    const found = await query(place, sql, '--param', `phone=${row?.phone}`, '-o', 'ndjson');
    expect(found.stdout).toBe('{"count":1,"type":"integer"}\n');
  });

  test("reports a value that is longer than SQLite's limit", async () => {
    const place = await synced('--resource tags');
    for (const sql of ["select printf('%.*c', 600000000, 'x')", 'select zeroblob(300000000)']) {
      const ran = await query(place, sql);
      expect({ sql, ...failureOf(ran) }).toMatchObject({ category: 'usage', exit_code: 2 });
      expect(ran.stderr).toContain('has a value that is too long');
    }
  });

  test('refuses anything other than a single query, and changes nothing', async () => {
    const place = await synced('--resource tags');
    const elsewhere = join(place.folder, 'elsewhere.sqlite');
    const before = place.sql('SELECT count(*) AS count FROM tags');
    for (const sql of [
      'delete from tags',
      'with x as (select 1) delete from tags',
      "update tags set name = 'x'",
      'drop table tags',
      'select 1; select 2',
      'select 1; delete from tags',
      'pragma user_version = 9',
      'pragma query_only = off',
      `attach '${elsewhere}' as other`,
      `vacuum into '${elsewhere}'`,
      'begin immediate',
      'create temp table x (y)',
      'select * from nix',
      'selekt 1',
      'select :a',
      'select ?',
      '',
    ]) {
      const ran = await query(place, sql);
      expect({ sql, ...ran }).toMatchObject({ exitCode: 2, stdout: '' });
    }
    expect(await query(place, 'select 1', '--param', 'a=1')).toMatchObject({ exitCode: 2 });
    expect(await query(place, 'select 1 /* one */; -- and no more')).toMatchObject({ exitCode: 0 });
    expect(place.sql('SELECT count(*) AS count FROM tags')).toEqual(before);
    expect(existsSync(elsewhere)).toBe(false);
  });

  test('fails without a mirror', async () => {
    const ran = await query(openPlace(), 'select 1', '--json');
    expect(ran.exitCode).toBe(5);
    expect(failureOf(ran).hint).toContain('boh mirror sync');
  });
});

describe('boh mirror diff', () => {
  test('exits with 10 if a table differs, and with 0 if rows are excluded deliberately', async () => {
    const place = await synced();
    expect(await place.boh('mirror diff')).toMatchObject({ exitCode: 0 });
    place.change(
      "UPDATE suppliers SET name = 'x' WHERE id = 'supplier-1'; DELETE FROM customers_tags WHERE customer_id = 'customer-1'",
    );
    const ran = await place.boh('mirror diff --json');
    expect(ran.exitCode).toBe(10);
    const different = JSON.parse(ran.stdout).filter(({ same }: { same: boolean }) => !same);
    expect(different).toMatchObject([
      { table: 'customers_tags', account_rows: 78, mirror_rows: 77 },
      { table: 'suppliers', account_rows: 11, mirror_rows: 11 },
    ]);
    await place.sync('--full --exclude customers.phone');
    await place.boh('mirror forget customers customer-1 --yes');
    expect(await place.boh('mirror diff')).toMatchObject({ exitCode: 0 });
  });
});
