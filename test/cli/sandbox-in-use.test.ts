/** Commands wait for a sandbox that another process writes to, report the outcome of a write, and can be stopped. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitUntilOpened } from '../harness/process-state.ts';
import { failureOf, runBoh } from '../harness/run-boh.ts';
import { program } from '../harness/spawn-boh.ts';

let folder: string;
let writer: DatabaseSync;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'boh-in-use-'));
  await runBoh(['sandbox', 'status'], { env: { BOH_CONFIG_DIR: folder } });
  writer = new DatabaseSync(join(folder, 'sandboxes', 'default.sqlite'));
  writer.exec('BEGIN IMMEDIATE');
});
afterAll(() => {
  writer.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
});

const boh = (...argv: string[]) => runBoh(argv, { env: { BOH_CONFIG_DIR: folder } });

/** Sends SIGTERM when the process has opened the sandbox. Returns its exit code and stderr. */
async function stopAfterOpening(argv: readonly string[]) {
  const child = spawn(program[0], [...program.slice(1), ...argv], {
    env: { PATH: process.env.PATH ?? '', HOME: folder, BOH_CONFIG_DIR: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stderr = text(child.stderr);
  const exit = once(child, 'exit');
  await waitUntilOpened(child.pid, join(folder, 'sandboxes', 'default.sqlite'));
  child.kill('SIGTERM');
  const [exitCode] = await exit;
  return { argv, exitCode, stderr: await stderr };
}

const waitingCommands = [
  ['--sandbox', 'suppliers', 'create', '--name', 'Too Late'],
  ['sandbox', 'token'],
  ['sandbox', 'order', '--customer', '@Huda Al-Amin', '--total', '7'],
  ['sandbox', 'clock', 'freeze'],
  ['sandbox', 'settings', 'loyaltyDelayInHours=1'],
  ['sandbox', 'faults', 'clear'],
  ['sandbox', 'reset', '--yes'],
];

describe('a sandbox locked by another process', () => {
  it.concurrent('list: reads the records', async () => {
    const { exitCode, stdout } = await boh('--sandbox', 'suppliers', 'list');
    expect([exitCode, JSON.parse(stdout).length > 0]).toEqual([0, true]);
  });

  it.concurrent('a waiting command: ends at SIGTERM', async () => {
    for (const { argv, exitCode, stderr } of await Promise.all(waitingCommands.map(stopAfterOpening))) {
      expect([argv, exitCode, stderr]).toEqual([
        argv,
        143,
        expect.stringContaining('"category":"interrupted"'),
      ]);
    }
  });

  it.concurrent('a waiting command: fails after a timeout, and reports that nothing was sent', async () => {
    const failedResult = await boh('--sandbox', 'suppliers', 'create', '--name', 'Too Late');
    expect([failedResult.exitCode, failureOf(failedResult)]).toMatchObject([
      8,
      { category: 'unavailable', outcome: 'not_sent', message: expect.stringContaining('another process') },
    ]);
  });
});

it('a command that waits for the sandbox: continues as soon as it is unlocked', async () => {
  const waiting = boh('--sandbox', 'suppliers', 'create', '--name', 'In Time');
  await sleep(300);
  writer.exec('COMMIT');
  expect((await waiting).exitCode).toBe(0);
});
