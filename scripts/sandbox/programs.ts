/** Starts servers in separate processes, and waits until they respond. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { root } from '../root.ts';

/** A running server. */
export interface Program {
  child: ChildProcess;
  stop(): Promise<void>;
}

/** A running sandbox server. */
export interface ServedSandbox extends Program {
  baseUrl: string;
  token: string;
  controlToken: string;
}

/** Starts a sandbox in memory with the built program. */
export async function startSandbox(...args: string[]): Promise<ServedSandbox> {
  const boh = join(root, 'bin/boh.js');
  const program = start([boh, 'sandbox', 'serve', '--memory', '--port', '0', '-o', 'json', ...args]);
  if (!program.child.stdout) throw new Error('The sandbox has no stdout.');
  const lines = createInterface(program.child.stdout);
  const exit = once(program.child, 'exit').then(() => [] as unknown[]);
  const [line] = await Promise.race([once(lines, 'line'), exit]);
  if (line === undefined) throw new Error('The sandbox did not start.');
  const { base_url: baseUrl, token, control_token: controlToken } = JSON.parse(String(line));
  return { ...program, baseUrl, token, controlToken };
}

/** Starts a server, and resolves when its URL responds with any status. Throws after 30 seconds. */
export async function startServer(args: readonly string[], url: string): Promise<Program> {
  const program = start(args);
  // The server would stop at a full pipe.
  program.child.stdout?.resume();
  const deadlineMs = Date.now() + 30_000;
  while (Date.now() < deadlineMs) {
    const isReady = await fetch(url).then(
      () => true,
      () => false,
    );
    if (isReady) return program;
    await sleep(100);
  }
  await program.stop();
  throw new Error(`${args[0]} does not respond at ${url}`);
}

/** Starts a server on a core of its own if the system can, because the load runs on another core. */
function start(args: readonly string[]): Program {
  const [command = '', ...commandArgs] = [...coreArgs(0), process.execPath, ...args];
  const child = spawn(command, commandArgs, { stdio: ['ignore', 'pipe', 'inherit'] });
  return {
    child,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill();
      await once(child, 'exit');
    },
  };
}

/** Returns the arguments that run a command on one core. Returns none if `taskset` isn't installed. */
export function coreArgs(number: number): string[] {
  const hasTaskset = spawnSync('taskset', ['--version'], { stdio: 'ignore' }).status === 0;
  return hasTaskset ? ['taskset', '--cpu-list', String(number)] : [];
}

/** Returns a port that is free now. */
export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
