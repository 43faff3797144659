/** Runs a command line inside the test's own process, with streams that are kept and a service of the test's. */
import { Readable, Writable } from 'node:stream';
import type { Environment } from '../../src/base/environment.ts';
import { main } from '../../src/main.ts';
import type { StreamFlags, Streams } from '../../src/terminal/streams.ts';
import { configFolder } from './own-home.ts';
import { tidyMemory } from './tidy-memory.ts';

// Lines that run beside each other here each listen for signals: as many as tests that wait run at once, with room to spare.
process.setMaxListeners(50);

export interface Ran {
  exitCode: number;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  env?: Environment;
  stdin?: string;
}

export async function runBoh(
  argv: readonly string[],
  { env = {}, stdin = '' }: RunOptions = {},
): Promise<Ran> {
  const stdout = new Kept();
  const stderr = new Kept();
  const open = (_: Environment, flags: StreamFlags = {}): Streams => ({
    stdin: Readable.from([stdin]) as Streams['stdin'],
    stdout: stdout as unknown as Streams['stdout'],
    stderr: stderr as unknown as Streams['stderr'],
    isTerminal: { in: false, out: false, err: false },
    columns: 80,
    rows: 24,
    color: { out: false, err: false },
    unicode: true,
    cursor: false,
    interactive: false,
    get quiet() {
      return flags.quiet === true;
    },
    get repeated() {
      return flags.repeated;
    },
  });
  // What is read before a write has tests of its own: here a write is one request, unless a test asks for more.
  const exitCode = await main(
    argv,
    { BOH_HISTORY_BEFORE: 'off', BOH_CONFIG_DIR: configFolder, ...env },
    open,
  );
  tidyMemory();
  return { exitCode, stdout: stdout.text, stderr: stderr.text };
}

/** The JSON object that is stderr's last line. */
export function failureOf({ stderr }: Pick<Ran, 'stderr'>): {
  category: string;
  message: string;
  fields: unknown;
  hint: string | null;
} {
  return JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '').error;
}

class Kept extends Writable {
  text = '';

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}
