/** Kills the program after a delay. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { home, program } from './spawn-boh.ts';

/** Returns whether the process was still running when it was killed. */
export async function killAfter(
  ms: number,
  line: readonly string[],
  env: Record<string, string>,
): Promise<boolean> {
  const child = spawn(program[0], [...program.slice(1), ...line], {
    env: { PATH: process.env.PATH ?? '', HOME: home, ...env },
    stdio: 'ignore',
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), ms);
  const [, signal] = await once(child, 'exit');
  clearTimeout(timer);
  return signal === 'SIGKILL';
}
