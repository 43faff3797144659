/** Servers in processes of their own, each known to answer before it is used. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { root } from '../root.ts';

export interface Program {
  child: ChildProcess;
  stop(): Promise<void>;
}

export interface ServedSandbox extends Program {
  baseUrl: string;
  token: string;
}

export async function startSandbox(...args: string[]): Promise<ServedSandbox> {
  const boh = join(root, 'bin/boh.js');
  const program = start([boh, 'sandbox', 'serve', '--memory', '--port', '0', '-o', 'json', ...args]);
  if (!program.child.stdout) throw new Error('The sandbox has no stdout.');
  const lines = createInterface(program.child.stdout);
  const ended = once(program.child, 'exit').then(() => [] as unknown[]);
  const [line] = await Promise.race([once(lines, 'line'), ended]);
  if (line === undefined) throw new Error('The sandbox did not start.');
  const { base_url: baseUrl, token } = JSON.parse(String(line));
  return { ...program, baseUrl, token };
}

/** Resolves once the address answers, whatever it answers. */
export async function startServer(args: readonly string[], address: string): Promise<Program> {
  const program = start(args);
  // Otherwise a full pipe would stop it.
  program.child.stdout?.resume();
  const deadline = Date.now() + 30_000;
  while (Date.now() < deadline) {
    const answered = await fetch(address).then(
      () => true,
      () => false,
    );
    if (answered) return program;
    await sleep(100);
  }
  await program.stop();
  throw new Error(`${args[0]} does not answer at ${address}`);
}

/** On one core of its own where the system can say so: the load comes from another. */
function start(args: readonly string[]): Program {
  const [command = '', ...rest] = [...onCore(0), process.execPath, ...args];
  const child = spawn(command, rest, { stdio: ['ignore', 'pipe', 'inherit'] });
  return {
    child,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill();
      await once(child, 'exit');
    },
  };
}

export function onCore(number: number): string[] {
  const isThere = spawnSync('taskset', ['--version'], { stdio: 'ignore' }).status === 0;
  return isThere ? ['taskset', '--cpu-list', String(number)] : [];
}

export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
