import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isBusy } from '../../src/storage/failures.ts';
import { lockFile } from '../../src/storage/file-lock.ts';
import { openLedger } from './ledger.ts';

function naming() {
  const folder = mkdtempSync(join(tmpdir(), 'boh-hold-'));
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

test('lockFile: locks a file once, and again after it is released', () => {
  const file = naming();
  const held = lockFile(file);
  expect(isBusy(failureOf(() => lockFile(file)))).toBe(true);
  held.release();
  lockFile(file).release();
});

test('clear: deletes the lock files, and the file can be locked again', () => {
  const file = naming();
  const held = lockFile(file);
  held.clear();
  expect(readdirSync(join(file.file, '..'))).toEqual([]);
  const again = lockFile(file);
  expect(isBusy(failureOf(() => lockFile(file)))).toBe(true);
  again.release();
});

/** Starts a process that locks the file, drops the returned lock and collects its garbage. */
async function holder(file: ReturnType<typeof naming>) {
  const module = new URL('../../src/storage/file-lock.ts', import.meta.url).href;
  const script = `import { lockFile } from ${JSON.stringify(module)}; lockFile(${JSON.stringify(file)}); setTimeout(() => { gc(); console.log('held'); }); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--expose-gc', '--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
  return child;
}

test('lockFile: stays locked if the caller drops the returned lock', async () => {
  const file = naming();
  await holder(file);
  expect(isBusy(failureOf(() => lockFile(file)))).toBe(true);
});

test('lockFile: a killed process releases its lock', async () => {
  const file = naming();
  const child = await holder(file);
  expect(isBusy(failureOf(() => lockFile(file)))).toBe(true);
  child.kill('SIGKILL');
  await once(child, 'exit');
  lockFile(file).release();
});

test('openFile, while another process writes to a new file: opens it when that process has ended', async () => {
  const { file } = naming();
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
