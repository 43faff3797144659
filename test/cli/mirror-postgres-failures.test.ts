/** Checks the messages and the remaining data when a database is unreachable, refuses access or disconnects. */
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { noPostgres, type Postgres, startPostgres } from '../harness/postgres.ts';
import { failureOf, runBoh } from '../harness/run-boh.ts';
import { serve } from '../harness/serve.ts';
import { startBoh } from '../harness/start-boh.ts';

const folder = mkdtempSync(join(tmpdir(), 'boh-mirror-failures-'));
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));

describe.skipIf(noPostgres !== undefined)(
  `a mirror in PostgreSQL${noPostgres ? ` (${noPostgres})` : ''}`,
  () => {
    let server: Postgres;
    beforeAll(async () => {
      server = await startPostgres();
    });
    afterAll(() => server?.stop());

    test('mirror status with an unreachable or unreadable database: the hint names what to check', async () => {
      const databaseUrl = await server.createDatabase('hints');
      const status = async (url: string) => {
        const env = { BOH_CONFIG_DIR: join(folder, 'hints'), BOH_MIRROR: url };
        const result = await runBoh(['--sandbox', 'mirror', 'status', '--json'], { env });
        return { exitCode: result.exitCode, hint: failureOf(result).hint };
      };
      await server.query('hints', 'CREATE ROLE reader LOGIN');
      for (const [url, exitCode, hint] of [
        [databaseUrl, 5, 'boh --sandbox mirror sync'],
        [databaseUrl.replace('mirror@', 'reader@'), 5, 'may not read it'],
        [databaseUrl.replace('mirror@', 'no_such_user@'), 8, 'user'],
        [databaseUrl.replace('/hints', '/none'), 8, 'createdb'],
        ['postgres://mirror@/none?host=/nowhere', 8, 'server is running'],
        ['postgres://mirror@127.0.0.1:1/none', 8, 'server is running'],
      ] as const) {
        expect({ url, ...(await status(url)) }).toMatchObject({
          exitCode,
          hint: expect.stringContaining(hint),
        });
      }
    });

    test('first mirror sync: needs fewer round trips than it creates tables', async () => {
      const databaseUrl = await server.createDatabase('far');
      const serverFolder = decodeURIComponent(databaseUrl.split('host=')[1] ?? '');
      const proxyFolder = mkdtempSync(join(folder, 'far-'));
      const socket = '.s.PGSQL.5432';
      let [roundTrips, hasResponded] = [0, true];
      const proxy = createServer((client) => {
        const upstream = connect(join(serverFolder, socket));
        client.on('data', () => {
          if (hasResponded) roundTrips++;
          hasResponded = false;
        });
        upstream.on('data', () => {
          hasResponded = true;
        });
        for (const end of [client, upstream]) end.on('error', () => {});
        client.pipe(upstream).pipe(client);
      });
      await new Promise<void>((resolve) => proxy.listen(join(proxyFolder, socket), resolve));
      onTestFinished(() => void proxy.close());
      const env = {
        BOH_CONFIG_DIR: join(folder, 'far'),
        BOH_MIRROR: `${databaseUrl.split('host=')[0]}host=${encodeURIComponent(proxyFolder)}`,
      };
      expect(await runBoh(['--sandbox', 'mirror', 'sync', '--resource', 'tags'], { env })).toMatchObject({
        exitCode: 0,
      });
      const tables = await server.query('far', "SELECT 1 FROM pg_tables WHERE schemaname = 'public'");
      expect(tables.length).toBeGreaterThanOrEqual(70);
      expect(roundTrips).toBeLessThan(tables.length);
    });

    test('mirror query: prints the first rows before the last are read, and ends at a signal', async () => {
      const env = { BOH_CONFIG_DIR: join(folder, 'rows'), BOH_MIRROR: await server.createDatabase('rows') };
      await runBoh(['--sandbox', 'mirror', 'sync', '--resource', 'tags'], { env });
      const query = (sql: string) => ['--sandbox', 'mirror', 'query', sql, '-o', 'csv'];
      const running = startBoh(query('select generate_series(1, 1e12::bigint) as n'), env);
      await running.waitForStdout(/\n2500\r\n/);
      running.kill('SIGINT');
      expect(await running.ended).toMatchObject({ exitCode: 130 });
      // Statements without a cursor have results too, and errors are reported.
      for (const [sql, exitCode, stdout] of [
        ['show timezone', 0, 'UTC'],
        ['explain select 1', 0, 'Result'],
        ['values (1), (2)', 0, '2'],
        ['select 1 / (2500 - n) from generate_series(1, 3000) n', 2, '0'],
        ['select 1; select 2', 2, ''],
        ['with deleted as (delete from tags returning 1) select * from deleted', 2, ''],
      ] as const) {
        expect({ sql, ...(await runBoh(query(sql), { env })) }).toMatchObject({
          exitCode,
          stdout: expect.stringContaining(stdout),
        });
      }
      const count = await runBoh(query('select count(*) from tags'), { env });
      expect(count.stdout).toBe('count\r\n18\r\n');
    });

    test('mirror sync when its connection is cut at any statement: keeps committed rows, and the next sync continues', async () => {
      const databaseUrl = await server.createDatabase('cut');
      const sql = (text: string) => server.query('cut', text);
      const supplier = (index: number) => ({
        id: `s${index}`,
        name: `S${index}`,
        updated_at: '2026-01-01 00:00:00',
        items: [{ id: `i${index % 7}`, pivot: { cost: index } }],
        tags: [],
      });
      const listResponse = {
        data: Array.from({ length: 40 }, (_, index) => supplier(index)),
        meta: { last_page: 1, total: 40 },
      };
      const service = await serve({
        'GET /whoami': { data: { user: { id: 'u' }, business: { id: 'b' } } },
        'GET /suppliers': listResponse,
      });
      onTestFinished(() => service.close());
      const env = {
        BOH_CONFIG_DIR: join(folder, 'cut'),
        BOH_MIRROR: databaseUrl,
        BOH_BASE_URL: service.baseUrl,
        BOH_TOKEN: 'a-token-of-a-test',
      };
      const boh = (line: string) =>
        runBoh([...line.split(' '), '--resource', 'suppliers', '--json'], { env });
      await boh('mirror sync');
      // The trigger ends the connection at every 131st written row.
      await sql(`CREATE SEQUENCE written;
        CREATE FUNCTION cut() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          IF nextval('written') % 131 = 0 THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF;
          RETURN NEW;
        END $$;
        CREATE TRIGGER cut BEFORE INSERT ON suppliers_items FOR EACH ROW EXECUTE FUNCTION cut()`);
      const exitCodes = [];
      for (let count = 0; count < 4; count++) {
        const result = await boh('mirror sync --full');
        exitCodes.push(result.exitCode);
        if (result.exitCode !== 0) expect(failureOf(result).message).toContain("can't be used");
        expect(await sql('SELECT count(*)::int AS count FROM suppliers_items')).toEqual([{ count: 40 }]);
      }
      expect(new Set(exitCodes)).toEqual(new Set([0, 8]));
      await sql('DROP TRIGGER cut ON suppliers_items');
      expect(await boh('mirror sync')).toMatchObject({ exitCode: 0 });
      expect(await boh('mirror diff')).toMatchObject({ exitCode: 0 });
    });
  },
);
