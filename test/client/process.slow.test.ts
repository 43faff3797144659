/** The released program against a service on this machine: that it ends when it is done, and when it is interrupted. */
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { configFolder } from '../harness/home-folder.ts';
import { program, spawnBoh } from '../harness/spawn-boh.ts';
import { jsonResponse, type RawService, type Respond, startRawService } from './raw-service.ts';

async function start(respond: Respond): Promise<{ service: RawService; env: Record<string, string> }> {
  const service = await startRawService(respond);
  const baseUrl = `http://127.0.0.1:${service.port}`;
  return {
    service,
    // Without the history, a write is a single request.
    env: {
      ...{ BOH_TOKEN: 'token-CANARY-4711', BOH_BASE_URL: baseUrl, BOH_CONFIG_DIR: configFolder },
      BOH_HISTORY_JOURNAL: 'off',
    },
  };
}

/** Interrupts a run while it waits for a response or, as reported on stderr, for a retry. */
async function runInterrupted(commandLine: readonly string[], respond: Respond, signal: NodeJS.Signals) {
  let kill = () => {};
  const { service, env } = await start((socket, request, count) => {
    respond(socket, request, count);
    if (respond === neverRespond) kill();
  });
  const child = spawn(program[0], [...program.slice(1), ...commandLine], {
    env: { PATH: process.env.PATH, ...env },
  });
  const exit = new Promise<number | null>((resolve) => child.on('close', resolve));
  kill = () => {
    kill = () => {};
    child.kill(signal);
  };
  if (respond !== neverRespond) child.stderr.once('data', () => kill());
  const stderr = await text(child.stderr);
  return {
    exitCode: await exit,
    stderr,
    requests: service.requests.length,
  };
}

const neverRespond: Respond = () => {};
const requestPause: Respond = (socket) =>
  socket.write(jsonResponse({}, '429 Too Many Requests', 'retry-after: 200\r\n'));

test('an idle connection: the program exits', async () => {
  const { service, env } = await start((socket) =>
    // The service allows to keep the connection open for longer than the time limit of a test.
    socket.write(
      jsonResponse({ data: [{ id: '1' }], links: { next: null } }, '200 OK', 'keep-alive: timeout=3600\r\n'),
    ),
  );
  expect(await spawnBoh(['suppliers', 'list'], { env })).toMatchObject({ exitCode: 0, stderr: '' });
  expect(service.connections).toBe(1);
});

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)(
  '%s during a wait of minutes: ends the program, and nothing more is sent',
  async (signal, exitCode) => {
    const run = await runInterrupted(['suppliers', 'list'], requestPause, signal);
    expect(run).toMatchObject({ exitCode, requests: 1, stderr: expect.stringContaining('Interrupted.') });
  },
);

test('SIGINT during a request: ends the program, and nothing more is sent', async () => {
  const run = await runInterrupted(['suppliers', 'list'], neverRespond, 'SIGINT');
  expect(run).toMatchObject({ exitCode: 130, requests: 1, stderr: expect.stringContaining('Interrupted.') });
});

test('SIGINT during a write: reports the unknown outcome and how to check it', async () => {
  const run = await runInterrupted(['suppliers', 'create', '--name', 'Farms'], neverRespond, 'SIGINT');
  expect(run).toMatchObject({ exitCode: 130, requests: 1 });
  expect(run.stderr).toContain('is unknown. It was not retried');
  expect(run.stderr).toContain('boh suppliers list --name Farms');
});

test('a wait that the service requests: is reported with its reason', async () => {
  const { env } = await start((socket, _, count) =>
    socket.write(
      count === 1
        ? jsonResponse({}, '429 Too Many Requests', 'retry-after: 0\r\n')
        : jsonResponse({ data: [] }),
    ),
  );
  const result = await spawnBoh(['suppliers', 'list', '--verbose'], { env });
  expect(result).toMatchObject({
    exitCode: 0,
    stderr: expect.stringMatching(/The service limits the request rate \(429\)\. Trying again in \d+ s\./),
  });
  expect(result.stderr).toContain('GET /suppliers: 200');
  expect(result.stderr).not.toContain('CANARY');
});
