/** Runs the same queries in SQLite and in PostgreSQL: amounts, levels, booleans, times and NULL have the same results. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { noPostgres, type Postgres, startPostgres } from '../harness/postgres.ts';
import { type BohResult, runBoh } from '../harness/run-boh.ts';

/** Amounts as text. The JSON is built from text, because JavaScript would round some of them. */
const amounts = [
  ...['9', '10', '5', '50', '100.5', '1e2', '0', '-3', '12.50', '0.1', '0.2', '7.2999999999999998'],
  ...['7.3', '12345678901234.25', '0.00000015', 'null'],
];
const levels = ['"9"', '"10"', '"100"', '"2.50"', '"0"', '"-1"', 'null', '"1000000"'];

const items = amounts.map((cost, index) => {
  const level = levels[index % levels.length];
  const day = String((index % 28) + 1).padStart(2, '0');
  return `{"id":"i${index}","name":"${index % 3 === 0 ? 'élan' : 'Zinc'} ${index}","sku":"S${String(index).padStart(2, '0')}",
    "cost":${cost},"minimum_level":${level},"par_level":${levels[(index + 3) % levels.length]},"is_product":${index % 2 === 0},
    "category":null,"tags":[],"branches":[],"ingredients":[],"suppliers":[],
    "storage_to_ingredient_factor":${index === 3 ? 'null' : '1000'},
    "created_at":"2026-10-${day} 08:00:00","updated_at":"2026-11-01 08:00:00","deleted_at":null}`;
});
const body = `{"data":[${items.join(',')}],"meta":{"total":${items.length},"last_page":1,"per_page":50}}`;

const server = createServer((request, response) => {
  const path = String(request.url).split('?')[0];
  response.setHeader('content-type', 'application/json');
  if (path === '/whoami')
    return response.end('{"data":{"business":{"id":"b","name":"B"},"user":{"id":"u"},"scopes":[]}}');
  const isDeleted = String(request.url).includes('is_deleted');
  const emptyPage = '{"data":[],"meta":{"total":0,"last_page":1,"per_page":50}}';
  response.end(path === '/inventory_items' && !isDeleted ? body : emptyPage);
});

const folder = mkdtempSync(join(tmpdir(), 'boh-engines-'));
const file = join(folder, 'mirror.sqlite');
let postgres: Postgres | undefined;
let urls: Record<'sqlite' | 'postgres', string>;

function boh(engine: 'sqlite' | 'postgres', ...words: string[]): Promise<BohResult> {
  const { port } = server.address() as AddressInfo;
  const env = {
    BOH_CONFIG_DIR: join(folder, 'config'),
    BOH_BASE_URL: `http://127.0.0.1:${port}`,
    BOH_TOKEN: 'token',
    BOH_MIRROR: urls[engine],
  };
  return runBoh(words, { env });
}

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  if (!noPostgres) postgres = await startPostgres();
  urls = { sqlite: `sqlite:${file}`, postgres: (await postgres?.createDatabase('engines')) ?? '' };
  for (const engine of postgres ? (['sqlite', 'postgres'] as const) : (['sqlite'] as const)) {
    const syncResult = await boh(engine, 'mirror', 'sync', '--resource', 'inventory-items');
    if (syncResult.exitCode !== 0) throw new Error(syncResult.stderr);
  }
});
afterAll(async () => {
  server.close();
  server.closeAllConnections();
  await postgres?.stop();
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
});

const queries = [
  'select sku from inventory_items where cost > 50 order by sku',
  'select sku from inventory_items where cost >= 9 and cost < 100 order by sku',
  'select sku from inventory_items where cost between 5 and 12.5 order by sku',
  'select sku from inventory_items where cost = 12.5 or cost = 100 order by sku',
  'select sku from inventory_items where cost in (9, 10, 50) order by sku',
  'select sku from inventory_items where cost is null',
  'select sku from inventory_items where not (cost > 50) order by sku',
  'select sku, cost from inventory_items where cost <> 7.2999999999999998 and cost <> 7.3 order by cost, sku',
  'select sku, cost from inventory_items where cost < 7 order by cost desc nulls last, sku',
  'select count(cost) as n, sum(cost) as total, min(cost) as low, max(cost) as high from inventory_items where cost < 1000',
  'select avg(cost) as mean from inventory_items where cost < 1000',
  'select sum(cost) as total from inventory_items where cost in (0.1, 0.2)',
  'select sku, cost / 2 as half, cost * 3 as triple, cost - 0.1 as less from inventory_items where cost in (5, 9, 0.1) order by sku',
  'select sku, cost / storage_to_ingredient_factor as unit from inventory_items where cost < 100 order by sku',
  'select sku, minimum_level from inventory_items where minimum_level < 10 order by minimum_level, sku',
  'select sku from inventory_items where minimum_level > par_level order by sku',
  'select max(minimum_level) as high, sum(minimum_level) as total from inventory_items',
  'select minimum_level, count(*) as n from inventory_items where minimum_level is not null group by minimum_level order by minimum_level',
  'select sku from inventory_items where is_product order by sku',
  'select sku from inventory_items where is_product = false and cost > 9 order by sku',
  'select count(*) as n from inventory_items where is_product is true',
  "select sku from inventory_items where created_at >= '2026-10-05 08:00:00' and created_at < '2026-10-08' order by created_at",
  'select sku, created_at from inventory_items order by created_at desc limit 3',
  'select cast(cost as numeric) * 2 as twice from inventory_items where cost in (5, 12.5) order by cost',
  'select coalesce(cost, -1) as cost from inventory_items where cost is null',
  'select round(cost) as rounded from inventory_items where cost in (100.5, 0.2) order by cost',
];

describe.skipIf(noPostgres !== undefined)(
  `mirror in both engines${noPostgres ? ` (${noPostgres})` : ''}`,
  () => {
    test.each(queries)('mirror query: returns the same rows for %s', async (query) => {
      const [sqliteResult, postgresResult] = [
        await boh('sqlite', 'mirror', 'query', query, '--json'),
        await boh('postgres', 'mirror', 'query', query, '--json'),
      ];
      expect(sqliteResult).toMatchObject({ exitCode: 0, stderr: '' });
      expect(JSON.parse(sqliteResult.stdout)).toEqual(JSON.parse(postgresResult.stdout));
      expect(JSON.parse(sqliteResult.stdout).length).toBeGreaterThan(0);
    });

    test.each(['10', '12.5', '0.15'])('mirror query --param %s: returns the same rows', async (amount) => {
      const query = 'select sku from inventory_items where cost * 2 > :amount order by sku';
      const queryAmount = (engine: 'sqlite' | 'postgres') =>
        boh(engine, 'mirror', 'query', query, '--param', `amount=${amount}`, '--json');
      expect(JSON.parse((await queryAmount('sqlite')).stdout)).toEqual(
        JSON.parse((await queryAmount('postgres')).stdout),
      );
    });

    test('amounts: compare as numbers above 50, and keep digits that a double would round', async () => {
      const { stdout } = await boh(
        'sqlite',
        'mirror',
        'query',
        'select count(*) as n from inventory_items where cost > 50',
        '--json',
      );
      expect(JSON.parse(stdout)).toEqual([{ n: 3 }]);
      const database = new DatabaseSync(file, { readOnly: true });
      const statement = database.prepare('select cost, exact_numbers from inventory_items where id = ?');
      expect(statement.get('i11')).toEqual({
        cost: 7.3,
        exact_numbers: '{"minimum_level":"2.50","cost":"7.2999999999999998"}',
      });
      expect(statement.get('i13')).toEqual({ cost: 12345678901234.25, exact_numbers: null });
      database.close();
    });

    test('list --mirror: sorts, filters and prints the same as the account, with all digits', async () => {
      const account = JSON.parse((await boh('sqlite', 'inventory-items', 'list', '--all', '--json')).stdout);
      const costs = /"cost": ([^,\n]+)/g;
      for (const flags of [
        [],
        ['--sort', 'cost'],
        ['--sort', '-minimum_level'],
        ['--sort', 'minimum_level'],
        ['--sort', 'name'],
        ['--sort', '-par_level'],
      ]) {
        const list = (engine: 'sqlite' | 'postgres') =>
          boh(engine, 'inventory-items', 'list', '--mirror', '--all', '--json', '--unchecked', ...flags);
        const [sqliteResult, postgresResult] = [await list('sqlite'), await list('postgres')];
        expect(sqliteResult.exitCode).toBe(0);
        expect({ flags, stdout: sqliteResult.stdout }).toEqual({ flags, stdout: postgresResult.stdout });
        expect(JSON.parse(sqliteResult.stdout)).toHaveLength(account.length);
      }
      const costsIn = (text: string) => [...text.matchAll(costs)].map(([, digits]) => digits).sort();
      const [accountList, mirrorList] = [
        await boh('sqlite', 'inventory-items', 'list', '--all', '--json'),
        await boh('sqlite', 'inventory-items', 'list', '--mirror', '--all', '--json'),
      ];
      expect(costsIn(mirrorList.stdout)).toEqual(costsIn(accountList.stdout));
      const levelsIn = (text: string) =>
        JSON.parse(text)
          .map((row: Record<string, unknown>) => row.minimum_level)
          .sort();
      expect(levelsIn(mirrorList.stdout)).toEqual(levelsIn(accountList.stdout));
    });

    test('mirror diff: finds no differences from the account', async () => {
      for (const engine of ['sqlite', 'postgres'] as const)
        expect(await boh(engine, 'mirror', 'diff', '--resource', 'inventory-items')).toMatchObject({
          exitCode: 0,
        });
    });
  },
);

test('SQLite file: other programs read amounts as numbers', () => {
  const script = `import sqlite3, sys
rows = sqlite3.connect(sys.argv[1]).execute('select cost from inventory_items where cost > 50 order by cost').fetchall()
print([type(cost).__name__ for (cost,) in rows], [cost for (cost,) in rows])`;
  const output = execFileSync('python3', ['-c', script, file], { encoding: 'utf8' });
  expect(output.trim()).toBe("['float', 'float', 'float'] [100.0, 100.5, 12345678901234.25]");
});
