/** Runs the program of the smoke suite with a temporary home. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** Options for running a command. */
export interface RunOptions {
  env?: Record<string, string>;
  /** Whether to accept exit codes other than 0. */
  mayFail?: boolean;
}

/** The output and the exit code of a command. */
export interface CommandResult {
  stdout: string;
  stderr: string;
  exitCode: number | null;
}

/** A running command. */
export interface RunningCommand {
  /** Resolves with the exit code. */
  exit: Promise<number | null>;
  hasEnded(): boolean;
  output(): string;
  /** Waits until the output matches a pattern. Throws if the command ends first. */
  waitForOutput(pattern: RegExp): Promise<RegExpExecArray>;
  stop(signal: NodeJS.Signals): Promise<void>;
}

/** An installed boh: the command that starts it, and the folder to which it can write. */
export class Program {
  readonly #command: readonly string[];
  readonly #folder: string;
  readonly #running = new Set<ChildProcess>();

  constructor(command: readonly string[], folder: string) {
    this.#command = command;
    this.#folder = folder;
    for (const name of ['home', 'config']) mkdirSync(this.file(name));
  }

  /** Returns the path of a file in the folder. */
  file(name: string): string {
    return join(this.#folder, name);
  }

  /** Runs a command to its end. Throws unless it exits with 0. */
  run = async (
    argv: readonly string[],
    { env, mayFail = false }: RunOptions = {},
  ): Promise<CommandResult> => {
    const child = this.#spawn(argv, env);
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name]?.setEncoding('utf8').on('data', (text) => {
        output[name] += text;
      });
    }
    const exitCode = await exitOf(child);
    assert.ok(mayFail || exitCode === 0, `boh ${argv.join(' ')}: exit ${exitCode}\n${output.stderr}`);
    return { ...output, exitCode };
  };

  /** Runs a command and returns the JSON that it printed. */
  // biome-ignore lint/suspicious/noExplicitAny: the suite reads a few fields of many kinds of results.
  json = async (argv: readonly string[], options: RunOptions = {}): Promise<any> =>
    JSON.parse((await this.run(argv, options)).stdout);

  /** Starts a command that runs until it is stopped. */
  start = (argv: readonly string[], { env }: RunOptions = {}): RunningCommand => {
    const child = this.#spawn(argv, env);
    let output = '';
    const waiters = new Set<() => void>();
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text) => {
        output += text;
        for (const check of waiters) check();
      });
    }
    const exit = exitOf(child);
    return {
      exit,
      hasEnded: () => child.exitCode !== null || child.signalCode !== null,
      output: () => output,
      waitForOutput: (pattern) =>
        new Promise((resolve, reject) => {
          const check = () => {
            const match = pattern.exec(output);
            if (match) resolve(match);
          };
          waiters.add(check);
          check();
          exit.then(() => reject(new Error(`boh ${argv.join(' ')} ended first: ${output}`)), reject);
        }),
      stop: async (signal) => {
        child.kill(signal);
        await exit;
      },
    };
  };

  /** Kills all running commands. */
  async killAll(): Promise<void> {
    await Promise.all(
      [...this.#running].map((child) => {
        const exit = exitOf(child).catch(() => null);
        child.kill('SIGKILL');
        return exit;
      }),
    );
  }

  #spawn(argv: readonly string[], env: Record<string, string> = {}): ChildProcess {
    const [command = '', ...commandArgs] = this.#command;
    const home = this.file('home');
    const child = spawn(command, [...commandArgs, ...argv], {
      cwd: this.#folder,
      env: {
        ...withoutSettings(process.env),
        HOME: home,
        USERPROFILE: home,
        BOH_CONFIG_DIR: this.file('config'),
        // The output must not depend on the environment of the suite.
        CI: 'true',
        ...env,
      },
      // On Windows, npm's programs are scripts, which only a shell can start.
      shell: process.platform === 'win32' && !command.endsWith('.exe'),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#running.add(child);
    child.once('close', () => this.#running.delete(child));
    return child;
  }
}

function exitOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
}

/** Returns the environment without settings of boh, npm and Node. */
function withoutSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^(BOH_|npm_|NODE_)/i.test(name)));
}
