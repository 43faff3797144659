/** Killing the program at moments that are drawn: what a failing run met can be met again. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { home, program } from './spawn-boh.ts';

/** Answers numbers from 0 to 1, the same every time. */
export function draws(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state / 2 ** 32;
  };
}

/** Whether it was still at work when it was killed. */
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
