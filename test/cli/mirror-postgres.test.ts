import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { noPostgres, type Postgres, startPostgres } from '../harness/postgres.ts';
import { failureOf, runBoh } from '../harness/run-boh.ts';
import { serve } from '../harness/serve.ts';

const folder = mkdtempSync(join(tmpdir(), 'boh-mirror-pg-'));
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));

/** Creates a sandbox and a database for one test. */
async function newDatabase(server: Postgres, name: string) {
  const BOH_MIRROR = await server.createDatabase(name);
  const env = { BOH_CONFIG_DIR: join(folder, name), BOH_MIRROR };
  const boh = (...words: string[]) => runBoh(['--sandbox', ...words], { env });
  return { env, boh, sql: (text: string) => server.query(name, text) };
}

describe.skipIf(noPostgres !== undefined)(
  `a mirror in PostgreSQL${noPostgres ? ` (${noPostgres})` : ''}`,
  () => {
    let server: Postgres;
    beforeAll(async () => {
      server = await startPostgres({ isWatched: true });
    });
    afterAll(() => server?.stop());

    test('mirror sync: matches the account after the first sync and after each change', async () => {
      const { boh, sql } = await newDatabase(server, 'agrees');
      expect(await boh('mirror', 'sync')).toMatchObject({ exitCode: 0 });
      expect(await boh('mirror', 'diff')).toMatchObject({ exitCode: 0 });
      await boh('customers', 'delete', 'customer-1', '--yes');
      await boh('inventory-items', 'update', '@SKU-001', '--cost', '12345678901234.25');
      await boh('suppliers', 'create', '--name', 'Dune');
      expect(await boh('mirror', 'diff')).toMatchObject({ exitCode: 10 });
      const secondSync = await boh('mirror', 'sync', '--json');
      expect(JSON.parse(secondSync.stdout).filter((row: { complete: boolean }) => row.complete)).toEqual([]);
      expect(await boh('mirror', 'diff')).toMatchObject({ exitCode: 0 });
      expect(
        await sql(`SELECT column_name, data_type FROM information_schema.columns
        WHERE table_name = 'inventory_items' AND column_name IN ('cost', 'is_product', 'updated_at', 'costing_method', 'name') ORDER BY 1`),
      ).toEqual([
        { column_name: 'cost', data_type: 'numeric' },
        { column_name: 'costing_method', data_type: 'bigint' },
        { column_name: 'is_product', data_type: 'boolean' },
        { column_name: 'name', data_type: 'text' },
        { column_name: 'updated_at', data_type: 'timestamp with time zone' },
      ]);
      expect(await sql("SELECT cost::text FROM inventory_items WHERE sku = 'SKU-001'")).toEqual([
        { cost: '12345678901234.25' },
      ]);
      expect(await sql("SELECT obj_description('suppliers'::regclass) AS about")).toEqual([
        { about: 'Suppliers of inventory items' },
      ]);
    });

    test('history: follows new entries, outcomes and forgotten ones, and is deleted when excluded', async () => {
      const { boh, sql } = await newDatabase(server, 'follows');
      const sync = async (...flags: string[]) =>
        expect(await boh('mirror', 'sync', '--resource', 'tags', ...flags)).toMatchObject({ exitCode: 0 });
      const numbers = async () =>
        (await sql('SELECT number, is_forgotten FROM history_entries ORDER BY number')).map((row) => [
          Number(row.number),
          row.is_forgotten,
        ]);
      await boh('customers', 'update', 'customer-1', '--phone', '599111222');
      await sync('--history');
      await boh('suppliers', 'update', 'supplier-1', '--phone', '1');
      await sync('--history');
      expect(await numbers()).toEqual([
        [1, false],
        [2, false],
      ]);
      expect(
        await sql("SELECT old_value, new_value FROM history_entries_fields WHERE id = '2/phone'"),
      ).toEqual([{ old_value: null, new_value: '1' }]);
      expect(
        await sql(
          "SELECT data_type FROM information_schema.columns WHERE table_name = 'history_entries' AND column_name = 'at'",
        ),
      ).toEqual([{ data_type: 'timestamp with time zone' }]);
      await boh('history', 'forget', 'customers', 'customer-1', '--yes');
      await sync('--history');
      expect(await numbers()).toEqual([
        [1, true],
        [2, false],
      ]);
      expect(await sql('SELECT id FROM history_entries_fields')).toEqual([{ id: '2/phone' }]);
      await sync('--no-history');
      expect(await numbers()).toEqual([]);
    });

    test('query and list: return rows, and no query can write', async () => {
      const { boh, sql } = await newDatabase(server, 'answers');
      await boh('mirror', 'sync', '--resource', 'tags,customers');
      const result = await boh(
        'mirror',
        'query',
        '/* query of a test */ select name, type, deleted_at from tags where name like :n',
        '--param',
        'n=Reg%',
        '--json',
      );
      expect(JSON.parse(result.stdout)).toEqual([{ name: 'Regular', type: 1, deleted_at: null }]);
      for (const query of [
        'delete from tags',
        'with x as (delete from tags returning 1) select * from x',
        'select 1; delete from tags',
        `copy (select 1) to '${join(folder, 'x')}'`,
        'set transaction read write',
        'select * from missing',
        "select 'x'::int",
      ]) {
        expect({ query, ...(await boh('mirror', 'query', `/* query of a test */ ${query}`)) }).toMatchObject({
          exitCode: 2,
          stdout: '',
        });
      }
      expect(await sql('SELECT count(*)::int AS count FROM tags')).toEqual([{ count: 18 }]);
      const [account, mirror] = [
        await boh('customers', 'list', '-o', 'id'),
        await boh('customers', 'list', '-o', 'id', '--mirror'),
      ];
      expect(mirror.stdout.split('\n').sort()).toEqual(account.stdout.split('\n').sort());
      expect(
        await boh('customers', 'list', '--mirror', '--name', 'huda', '--no-is-blacklisted', '-o', 'id'),
      ).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('customer-1') });
    });

    test('exclude and forget: delete data; a sync adds missing columns; reset deletes the tables', async () => {
      const { boh, sql } = await newDatabase(server, 'keeps');
      await boh('mirror', 'sync', '--resource', 'customers');
      await boh('mirror', 'sync', '--resource', 'customers', '--exclude', 'customers.phone,customers.tags');
      await boh('mirror', 'forget', 'customers', 'customer-1', '--yes');
      await boh('mirror', 'sync', '--resource', 'customers', '--full');
      expect(await sql("SELECT 1 FROM customers WHERE phone IS NOT NULL OR id = 'customer-1'")).toEqual([]);
      expect(await sql('SELECT 1 FROM customers_tags')).toEqual([]);
      await sql(
        'DROP VIEW customers_in_words; ALTER TABLE customers DROP COLUMN gender CASCADE; ALTER TABLE customers ADD COLUMN mine text',
      );
      const upgradeResult = await boh('mirror', 'sync', '--resource', 'customers', '--json');
      expect(JSON.parse(upgradeResult.stdout)).toMatchObject([{ complete: true }]);
      expect(
        (await sql("SELECT 1 FROM customers_in_words WHERE gender_word = 'female'")).length,
      ).toBeGreaterThan(0);
      await sql('DROP TABLE customers, customers_tags CASCADE');
      expect(await boh('mirror', 'forget', 'suppliers', 'none', '--yes')).toMatchObject({ exitCode: 0 });
      expect(await boh('mirror', 'sync', '--resource', 'customers')).toMatchObject({ exitCode: 0 });
      expect(await boh('mirror', 'diff', '--resource', 'customers')).toMatchObject({ exitCode: 0 });
      expect(await boh('mirror', 'reset', '--yes')).toMatchObject({ exitCode: 0 });
      expect(await boh('mirror', 'status')).toMatchObject({ exitCode: 5 });
    });

    test('first sync of a list that contains a record twice: keeps the last version', async () => {
      const { env, sql } = await newDatabase(server, 'twice');
      const optionLists = { products: [], branches: [], ingredients: [], tax_group: null };
      const common = { updated_at: '2026-01-01 00:00:00', deleted_at: null, products: [] };
      const modifier = (id: string, name: string) => ({
        ...{ id, name, ...common },
        options: [{ id: 'one-option', name: `of ${name}`, ...optionLists }],
      });
      const page = (number: number) => ({
        data: Array.from({ length: 300 }, (_, index) => modifier(`m${number}-${index}`, `M${index}`)),
        meta: { current_page: number, last_page: 2, per_page: 300, total: 600 },
      });
      const request = 'GET /modifiers?filter[is_deleted]=true&include=products,options,options.tax_group';
      const service = await serve({
        'GET /whoami': { data: { user: { id: 'u' }, business: { id: 'b' } } },
        'GET /modifiers': { data: [], meta: { last_page: 1, total: 0 } },
        [request]: page(1),
        [`${request}&page=2`]: page(2),
      });
      onTestFinished(() => service.close());
      const result = await runBoh(['mirror', 'sync', '--resource', 'modifiers'], {
        env: { ...env, BOH_BASE_URL: service.baseUrl, BOH_TOKEN: 'a-token-of-a-test' },
      });
      expect(result).toMatchObject({ exitCode: 0 });
      expect(await sql('SELECT modifier_id FROM modifiers_options')).toEqual([{ modifier_id: 'm2-299' }]);
      expect(await sql('SELECT count(*)::int AS count FROM modifiers')).toEqual([{ count: 600 }]);
    });

    test('transaction conflict: is retried, and nothing is counted twice', async () => {
      const { boh, sql } = await newDatabase(server, 'again');
      await boh('mirror', 'sync', '--resource', 'tags');
      // Fails three times with the error that engines report for conflicting transactions.
      await sql(`CREATE SEQUENCE tries;
        CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          IF nextval('tries') <= 3 THEN RAISE EXCEPTION 'conflict' USING ERRCODE = '40001'; END IF;
          RETURN NEW;
        END $$;
        CREATE TRIGGER refuse BEFORE UPDATE ON tags FOR EACH STATEMENT EXECUTE FUNCTION refuse()`);
      expect(await boh('mirror', 'sync', '--resource', 'tags', '--full')).toMatchObject({ exitCode: 0 });
      expect(
        await sql('SELECT last_value > 3 AS retried, (SELECT count(*)::int FROM tags) AS count FROM tries'),
      ).toEqual([{ retried: true, count: 18 }]);
      expect(await boh('mirror', 'diff', '--resource', 'tags')).toMatchObject({ exitCode: 0 });
    });

    test('sync: reports foreign tables, another version, a constraint and a missing permission', async () => {
      const { env, boh, sql } = await newDatabase(server, 'others');
      await sql('CREATE TABLE customers (id int)');
      expect(await boh('mirror', 'sync')).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining('customers'),
      });
      await sql('DROP TABLE customers CASCADE');
      await boh('mirror', 'sync', '--resource', 'tags');
      await sql('ALTER TABLE tags ADD CONSTRAINT mine CHECK (length(name) < 0) NOT VALID');
      expect(await boh('mirror', 'sync', '--resource', 'tags', '--full')).toMatchObject({
        exitCode: 8,
        stderr: expect.stringContaining('mine'),
      });
      await sql('ALTER TABLE tags DROP CONSTRAINT mine');
      expect(await boh('mirror', 'sync', '--resource', 'tags', '--full')).toMatchObject({ exitCode: 0 });
      await sql('CREATE ROLE reader LOGIN');
      const readerUrl = env.BOH_MIRROR.replace('mirror@', 'reader@');
      expect(
        await runBoh(['--sandbox', 'mirror', 'sync'], { env: { ...env, BOH_MIRROR: readerUrl } }),
      ).toMatchObject({ exitCode: 8 });
      await sql("UPDATE mirror_facts SET value = '2' WHERE id = 'version'");
      expect(await boh('mirror', 'sync')).toMatchObject({
        exitCode: 8,
        stderr: expect.stringContaining('another version of boh'),
      });
      expect(await boh('mirror', 'status')).toMatchObject({ exitCode: 8 });
      const unreachableEnv = { ...env, BOH_MIRROR: 'postgres://mirror:a-secret-word@127.0.0.1:1/none' };
      const result = await runBoh(['--sandbox', 'mirror', 'sync', '--json'], { env: unreachableEnv });
      expect(result.exitCode).toBe(8);
      expect(result.stderr).not.toContain('a-secret-word');
    });

    test('SQL statements: have only forms that all supported engines accept', () => {
      const statements = server.statements();
      expect(statements.length).toBeGreaterThan(500);
      const unknownStatements = statements.filter(
        (statement) => !allowedStatements.some((pattern) => pattern.test(statement)),
      );
      // Excludes the queries of the tests above.
      expect(unknownStatements.filter((statement) => !queryStatement.test(statement))).toEqual([]);
      const rows = statements.map((statement) =>
        statement.startsWith('INSERT') ? (statement.match(/\), \(/g) ?? []).length + 1 : 0,
      );
      expect(Math.max(...rows)).toBeLessThanOrEqual(500);
      // Statements that create or change a table run outside of transactions.
      let isInside = false;
      for (const statement of statements) {
        if (/^BEGIN/.test(statement)) isInside = true;
        if (/^(COMMIT|ROLLBACK)$/.test(statement)) isInside = false;
        expect(
          isInside && /^(CREATE|ALTER|DROP|COMMENT)/.test(statement) ? statement : undefined,
        ).toBeUndefined();
      }
    });
  },
);

const [name, type] = ['"\\w+"', '(?:text|bigint|numeric|boolean|timestamptz)'];
const columnPattern = '"?\\w+"?';
const placeholders = '\\((?:\\$\\d+(?:, )?)+\\)';

/** Matches the queries of these tests, which run directly or through a cursor. */
const queryStatement =
  /^(?:DECLARE boh_query NO SCROLL CURSOR FOR )?\/\* query of a test \*\/|^FETCH 1000 FROM boh_query$/;

/** Patterns of all statements that a mirror in a database may use. */
const allowedStatements = [
  `BEGIN(?: TRANSACTION(?: ISOLATION LEVEL REPEATABLE READ,)? READ ONLY)?|COMMIT|ROLLBACK|SET TIME ZONE 'UTC'`,
  `CREATE TABLE IF NOT EXISTS ${name} \\( (?:${name} ${type}(?: NOT NULL PRIMARY KEY)?,? )+\\)`,
  `ALTER TABLE ${name} ADD COLUMN ${name} ${type}`,
  `CREATE INDEX IF NOT EXISTS ${name} ON ${name} \\(${name}\\)`,
  `CREATE VIEW ${name} AS SELECT .*|DROP (?:VIEW|TABLE) IF EXISTS ${name}`,
  // An engine without advisory locks fails here, and is locked on this machine only.
  `SELECT pg_(?:try_advisory_lock|advisory_unlock)\\(\\$1, \\$2\\)(?: AS is_held)?`,
  `COMMENT ON (?:TABLE|COLUMN) ${name}(?:\\.${name})? IS '.*'`,
  `INSERT INTO ${name} \\((?:${name}(?:, )?)+\\) VALUES ${placeholders}(?:, ${placeholders})*(?: ON CONFLICT \\("id"\\) DO UPDATE SET (?:${name} = (?:excluded\\.${name}|coalesce\\([\\w".]+, [\\w".]+\\))(?:, )?)+)?`,
  `DELETE FROM ${name}(?: WHERE ${name} IN ${placeholders})?|UPDATE ${name} SET (?:${name} = NULL(?:, )?)+`,
  `SELECT (?:\\*|count\\(\\*\\) AS count|${columnPattern}(?:, ${columnPattern})*) FROM (?:${name}|pg_indexes|information_schema\\.columns)(?:\\s+WHERE .*)?(?: ORDER BY .*)?(?: LIMIT \\$\\d+)?`,
].map((pattern) => new RegExp(`^(?:${pattern})$`, 's'));

test('mirror sync --to: refuses a URL with a password, and a URL without server verification', async () => {
  const env = { BOH_CONFIG_DIR: join(folder, 'urls') };
  for (const [url, fragment] of [
    ['postgres://me:a-secret-word@db.example.com/boh', 'password'],
    ['postgres://me@db.example.com/boh?sslmode=require', 'verify-full'],
    ['postgres://me@db.example.com/boh?sslmode=disable', 'verify-full'],
    ['postgres://me@db.example.com/boh?options=x', 'options'],
    ['postgres://me@db.example.com', 'database'],
    ['postgres://', 'database'],
    ['postgres://a b@[x/y', 'valid PostgreSQL URL'],
    ['mysql://me@db.example.com/boh', 'SQLite path'],
  ]) {
    const result = await runBoh(['--sandbox', 'mirror', 'sync', '--to', url ?? '', '--json'], { env });
    expect({ url, ...result }).toMatchObject({ exitCode: 2 });
    expect(failureOf(result).message).toContain(fragment);
    expect(result.stderr).not.toContain('a-secret-word');
  }
});
