/** The lock of a mirror in PostgreSQL is in the database: it excludes other users, and creates no file. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lockMirror } from '../../src/engine/mirror/lock.ts';
import { parseMirrorTarget } from '../../src/engine/mirror/target.ts';
import { noPostgres, type Postgres, startPostgres } from '../harness/postgres.ts';
import { runBoh } from '../harness/run-boh.ts';

describe.skipIf(noPostgres !== undefined)(
  `a mirror in PostgreSQL${noPostgres ? ` (${noPostgres})` : ''}`,
  () => {
    let server: Postgres;
    let databaseUrl: string;
    const folder = mkdtempSync(join(tmpdir(), 'boh-lock-'));
    beforeAll(async () => {
      server = await startPostgres();
      databaseUrl = await server.createDatabase('locked');
    });
    afterAll(async () => {
      await server?.stop();
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    });

    const lockOptions = {
      shouldWait: false,
      signal: new AbortController().signal,
      env: { BOH_CONFIG_DIR: folder },
    };

    test('mirror sync: is refused while another user has the lock, and works once it is released', async () => {
      const lock = await lockMirror(parseMirrorTarget(databaseUrl, 'BOH_MIRROR'), lockOptions);
      const config = join(folder, 'other');
      const env = { BOH_CONFIG_DIR: config, BOH_MIRROR: databaseUrl, TMPDIR: folder };
      const sync = () => runBoh(['--sandbox', 'mirror', 'sync', '--resource', 'tags'], { env });
      expect(await sync()).toMatchObject({
        exitCode: 8,
        stderr: expect.stringContaining('Another sync of the mirror'),
      });
      await lock.release();
      expect(await sync()).toMatchObject({ exitCode: 0 });
      expect(readdirSync(folder)).toEqual(['other']);
    });

    test('lockMirror: is refused while the lock is taken, and takes the lock once it is released', async () => {
      const lock = await lockMirror(parseMirrorTarget(databaseUrl, 'BOH_MIRROR'), lockOptions);
      await expect(
        lockMirror(parseMirrorTarget(databaseUrl, 'BOH_MIRROR'), lockOptions),
      ).rejects.toMatchObject({
        category: 'unavailable',
      });
      await lock.release();
      const nextLock = await lockMirror(parseMirrorTarget(databaseUrl, 'BOH_MIRROR'), lockOptions);
      await nextLock.release();
    });
  },
);
