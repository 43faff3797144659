/** Checks for secrets in the programs that boh starts, in diagnostic reports of Node, and in the log of a server. */
import { once } from 'node:events';
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { serve, type TestService } from '../harness/serve.ts';
import { quotedProgram, spawnBoh } from '../harness/spawn-boh.ts';
import { startBoh } from '../harness/start-boh.ts';
import { openTerminal, terminalTest } from '../harness/terminal.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { temporaryFolders } from '../settings/temporary-folder.ts';

const token = 'canary-token-93e5b1f07a';
const clientSecret = 'canary-secret-6d20c84e3f';

const newFolder = temporaryFolders();
let service: TestService;
let env: Record<string, string>;
let folder: string;
beforeAll(async () => {
  service = await serve({ 'GET /tags/1': { data: { id: '1', name: 'VIP', type: 1 } } });
  folder = newFolder();
  env = {
    PATH: process.env.PATH ?? '',
    HOME: folder,
    TMPDIR: folder,
    BOH_CONFIG_DIR: join(folder, 'config'),
    BOH_BASE_URL: service.baseUrl,
    BOH_TOKEN: token,
    BOH_CLIENT_SECRET: clientSecret,
  };
});
afterAll(() => service.close());

/** Creates a program that records the command lines and environments of itself and its parent processes. */
function createSpy(name: string): { program: string; readLog(): string } {
  const [program, log] = [join(folder, name), join(folder, `${name}.log`)];
  const script = `#!/bin/sh
{ env; cat /proc/self/environ /proc/$$/cmdline /proc/$PPID/cmdline; ps -ww -o args= 2>&1; } >'${log}' 2>&1
`;
  writeFileSync(program, script);
  chmodSync(program, 0o755);
  return { program, readLog: () => (existsSync(log) ? readFileSync(log, 'latin1') : '') };
}

describe.skipIf(!existsSync('/proc/self/environ'))(
  'a program that boh starts (skipped without /proc)',
  () => {
    it('sandbox run: inherits only the secrets of the sandbox', async () => {
      const { program, readLog } = createSpy('child');
      const result = await spawnBoh(['sandbox', 'run', '-v', '--', program], { env });
      expect(result.exitCode, result.stderr).toBe(0);
      expect(readLog()).toContain('BOH_TOKEN=');
      expect(readLog() + result.stdout + result.stderr).not.toMatch(/canary-(token|secret)/);
    });

    terminalTest('an editor: inherits no secret', async () => {
      const { program, readLog } = createSpy('editor');
      const line = `${quotedProgram} tags update 1 --edit -v`;
      const terminal = openTerminal(line, { env: { ...env, EDITOR: program } });
      await terminal.ended();
      expect(readLog()).toContain('BOH_BASE_URL=');
      expect(readLog()).not.toContain('BOH_TOKEN=');
      expect(readLog() + terminal.raw()).not.toMatch(/canary-(token|secret)/);
    });
  },
);

it('a diagnostic report of Node: contains no secret', async () => {
  const silentServer = createServer(() => {});
  await new Promise<void>((resolve) => silentServer.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void silentServer.close());
  onTestFinished(() => silentServer.closeAllConnections());
  const reports = newFolder();
  const running = startBoh(['tags', 'list', '-v'], {
    ...env,
    BOH_BASE_URL: `http://127.0.0.1:${(silentServer.address() as AddressInfo).port}`,
    NODE_OPTIONS: `--report-on-signal --report-signal=SIGUSR2 --report-directory=${reports}`,
  });
  await once(silentServer, 'request');
  running.kill('SIGUSR2');
  await waitUntil(() => expect(readdirSync(reports)).toHaveLength(1));
  running.kill('SIGTERM');
  await running.ended;
  const [report = ''] = readdirSync(reports).map((name) => readFileSync(join(reports, name), 'utf8'));
  expect(report).toContain('BOH_BASE_URL');
  expect(report).not.toMatch(/canary-(token|secret)/);
});

it('a report of an internal error: contains no secret at any verbosity', async () => {
  // Replaces a function with one that throws an error that contains all its arguments.
  const preload = join(folder, 'broken.mjs');
  writeFileSync(
    preload,
    'globalThis.encodeURIComponent = (...args) => { throw new TypeError("broken: " + args); };',
  );
  for (const flags of [[], ['-v'], ['--json', '-v'], ['-o', 'table', '-v']]) {
    const result = await spawnBoh(['tags', 'list', '--name', 'break', ...flags], {
      env,
      nodeArgs: ['--import', preload],
    });
    expect(result.exitCode, result.stderr).toBe(1);
    expect(result.stderr).toContain('boh has a bug');
    expect(result.stdout + result.stderr).not.toMatch(/canary-(token|secret)/);
  }
});

it('the log of a served sandbox: contains no secret', async () => {
  const running = startBoh(['sandbox', 'serve', '--port', '0', '-v'], { ...env, NO_COLOR: '1' });
  const [, baseUrl = ''] = await running
    .waitForStdout(/(http:\/\/127\.0\.0\.1:\d+)/)
    .catch(() => running.waitForStderr(/(http:\/\/127\.0\.0\.1:\d+)/));
  for (const target of [
    '/tags',
    `/tags?access_token=${token}`,
    `/${token}`,
    `/authorize?code=${token}&state=${token}`,
  ]) {
    await fetch(baseUrl + target, { headers: { authorization: `Bearer ${token}` } });
  }
  await fetch(`${baseUrl}/oauth/token`, {
    method: 'POST',
    body: JSON.stringify({ client_secret: clientSecret, code: token }),
  });
  running.kill('SIGTERM');
  const { stdout, stderr } = await running.ended;
  expect(stdout + stderr).not.toMatch(/canary-(token|secret)/);
});
