import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isBusy } from '../../src/base/storage/failures.ts';
import { lockFile } from '../../src/base/storage/file-lock.ts';
import { openLedger } from './ledger.ts';

function newFile() {
  const folder = mkdtempSync(join(tmpdir(), 'boh-lock-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return { file: join(folder, 'deep', 'file'), label: 'The file', remedy: 'Wait.' };
}

function failureOf(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return undefined;
}

test('lockFile: fails as busy until the lock is released', () => {
  const file = newFile();
  const lock = lockFile(file);
  expect(isBusy(failureOf(() => lockFile(file)))).toBe(true);
  lock.release();
  expect(readdirSync(join(file.file, '..'))).toEqual([]);
  const newLock = lockFile(file);
  expect(isBusy(failureOf(() => lockFile(file)))).toBe(true);
  newLock.release();
});

/** Starts a process that locks the file, drops the returned lock and runs the garbage collector. */
async function startLockingProcess(file: ReturnType<typeof newFile>) {
  const module = new URL('../../src/base/storage/file-lock.ts', import.meta.url).href;
  const script = `import { lockFile } from ${JSON.stringify(module)}; lockFile(${JSON.stringify(file)}); setTimeout(() => { gc(); console.log('locked'); }); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--expose-gc', '--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
  return child;
}

test('lockFile: stays locked if the caller drops the returned lock', async () => {
  const file = newFile();
  await startLockingProcess(file);
  expect(isBusy(failureOf(() => lockFile(file)))).toBe(true);
});

test('lockFile: a killed process releases its lock', async () => {
  const file = newFile();
  const child = await startLockingProcess(file);
  expect(isBusy(failureOf(() => lockFile(file)))).toBe(true);
  child.kill('SIGKILL');
  await once(child, 'exit');
  lockFile(file).release();
});

test('openFile: waits while another process writes to a new file', async () => {
  const { file } = newFile();
  openLedger(file).close();
  const writer = `
    const { DatabaseSync } = await import('node:sqlite');
    const database = new DatabaseSync(process.argv[1]);
    database.exec('PRAGMA journal_mode = DELETE; BEGIN IMMEDIATE');
    console.log('writing');
    setTimeout(() => process.exit(), 300);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', writer, file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  const ledger = openLedger(file, { busyTimeoutMs: 60_000 });
  expect(ledger.get('PRAGMA journal_mode')).toEqual({ journal_mode: 'wal' });
  ledger.close();
});
