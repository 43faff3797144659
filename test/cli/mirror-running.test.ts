import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { accountFile } from '../harness/account-folder.ts';
import { waitUntilOpened, waitUntilUsed } from '../harness/process-state.ts';
import { mountSmallDisk, needsRoot } from '../harness/small-disk.ts';
import { home, spawnBoh } from '../harness/spawn-boh.ts';
import { startBoh } from '../harness/start-boh.ts';

const envOf = (name: string) => ({ BOH_CONFIG_DIR: join(home, name) });

test('mirror sync on a disk that fills up: reports it, and the next sync continues', async ({ skip }) => {
  const disk = mountSmallDisk(8192);
  if (!disk) return skip(needsRoot);
  const env = { ...envOf('disk'), BOH_MIRROR: `sqlite:${join(disk.path, 'mirror.sqlite')}` };
  expect(await spawnBoh(['--sandbox', 'mirror', 'sync', '--resource', 'tags'], { env })).toMatchObject({
    exitCode: 0,
  });
  disk.fill(8);
  const result = await spawnBoh(['--sandbox', 'mirror', 'sync', '--full'], { env });
  expect(result).toMatchObject({ exitCode: 8, stderr: expect.stringContaining('the disk is full') });
  disk.empty();
  expect(await spawnBoh(['--sandbox', 'mirror', 'sync'], { env })).toMatchObject({ exitCode: 0 });
  expect(await spawnBoh(['--sandbox', 'mirror', 'diff'], { env })).toMatchObject({ exitCode: 0 });
});

test('mirror sync on a disk without space for a new mirror: reports it, and the next sync fills the mirror', async ({
  skip,
}) => {
  const disk = mountSmallDisk(4096);
  if (!disk) return skip(needsRoot);
  const file = join(disk.path, 'mirror.sqlite');
  const env = { ...envOf('new-disk'), BOH_MIRROR: `sqlite:${file}` };
  const sync = ['--sandbox', 'mirror', 'sync', '--resource', 'tags,customers,suppliers'];
  const countCustomers = ['--sandbox', 'mirror', 'query', 'select count(*) from customers', '-o', 'csv'];
  await spawnBoh(['--sandbox', 'mirror', 'sync', '--resource', 'sections'], { env });
  const { size } = statSync(file);
  await spawnBoh(['--sandbox', 'mirror', 'reset', '--yes'], { env });
  // Leaves space for the tables, and for the files that SQLite creates next to the database for readers.
  disk.fill(size / 1024 + 48);
  const result = await spawnBoh(sync, { env });
  expect(result).toMatchObject({ exitCode: 8, stderr: expect.stringContaining('the disk is full') });
  expect(await spawnBoh(countCustomers, { env })).toMatchObject({ exitCode: 0, stdout: 'count(*)\r\n0\r\n' });
  disk.empty();
  expect(await spawnBoh(sync, { env })).toMatchObject({ exitCode: 0 });
  expect(await spawnBoh(['--sandbox', 'mirror', 'diff', ...sync.slice(3)], { env })).toMatchObject({
    exitCode: 0,
  });
});

test('mirror sync --every: repeats until it is stopped, and follows the account', async () => {
  const env = envOf('every');
  const words = ['--sandbox', 'mirror', 'sync', '--resource', 'suppliers', '--every', '1s', '-o', 'ndjson'];
  const running = startBoh(words, env);
  await running.waitForStdout(/"complete":true/);
  await spawnBoh(['--sandbox', 'suppliers', 'create', '--name', 'Dune'], { env });
  await running.waitForStdout(/"read":1,"removed":0,"complete":false/);
  running.kill('SIGINT');
  expect(await running.ended).toMatchObject({ exitCode: 130 });
  const result = await spawnBoh(
    ['--sandbox', 'mirror', 'query', "select name from suppliers where name = 'Dune'", '-o', 'csv'],
    { env },
  );
  expect(result.stdout).toBe('name\r\nDune\r\n');
});

const endless =
  'with recursive r(n) as (select 1 union all select n + 1 from r where n < 1e15) select count(*) from r';

test.each([
  ['without rows', endless, 'SIGINT', 130],
  ['without rows', endless, 'SIGTERM', 143],
  ['with endless rows', endless.replace('count(*)', 'n'), 'SIGINT', 130],
] as const)('mirror query %s: ends at a signal', async (_, sql, signal, exitCode) => {
  const env = envOf('endless');
  await spawnBoh(['--sandbox', 'mirror', 'sync', '--resource', 'tags'], { env });
  const running = startBoh(['--sandbox', 'mirror', 'query', sql, '-o', 'csv'], env);
  await waitUntilUsed(running.pid, 2);
  running.kill(signal);
  expect(await running.ended).toMatchObject({ exitCode, stderr: expect.stringContaining('Interrupted') });
});

test('list --mirror and mirror diff of a large mirror: end at a signal; a complete list has every record once', async () => {
  const file = join(home, 'large.sqlite');
  const env = { ...envOf('large'), BOH_MIRROR: `sqlite:${file}` };
  await spawnBoh(['--sandbox', 'mirror', 'sync', '--resource', 'customers'], { env });
  const addGuests = (from: number, to: number) => {
    const database = new DatabaseSync(file);
    database.exec(`INSERT INTO customers (id, name, created_at, mirror_walk)
      WITH RECURSIVE r(n) AS (SELECT ${from} UNION ALL SELECT n + 1 FROM r WHERE n < ${to})
      SELECT 'guest-' || n, 'Guest', '2020-01-01 00:00:00', 1 FROM r`);
    database.close();
  };
  const expectEndsAtSignal = async (line: string) => {
    const running = startBoh(['--sandbox', ...line.split(' ')], env);
    await waitUntilUsed(running.pid, 0.5);
    running.kill('SIGINT');
    expect({ line, ...(await running.ended) }).toMatchObject({ exitCode: 130 });
  };
  addGuests(1, 200_000);
  await expectEndsAtSignal('customers list --mirror -o csv');
  const completeList = await spawnBoh(['--sandbox', 'customers', 'list', '--mirror', '-o', 'id'], { env });
  const ids = completeList.stdout.trimEnd().split('\n');
  expect(ids).toHaveLength(200_200);
  expect(ids.slice(0, 2)).toEqual(['guest-1', 'guest-10']);
  // The diff is shorter than the list.
  addGuests(200_001, 800_000);
  await expectEndsAtSignal('mirror diff --resource customers');
});

test('mirror query: observes its deadline', async () => {
  const env = envOf('endless');
  await spawnBoh(['--sandbox', 'mirror', 'sync', '--resource', 'tags'], { env });
  const result = await spawnBoh(['--sandbox', '--deadline', '1', 'mirror', 'query', endless], { env });
  expect(result).toMatchObject({ exitCode: 8, stderr: expect.stringContaining('deadline') });
});

test('mirror sync: waits for another writer of the file, and ends at a signal', async () => {
  const file = join(home, 'locked.sqlite');
  const env = { ...envOf('locked'), BOH_MIRROR: `sqlite:${file}` };
  const words = ['--sandbox', 'mirror', 'sync', '--full', '--resource', 'tags'];
  await spawnBoh(words, { env });
  const otherWriter = new DatabaseSync(file);
  onTestFinished(() => otherWriter.close());
  otherWriter.exec('BEGIN IMMEDIATE');
  const interruptedSync = startBoh(words, env);
  await waitUntilOpened(interruptedSync.pid, file);
  interruptedSync.kill('SIGINT');
  expect(await interruptedSync.ended).toMatchObject({ exitCode: 130 });
  const result = await spawnBoh([...words, '--deadline', '1'], { env });
  expect(result).toMatchObject({ exitCode: 8, stderr: expect.stringContaining('deadline') });
  const waitingSync = startBoh(words, env);
  await waitUntilOpened(waitingSync.pid, file);
  otherWriter.exec('ROLLBACK');
  expect(await waitingSync.ended).toMatchObject({ exitCode: 0 });
});

test('two syncs of one mirror: the second fails, or waits with --lock', async () => {
  const env = envOf('lock');
  const sync = ['--sandbox', 'mirror', 'sync', '--resource', 'customers'];
  expect(await spawnBoh(sync, { env })).toMatchObject({ exitCode: 0 });
  // The file is locked by the operating system, so that the test can act as the other process.
  const { lockFile: lockMirrorFile } = await import('../../src/base/storage/file-lock.ts');
  const file = accountFile(env.BOH_CONFIG_DIR, 'mirror.sqlite');
  const lock = lockMirrorFile({ file, label: 'The mirror', remedy: '' });
  expect(await spawnBoh(sync, { env })).toMatchObject({
    exitCode: 8,
    stderr: expect.stringContaining('--lock'),
  });
  const waiting = spawnBoh([...sync, '--lock'], { env });
  expect(await spawnBoh([...sync, '--lock', '--deadline', '1'], { env })).toMatchObject({ exitCode: 8 });
  lock.release();
  expect(await waiting).toMatchObject({ exitCode: 0 });
});

test('mirror sync --dry-run: shows the requests and creates no mirror', async () => {
  const env = envOf('dry');
  const result = await spawnBoh(
    ['--sandbox', 'mirror', 'sync', '--resource', 'tags', '--dry-run', '--json'],
    {
      env,
    },
  );
  expect(JSON.parse(result.stdout)).toMatchObject([{ method: 'GET', url: expect.stringContaining('/tags') }]);
  expect(await spawnBoh(['--sandbox', 'mirror', 'status'], { env })).toMatchObject({ exitCode: 5 });
});
