/** Runs the built program as a process, as a user or a script does. */
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { home } from './own-home.ts';

export { home } from './own-home.ts';

export interface Ended {
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface SpawnOptions {
  env?: Record<string, string>;
  stdin?: string;
  /** Arguments of Node before the launcher. */
  nodeArgs?: string[];
  launcher?: string;
  /** Sends `signal` to the process when this text appears on stdout. */
  killAt?: string;
  signal?: NodeJS.Signals;
}

export const launcherFile = fileURLToPath(new URL('../../bin/boh.js', import.meta.url));

/** BOH_TESTED names a single executable to test instead (`npm run test:executable`). */
const tested = process.env.BOH_TESTED;
export const isExecutable = tested !== undefined;

/** The command that starts the program, before its arguments. */
export const program: readonly [string, ...string[]] =
  tested === undefined ? [process.execPath, launcherFile] : [resolve(tested)];

/** The same command, quoted for a shell. */
export const quotedProgram = program.map((word) => `'${word}'`).join(' ');

/** Runs the program with `PATH` as the only inherited variable. */
export async function spawnBoh(argv: readonly string[], options: SpawnOptions = {}): Promise<Ended> {
  const { env = {}, stdin = '', nodeArgs = [], launcher, killAt, signal = 'SIGTERM' } = options;
  const [command, ...first] =
    launcher === undefined && nodeArgs.length === 0
      ? program
      : [process.execPath, ...nodeArgs, launcher ?? launcherFile];
  const child = spawn(command, [...first, ...argv], {
    env: { PATH: process.env.PATH ?? '', HOME: home, ...env },
  });
  child.stdin.on('error', () => {}).end(stdin);
  if (killAt !== undefined) {
    let seen = '';
    child.stdout.on('data', (chunk) => {
      if (seen.includes(killAt)) return;
      seen += chunk;
      if (seen.includes(killAt)) child.kill(signal);
    });
  }
  const ended = new Promise<Pick<Ended, 'exitCode' | 'signal'>>((resolve) =>
    child.on('close', (exitCode, signal) => resolve({ exitCode, signal })),
  );
  const [stdout, stderr, end] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { ...end, stdout, stderr };
}
