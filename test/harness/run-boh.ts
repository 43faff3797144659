/** Runs a command line in the test's own process, with captured streams and a service of the test. */
import { Readable, Writable } from 'node:stream';
import type { Environment } from '../../src/base/environment.ts';
import { main } from '../../src/cli/main.ts';
import type { StreamFlags, Streams } from '../../src/cli/terminal/streams.ts';
import { collectGarbageIfNeeded } from './garbage-collection.ts';
import { configFolder } from './home-folder.ts';
import { validateOutput } from './output-schema.ts';

// Each concurrent run in this process listens for signals. The limit is above the number of runs that tests start at once.
process.setMaxListeners(50);

export interface BohResult {
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
): Promise<BohResult> {
  const stdout = new CapturedStream();
  const stderr = new CapturedStream();
  const openStreams = (_: Environment, flags: StreamFlags = {}): Streams => ({
    stdin: Readable.from([stdin]) as Streams['stdin'],
    stdout: stdout as unknown as Streams['stdout'],
    stderr: stderr as unknown as Streams['stderr'],
    isTerminal: { in: false, out: false, err: false },
    columns: () => 80,
    rows: () => 24,
    color: { out: false, err: false },
    unicode: true,
    cursor: false,
    interactive: false,
    get quiet() {
      return flags.quiet === true;
    },
    get repeatedFlags() {
      return flags.repeatedFlags;
    },
  });
  // Reads before a write have tests of their own: here a write is one request unless a test asks for more.
  const exitCode = await main(
    argv,
    { BOH_HISTORY_BEFORE: 'off', BOH_CONFIG_DIR: configFolder, ...env },
    openStreams,
  );
  collectGarbageIfNeeded();
  const result = { exitCode, stdout: stdout.text, stderr: stderr.text };
  validateOutput(argv, result);
  return result;
}

/** Returns the JSON object in the last line of stderr. */
export function failureOf({ stderr }: Pick<BohResult, 'stderr'>): {
  category: string;
  message: string;
  fields: unknown;
  hint: string | null;
} {
  return JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '').error;
}

class CapturedStream extends Writable {
  text = '';

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}
