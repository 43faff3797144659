/** Runs the programs that a release is built with. */
import { execFileSync } from 'node:child_process';

/** Runs a program and returns its output. Throws with its error output unless it exits with 0. */
export function run(
  program: string,
  args: readonly string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): string {
  try {
    return execFileSync(program, args, {
      ...options,
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  } catch (error) {
    const { stdout = '', stderr = '', message } = error as Error & { stdout?: string; stderr?: string };
    throw new Error(`${program} ${args.join(' ')}: ${stderr || stdout || message}`);
  }
}
