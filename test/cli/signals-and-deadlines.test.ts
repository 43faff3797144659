import { spawn, spawnSync } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { lockFile } from '../../src/base/storage/file-lock.ts';
import { waitUntilIdle } from '../harness/process-state.ts';
import { runBoh } from '../harness/run-boh.ts';
import { home, isExecutable, program } from '../harness/spawn-boh.ts';
import { type RunningBoh, startBoh } from '../harness/start-boh.ts';
import { terminalTest } from '../harness/terminal.ts';
import { freezeTimers, waitUntil } from '../harness/wait-until.ts';

const signals = [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const;

/** Sends a signal to a run that would otherwise wait forever. `npm run bench:signals` measures how long it takes to end. */
function sendSignal(run: RunningBoh, signal: NodeJS.Signals) {
  run.kill(signal);
  return run.ended;
}

interface Service {
  env: Record<string, string>;
  /** The number of received requests. */
  requestCount: number;
}

/** Starts a service that returns endless pages, or never responds if `isSilent`. */
async function serve({ isSilent = false, onRequest = () => {} } = {}): Promise<Service> {
  const service: Service = { env: {}, requestCount: 0 };
  const server: Server = createServer(({ url = '' }, response) => {
    service.requestCount++;
    onRequest();
    if (isSilent) return;
    const page = Number(new URL(url, 'http://x').searchParams.get('page') ?? 1);
    const data = Array.from({ length: 50 }, (_, index) => ({
      id: `${page}-${index}`,
      name: 'x'.repeat(1000),
    }));
    response.end(JSON.stringify({ data, meta: { last_page: 1_000_000, total: 50_000_000 } }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  service.env = { BOH_TOKEN: 'token-CANARY-4711', BOH_BASE_URL: `http://127.0.0.1:${port}` };
  return service;
}

/** Creates a named pipe without a writer: opening it for reading blocks. */
function endlessPipe(): string {
  const path = join(home, `pipe-${Math.random()}`);
  spawnSync('mkfifo', [path]);
  return path;
}

describe.each(signals)('%s ends a run', (signal, exitCode) => {
  const interrupted = { exitCode, stderr: expect.stringContaining('Interrupted.') };

  test('while it waits for standard input', async () => {
    const { env } = await serve();
    const run = startBoh(['suppliers', 'create', '--data', '-', '--verbose'], env);
    // Standard input stays open.
    run.stdin.write('{"name":');
    await waitUntilIdle(run.pid);
    const result = await sendSignal(run, signal);
    expect(result).toMatchObject(interrupted);
    expect(result.stderr).toContain('"outcome":"not_sent"');
  });

  test.skipIf(isExecutable)(
    'while the resolution of a host name hangs (skipped on a single executable, which cannot preload a module)',
    async () => {
      const run = startBoh(['suppliers', 'list'], hangingDnsEnv());
      await waitUntilIdle(run.pid);
      expect(await sendSignal(run, signal)).toMatchObject(interrupted);
    },
  );

  test('while the reader of its output is not reading', async () => {
    const service = await serve();
    const child = spawn(program[0], [...program.slice(1), 'suppliers', 'list', '-o', 'ndjson'], {
      env: { PATH: process.env.PATH, HOME: home, ...service.env },
    });
    const stderr = text(child.stderr);
    const exit = new Promise<number | null>((resolve) => child.on('exit', resolve));
    // The pipe is full.
    await waitUntilIdle(child.pid);
    const { requestCount } = service;
    expect(requestCount).toBeGreaterThan(0);
    child.kill(signal);
    expect(await exit).toBe(exitCode);
    expect(service.requestCount).toBe(requestCount);
    child.stdout.destroy();
    expect(await stderr).toContain('Interrupted.');
  });
});

/** Without the history, the first request of a write is the write itself. */
const withoutHistory = { BOH_HISTORY_JOURNAL: 'off' };

describe('SIGINT ends a run', () => {
  test('while it opens a pipe without a writer', async () => {
    const { env } = await serve();
    const run = startBoh(['suppliers', 'create', '--data', `@${endlessPipe()}`], env);
    await waitUntilIdle(run.pid);
    const result = await sendSignal(run, 'SIGINT');
    expect(result).toMatchObject({ exitCode: 130, stderr: expect.stringContaining('Interrupted.') });
    expect(result.stderr).toContain('"outcome":"not_sent"');
  });

  test('while another process holds the lock of the settings', async () => {
    const folder = join(home, 'locked');
    const lock = lockFile({ file: join(folder, 'config.json'), label: 'The lock', remedy: '' });
    onTestFinished(() => lock.release());
    const run = startBoh(['config', 'set', 'output', 'json'], { BOH_CONFIG_DIR: folder });
    await waitUntilIdle(run.pid);
    const result = await sendSignal(run, 'SIGINT');
    expect(result).toMatchObject({ exitCode: 130, stderr: expect.stringContaining('Interrupted.') });
  });

  test('while it waits for a response, and reports that the outcome of the write is unknown', async () => {
    const service = await serve({ isSilent: true });
    const run = startBoh(['suppliers', 'create', '--name', 'Farms'], { ...service.env, ...withoutHistory });
    await waitUntil(() => expect(service.requestCount).toBe(1));
    const result = await sendSignal(run, 'SIGINT');
    expect(result).toMatchObject({ exitCode: 130, stderr: expect.stringContaining('"outcome":"unknown"') });
    expect(service.requestCount).toBe(1);
  });
});

terminalTest.each(signals)('%s ends a run on a terminal that is not read', async (signal, exitCode) => {
  const { env } = await serve();
  const script = fileURLToPath(new URL('./programs/unread-terminal.py', import.meta.url));
  const signalNumbers = { SIGINT: 2, SIGTERM: 15, SIGHUP: 1 };
  const command = [...program, 'suppliers', 'list', '--all', '-o', 'ndjson', '--no-pager'];
  const child = spawn('python3', [script, `${signalNumbers[signal]}`, ...command], {
    env: { PATH: process.env.PATH, HOME: home, ...env },
  });
  expect(Number(await text(child.stdout))).toBe(exitCode);
});

describe('--deadline', () => {
  test('ends a command that waits for a response, with exit code 8', async () => {
    const { env } = await serve({ isSilent: true });
    const result = await startBoh(['suppliers', 'list', '--deadline', '0.5'], env).ended;
    expect(result).toMatchObject({
      exitCode: 8,
      stderr: expect.stringContaining("The command didn't finish within its deadline of 0.5 s."),
    });
  });

  test('ends a write, and reports that its outcome is unknown', async () => {
    // The deadline passes after the service has received the write.
    freezeTimers();
    const { env } = await serve({
      isSilent: true,
      onRequest: () => void vi.advanceTimersByTimeAsync(10_000),
    });
    expect(
      await runBoh(['suppliers', 'create', '--name', 'Farms', '--deadline', '10s'], {
        env: { ...env, ...withoutHistory },
      }),
    ).toMatchObject({
      exitCode: 8,
      stderr: expect.stringContaining('"outcome":"unknown"'),
    });
  });

  test('ends an endless list, and work that ignores signals', async () => {
    const { env } = await serve();
    expect(await startBoh(['suppliers', 'list', '--deadline', '700ms'], env).ended).toMatchObject({
      exitCode: 8,
    });
    expect(await startBoh(['suppliers', 'list', '--deadline', '700ms'], hangingDnsEnv()).ended).toMatchObject(
      {
        exitCode: 8,
      },
    );
    const run = startBoh(['suppliers', 'create', '--data', '-', '--deadline', '700ms'], env);
    expect(await run.ended).toMatchObject({ exitCode: 8 });
  });

  test.each(['0', '-1', 'soon', '999999999'])('%s: is refused', async (deadline) => {
    const run = startBoh(['suppliers', 'list', `--deadline=${deadline}`]);
    expect(await run.ended).toMatchObject({ exitCode: 2 });
  });
});

test('time-out while a host name is resolved: ends the run and its process', async () => {
  const run = startBoh(['suppliers', 'create', '--name', 'Farms', '--timeout', '200ms'], hangingDnsEnv());
  expect(await run.ended).toMatchObject({
    exitCode: 8,
    stderr: expect.stringContaining('"outcome":"not_sent"'),
  });
});

function hangingDnsEnv(): Record<string, string> {
  const preload = fileURLToPath(new URL('./programs/hanging-names.mjs', import.meta.url));
  return {
    NODE_OPTIONS: `--import=${preload}`,
    ENDLESS_PIPE: endlessPipe(),
    BOH_TOKEN: 'token-CANARY-4711',
    BOH_BASE_URL: 'https://unreachable.example',
  };
}
