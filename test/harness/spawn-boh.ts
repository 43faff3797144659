/** Runs the built program as a process, as a user or a script does. */
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { home } from './home-folder.ts';

export { home } from './home-folder.ts';

export interface ProcessResult {
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
  killOnOutput?: string;
  signal?: NodeJS.Signals;
}

export const launcherFile = fileURLToPath(new URL('../../bin/boh.js', import.meta.url));

/** BOH_TESTED names a single executable to test instead (`npm run test:executable`). */
const testedExecutable = process.env.BOH_TESTED;
export const isExecutable = testedExecutable !== undefined;

/** The command that starts the program, before its arguments. */
export const program: readonly [string, ...string[]] =
  testedExecutable === undefined ? [process.execPath, launcherFile] : [resolve(testedExecutable)];

/** The same command, quoted for a shell. */
export const quotedProgram = program.map((word) => `'${word}'`).join(' ');

/** Runs the program with `PATH` as the only inherited variable. */
export async function spawnBoh(argv: readonly string[], options: SpawnOptions = {}): Promise<ProcessResult> {
  const { env = {}, stdin = '', nodeArgs = [], launcher, killOnOutput, signal = 'SIGTERM' } = options;
  const [command, ...programArgs] =
    launcher === undefined && nodeArgs.length === 0
      ? program
      : [process.execPath, ...nodeArgs, launcher ?? launcherFile];
  const child = spawn(command, [...programArgs, ...argv], {
    env: { PATH: process.env.PATH ?? '', HOME: home, ...env },
  });
  child.stdin.on('error', () => {}).end(stdin);
  if (killOnOutput !== undefined) {
    let output = '';
    child.stdout.on('data', (chunk) => {
      if (output.includes(killOnOutput)) return;
      output += chunk;
      if (output.includes(killOnOutput)) child.kill(signal);
    });
  }
  const ended = new Promise<Pick<ProcessResult, 'exitCode' | 'signal'>>((resolve) =>
    child.on('close', (exitCode, signal) => resolve({ exitCode, signal })),
  );
  const [stdout, stderr, end] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { ...end, stdout, stderr };
}
