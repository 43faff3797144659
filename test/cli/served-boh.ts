/** `boh sandbox serve` as a process of its own, known to answer before it is used. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterEach } from 'vitest';
import { home, program } from '../harness/spawn-boh.ts';

export interface ServedBoh {
  base_url: string;
  authorize_url: string;
  client_id: string;
  client_secret: string;
  token: string;
  /** The first line of stdout, as it came. */
  line: string;
  child: ChildProcess;
  /** Sends a signal; answers the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
  /** Asks with the token that was printed. */
  get(path: string): Promise<Response>;
}

const running: ServedBoh[] = [];

afterEach(async () => {
  for (const served of running.splice(0)) await served.stop();
});

export async function serveBoh(
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<ServedBoh> {
  const argv = [...program.slice(1), 'sandbox', 'serve', '--port', '0', '-o', 'json', ...args];
  const child = spawn(program[0], argv, {
    env: { PATH: process.env.PATH ?? '', HOME: home, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines = createInterface(child.stdout);
  const [line] = (await Promise.race([once(lines, 'line'), once(child, 'exit')])) as [string];
  const access = JSON.parse(line);
  const served: ServedBoh = {
    ...access,
    line,
    child,
    async stop(signal = 'SIGTERM') {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill(signal);
        await once(child, 'exit');
      }
      return child.exitCode;
    },
    get: (path) => fetch(access.base_url + path, { headers: { authorization: `Bearer ${access.token}` } }),
  };
  running.push(served);
  return served;
}
