/** A program that the smoke suite runs, with a home of its own. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

export interface RunOptions {
  env?: Record<string, string>;
  /** Whether an exit code other than 0 is an answer, not a failure. */
  mayFail?: boolean;
}

/** What a command printed, and its exit code. */
export interface Ended {
  stdout: string;
  stderr: string;
  exitCode: number | null;
}

/** A command in progress. */
export interface Started {
  ended: Promise<number | null>;
  hasEnded(): boolean;
  output(): string;
  /** Waits until a text appears in the output. Throws if the command ends first. */
  prints(pattern: RegExp): Promise<RegExpExecArray>;
  stop(signal: NodeJS.Signals): Promise<void>;
}

/** The installed boh: the words that start it, and the folder that it may write to. */
export class Program {
  readonly #words: readonly string[];
  readonly #folder: string;
  readonly #running = new Set<ChildProcess>();

  constructor(words: readonly string[], folder: string) {
    this.#words = words;
    this.#folder = folder;
    for (const name of ['home', 'config']) mkdirSync(this.file(name));
  }

  /** Returns the path of a file in the folder. */
  file(name: string): string {
    return join(this.#folder, name);
  }

  /** Runs a command to its end. Throws unless it exits with 0. */
  run = async (argv: readonly string[], { env, mayFail = false }: RunOptions = {}): Promise<Ended> => {
    const child = this.#spawn(argv, env);
    const printed = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name]?.setEncoding('utf8').on('data', (text) => {
        printed[name] += text;
      });
    }
    const exitCode = await endOf(child);
    assert.ok(mayFail || exitCode === 0, `boh ${argv.join(' ')}: exit ${exitCode}\n${printed.stderr}`);
    return { ...printed, exitCode };
  };

  /** Runs a command and returns the JSON that it printed. */
  // biome-ignore lint/suspicious/noExplicitAny: the suite reads a few fields of many kinds of answers.
  json = async (argv: readonly string[], options: RunOptions = {}): Promise<any> =>
    JSON.parse((await this.run(argv, options)).stdout);

  /** Starts a command that goes on until it is stopped. */
  start = (argv: readonly string[], { env }: RunOptions = {}): Started => {
    const child = this.#spawn(argv, env);
    let output = '';
    const waiting = new Set<() => void>();
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text) => {
        output += text;
        for (const look of waiting) look();
      });
    }
    const ended = endOf(child);
    return {
      ended,
      hasEnded: () => child.exitCode !== null || child.signalCode !== null,
      output: () => output,
      prints: (pattern) =>
        new Promise((resolve, reject) => {
          const look = () => {
            const found = pattern.exec(output);
            if (found) resolve(found);
          };
          waiting.add(look);
          look();
          ended.then(() => reject(new Error(`boh ${argv.join(' ')} ended first: ${output}`)), reject);
        }),
      stop: async (signal) => {
        child.kill(signal);
        await ended;
      },
    };
  };

  /** Ends what is still running. */
  async end(): Promise<void> {
    await Promise.all(
      [...this.#running].map((child) => {
        const ended = endOf(child).catch(() => null);
        child.kill('SIGKILL');
        return ended;
      }),
    );
  }

  #spawn(argv: readonly string[], env: Record<string, string> = {}): ChildProcess {
    const [command = '', ...first] = this.#words;
    const home = this.file('home');
    const child = spawn(command, [...first, ...argv], {
      cwd: this.#folder,
      env: {
        ...withoutSettings(process.env),
        HOME: home,
        USERPROFILE: home,
        BOH_CONFIG_DIR: this.file('config'),
        // What is printed must not depend on where the suite runs.
        CI: 'true',
        ...env,
      },
      // npm's programs on Windows are scripts, which only a shell starts.
      shell: process.platform === 'win32' && !command.endsWith('.exe'),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#running.add(child);
    child.once('close', () => this.#running.delete(child));
    return child;
  }
}

function endOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
}

/** Returns the environment without settings of boh and of the npm that started this. */
function withoutSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^(BOH_|npm_|NODE_)/i.test(name)));
}
