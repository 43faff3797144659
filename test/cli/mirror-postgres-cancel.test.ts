/** Ends queries of a mirror in PostgreSQL on the client, and checks that the server ends them too. */
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { cancelStatement } from '../../src/engine/mirror/stores/postgres-connection.ts';
import { createCertificates, hasOpenssl } from '../client/certificates.ts';
import { noPostgres, type Postgres, startPostgres } from '../harness/postgres.ts';
import { runBoh } from '../harness/run-boh.ts';
import { startBoh } from '../harness/start-boh.ts';

const folder = mkdtempSync(join(tmpdir(), 'boh-cancel-'));
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));

describe.skipIf(noPostgres !== undefined)(
  `a mirror in PostgreSQL${noPostgres ? ` (${noPostgres})` : ''}`,
  () => {
    let server: Postgres;
    let env: { BOH_CONFIG_DIR: string; BOH_MIRROR: string };
    const sql = (text: string) => server.query('mirrored', text);
    const boh = (...words: string[]) => runBoh(['--sandbox', ...words], { env });

    /** Returns the statements that the server executes for boh. */
    const activeStatements = () =>
      sql(`SELECT query FROM pg_stat_activity WHERE application_name = 'boh' AND state = 'active'`);
    const waitUntil = async (isDone: (count: number) => boolean) => {
      while (!isDone((await activeStatements()).length))
        await new Promise((resolve) => setTimeout(resolve, 20));
    };

    beforeAll(async () => {
      server = await startPostgres();
      env = { BOH_CONFIG_DIR: folder, BOH_MIRROR: await server.createDatabase('mirrored') };
      expect(await boh('mirror', 'sync', '--resource', 'tags')).toMatchObject({ exitCode: 0 });
    });
    afterAll(() => server?.stop());

    test.each([
      ['a query with a cursor', 'SELECT pg_sleep(600)'],
      ['a query that waits between rows', 'SELECT n, pg_sleep(n * 0.5) FROM generate_series(0, 1000) AS n'],
      ['a query without a cursor', 'EXPLAIN ANALYZE SELECT pg_sleep(600)'],
    ])('%s: ends at Ctrl-C, also on the server', async (_, query) => {
      const run = startBoh(['--sandbox', 'mirror', 'query', query], env);
      await waitUntil((count) => count > 0);
      run.kill('SIGINT');
      expect(await run.ended).toMatchObject({
        exitCode: 130,
        stderr: expect.stringContaining('Interrupted.'),
      });
      await waitUntil((count) => count === 0);
    });

    test('a query past its --deadline: ends with exit code 8, also on the server', async () => {
      const result = await boh('mirror', 'query', 'SELECT pg_sleep(600)', '--deadline', '1');
      expect([result.exitCode, result.stderr]).toEqual([
        8,
        expect.stringContaining('within its deadline of 1 s'),
      ]);
      await waitUntil((count) => count === 0);
    });

    test('a sync that waits for a lock: ends at Ctrl-C, also on the server, and changes no row', async () => {
      const before = await sql('SELECT id, name FROM tags ORDER BY id');
      await boh('tags', 'create', '--name', 'Canceled', '--type', 'customer');
      const blocker = server.query(
        'mirrored',
        'BEGIN; LOCK TABLE tags IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(600); COMMIT',
      );
      const isLocked = async () =>
        (
          await sql(
            `SELECT 1 FROM pg_locks WHERE relation = 'tags'::regclass AND mode = 'AccessExclusiveLock' AND granted`,
          )
        ).length > 0;
      while (!(await isLocked())) await new Promise((resolve) => setTimeout(resolve, 20));
      const run = startBoh(['--sandbox', 'mirror', 'sync', '--resource', 'tags'], env);
      await waitUntil((count) => count > 0);
      run.kill('SIGTERM');
      expect(await run.ended).toMatchObject({ exitCode: 143 });
      await waitUntil((count) => count === 0);
      const blockerCanceled = expect(blocker).rejects.toThrow('canceling statement');
      await sql("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query LIKE 'BEGIN; LOCK%'");
      await blockerCanceled;
      expect(await sql('SELECT id, name FROM tags ORDER BY id')).toEqual(before);
      expect(await boh('mirror', 'sync', '--resource', 'tags')).toMatchObject({ exitCode: 0 });
    });
  },
);

/** The bytes of these two messages, in hexadecimal, as PostgreSQL's documentation defines them. */
const [sslRequest, cancelRequest] = ['0000000804d2162f', '0000001004d2162e0000002a00000007'];

describe.skipIf(!hasOpenssl())('cancel request to a remote database (needs openssl)', () => {
  test.each([
    ['a valid certificate: is sent over TLS only', 'valid', [sslRequest, cancelRequest]],
    ['a certificate of another host: is not sent', 'otherHost', [sslRequest]],
  ] as const)('with %s', async (_, name, expected) => {
    const certificates = createCertificates();
    onTestFinished(() => certificates.remove());
    const received: string[] = [];
    const connectionClosed = Promise.withResolvers<void>();
    const server = createServer((socket) => {
      socket.on('error', () => {}).on('close', () => connectionClosed.resolve());
      socket.once('data', (chunk) => {
        received.push(chunk.toString('hex'));
        socket.write('S');
        const secureSocket = new TLSSocket(socket, { isServer: true, ...certificates[name] });
        secureSocket.on('data', (bytes) => received.push(bytes.toString('hex'))).on('error', () => {});
        secureSocket.on('end', () => secureSocket.end());
      });
    });
    await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const backend = { processID: 42, secretKey: 7 };
    cancelStatement({ host: 'localhost', port, isLocal: false }, backend, { ca: certificates.authority });
    await connectionClosed.promise;
    expect(received).toEqual(expected);
  });
});
