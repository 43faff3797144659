/** Starts the built program as a process, whose output a test can wait for. */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Writable } from 'node:stream';
import { home, type ProcessResult, program } from './spawn-boh.ts';

export interface RunningBoh {
  pid: number;
  stdin: Writable;
  /** Resolves with the first match on stderr; rejects if the program ends without one. */
  waitForStderr(pattern: RegExp): Promise<RegExpExecArray>;
  /** Resolves with the first match on stdout; rejects if the program ends without one. */
  waitForStdout(pattern: RegExp): Promise<RegExpExecArray>;
  /** Sends a signal to the process. */
  kill(signal: NodeJS.Signals): void;
  ended: Promise<ProcessResult>;
  /** Resolves with the exit code when the process has ended, even if its children still hold its output. */
  exited: Promise<number | null>;
}

/** Starts the program. Standard input stays open until the test ends it. */
export function startBoh(argv: readonly string[], env: Record<string, string> = {}): RunningBoh {
  const child = spawn(program[0], [...program.slice(1), ...argv], {
    env: { PATH: process.env.PATH ?? '', HOME: home, ...env },
  });
  child.stdin.on('error', () => {});
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => {
    output.stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output.stderr += chunk;
  });
  const ended = new Promise<ProcessResult>((resolve) => {
    child.on('close', (exitCode, signal) => resolve({ exitCode, signal, ...output }));
  });
  return {
    pid: child.pid ?? 0,
    stdin: child.stdin,
    waitForStderr: (pattern) => waitFor(child, pattern, 'stderr', output),
    waitForStdout: (pattern) => waitFor(child, pattern, 'stdout', output),
    kill: (signal) => child.kill(signal),
    ended,
    exited: new Promise((resolve) => child.on('exit', resolve)),
  };
}

function waitFor(
  child: ChildProcess,
  pattern: RegExp,
  stream: 'stdout' | 'stderr',
  output: Readonly<Record<'stdout' | 'stderr', string>>,
): Promise<RegExpExecArray> {
  return new Promise((resolve, reject) => {
    const check = () => {
      const match = pattern.exec(output[stream]);
      if (match) resolve(match);
      return match;
    };
    if (check()) return;
    child[stream]?.on('data', check);
    child.on(
      'close',
      () => check() ?? reject(new Error(`no output matched ${pattern}: ${output.stdout}${output.stderr}`)),
    );
  });
}
