/** Ends commands in every way: the log of the account is then complete in its file, without a write-ahead log. */
import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { waitUntilIdle } from '../harness/process-state.ts';
import { spawnBoh } from '../harness/spawn-boh.ts';
import { startBoh } from '../harness/start-boh.ts';
import { stage } from './staged-run.ts';

/** Returns the database files of accounts, and their write-ahead logs. */
function storedFiles(config: string): string[] {
  return readdirSync(config, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /^accounts.*\.sqlite(-wal)?$/.test(name),
  );
}

const hanging = 'route: "POST /customers", fault: latency, milliseconds: 60000, nth: [4]';
const create = ['customers', 'create', '--name', 'Stage 1', '--phone', '991'];

describe('the history and the ledger after a command', () => {
  test('that succeeds or fails: have no log', async () => {
    const { file, env, config } = await stage(
      ['route: "POST /customers", fault: status, status: 403, nth: [4]'],
      8,
    );
    const endsWith = async (exitCode: number, ...line: string[]) => {
      expect(await spawnBoh(line, { env })).toMatchObject({ exitCode });
      expect(storedFiles(config).filter((name) => name.endsWith('-wal'))).toEqual([]);
    };
    await endsWith(4, 'customers', 'import', file, '--mode', 'create', '--yes', '--concurrency', '1');
    expect(storedFiles(config)).toHaveLength(1);
    await endsWith(0, ...create);
    await endsWith(2, ...create, '--gender', 'none');
    await endsWith(5, 'customers', 'update', 'none', '--name', 'Stage 2');
    await endsWith(0, 'history');
    await endsWith(0, 'history', 'verify');
    await endsWith(0, 'runs', 'list');
  });

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('that %s ends: have no log', async (signal) => {
    const { file, env, config } = await stage([hanging], 8);
    const line = ['customers', 'import', file, '--mode', 'create', '--yes', '--concurrency', '1'];
    const run = startBoh(line, env);
    await run.waitForStdout(/"line":4,/);
    run.kill(signal);
    await run.ended;
    expect(storedFiles(config)).toHaveLength(1);
  });

  test('that is interrupted during a single write: has no log', async () => {
    const { env, config } = await stage([hanging.replace('[4]', '[1]')], 1);
    const write = startBoh(create, env);
    await waitUntilIdle(write.pid);
    write.kill('SIGINT');
    expect(await write.ended).toMatchObject({ exitCode: 130 });
    expect(storedFiles(config)).toHaveLength(1);
  });

  test('that SIGKILL ends: are complete after the next command, which removes the log', async () => {
    const { file, env, config, boh } = await stage([hanging], 8);
    const line = ['customers', 'import', file, '--mode', 'create', '--yes', '--concurrency', '1'];
    const run = startBoh(line, env);
    await run.waitForStdout(/"line":4,/);
    run.kill('SIGKILL');
    await run.ended;
    expect(storedFiles(config).filter((name) => name.endsWith('-wal'))).toHaveLength(1);
    expect(JSON.parse((await boh('history', '-o', 'json')).stdout).length).toBeGreaterThanOrEqual(4);
    const runs = JSON.parse((await boh('runs', 'list', '-o', 'json')).stdout);
    expect(runs).toMatchObject([{ rows: 8, state: 'unfinished' }]);
    expect(storedFiles(config)).toHaveLength(1);
  });
});
