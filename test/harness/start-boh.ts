/** Starts the built program as a process, whose output a test can wait for and answer. */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Writable } from 'node:stream';
import { type Ended, home, program } from './spawn-boh.ts';

export interface Running {
  pid: number;
  stdin: Writable;
  /** Resolves with the first match on stderr; rejects if the program ends without one. */
  says(pattern: RegExp): Promise<RegExpExecArray>;
  /** Resolves with the first match on stdout; rejects if the program ends without one. */
  prints(pattern: RegExp): Promise<RegExpExecArray>;
  kill(signal: NodeJS.Signals): void;
  ended: Promise<Ended>;
  /** Resolves with the exit code when the process has ended, even if its children still hold its output. */
  exited: Promise<number | null>;
}

/** Starts the program. Standard input stays open until the test ends it. */
export function startBoh(argv: readonly string[], env: Record<string, string> = {}): Running {
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
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (exitCode, signal) => resolve({ exitCode, signal, ...output }));
  });
  return {
    pid: child.pid ?? 0,
    stdin: child.stdin,
    says: (pattern) => waitFor(child, pattern, 'stderr', output),
    prints: (pattern) => waitFor(child, pattern, 'stdout', output),
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
    const look = () => {
      const match = pattern.exec(output[stream]);
      if (match) resolve(match);
      return match;
    };
    if (look()) return;
    child[stream]?.on('data', look);
    child.on(
      'close',
      () => look() ?? reject(new Error(`it never said ${pattern}: ${output.stdout}${output.stderr}`)),
    );
  });
}
