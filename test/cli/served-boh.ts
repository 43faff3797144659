/** Starts `boh sandbox serve` as a process, and waits until it accepts requests. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { home, program } from '../harness/spawn-boh.ts';

export interface ServedBoh {
  base_url: string;
  authorize_url: string;
  client_id: string;
  client_secret: string;
  token: string;
  /** The first line of stdout, unchanged. */
  line: string;
  child: ChildProcess;
  /** Sends a signal and returns the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
  /** Sends a request with the token that was printed. */
  get(path: string): Promise<Response>;
}

/**
 * Starts the server and stops it at the end of the test. By default it refuses requests that differ from the API
 * document, so that mistakes of boh's own client fail.
 */
export async function serveBoh(
  args: readonly string[],
  env: Record<string, string> = {},
  { isStrict = true } = {},
): Promise<ServedBoh> {
  const flags = ['--port', '0', '-o', 'json', ...(isStrict ? ['--strict-requests'] : [])];
  const argv = [...program.slice(1), 'sandbox', 'serve', ...flags, ...args];
  const child = spawn(program[0], argv, {
    env: { PATH: process.env.PATH ?? '', HOME: home, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill(signal);
      await once(child, 'exit');
    }
    return child.exitCode;
  };
  onTestFinished(async () => void (await stop()));
  const lines = createInterface(child.stdout);
  const [line] = (await Promise.race([once(lines, 'line'), once(child, 'exit')])) as [string];
  const access = JSON.parse(line);
  const served: ServedBoh = {
    ...access,
    line,
    child,
    stop,
    get: (path) => fetch(access.base_url + path, { headers: { authorization: `Bearer ${access.token}` } }),
  };
  return served;
}
