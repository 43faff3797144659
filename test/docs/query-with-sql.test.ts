/** Runs the commands of docs/guides/query-with-sql.md, and its queries in SQLite and in PostgreSQL. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Environment } from '../../src/base/environment.ts';
import { noPostgres, type Postgres, startPostgres } from '../harness/postgres.ts';
import { runBoh } from '../harness/run-boh.ts';
import { readPage, testCommandsOf } from './page-commands.ts';

const page = readPage('guides/query-with-sql.md');
const questions = [...page.matchAll(/^(\S.*\?)\n\n```sql\n([\s\S]*?)^```$/gm)].map(
  ([, question = '', sql = '']) => [question, sql] as const,
);
const folder = mkdtempSync(join(tmpdir(), 'boh-questions-'));
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));

describe('the commands of the page', () => testCommandsOf(page));

test('the page: has six questions, and one about the history', () => {
  expect(questions).toHaveLength(7);
});

describe.each([
  ['SQLite', async () => `sqlite:${join(folder, 'mirror.sqlite')}`, undefined],
  ['PostgreSQL', async () => (await startServerOnce()).createDatabase('questions'), noPostgres],
] as const)('in %s', (engine, mirrorUrl, reason) => {
  describe.skipIf(reason !== undefined)(reason ?? 'installed', () => {
    let env: Environment;
    beforeAll(async () => {
      env = { BOH_CONFIG_DIR: join(folder, engine), BOH_MIRROR: await mirrorUrl() };
      const price = ['--sandbox', 'inventory-items', 'update', '@SKU-001', '--cost', '7.25'];
      expect(await runBoh(price, { env })).toMatchObject({ exitCode: 0 });
      const sync = ['--sandbox', 'mirror', 'sync', '--history'];
      expect(await runBoh(sync, { env })).toMatchObject({ exitCode: 0 });
    });
    test.each(questions)('%s', async (_, sql) => {
      const result = await runBoh(['mirror', 'query', sql, '--json'], { env });
      expect(result).toMatchObject({ exitCode: 0 });
      expect(JSON.parse(result.stdout).length).toBeGreaterThan(0);
    });
  });
});

let server: Postgres | undefined;

async function startServerOnce(): Promise<Postgres> {
  server ??= await startPostgres();
  return server;
}

afterAll(() => server?.stop());
