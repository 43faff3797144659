/** A sandbox over HTTP within the test's own process, its machine's clock in the test's hands. */
import { onTestFinished } from 'vitest';
import { type ListenOptions, listen, type Served } from '../../src/sandbox/server/listen.ts';
import { type Client, newSandboxFile, openClient, startOfTests } from './client.ts';

export interface ServedClient extends Served {
  /** Speaks to the same sandbox without HTTP. */
  client: Client;
  /** What the sandbox said was a bug of its own. */
  bugs: unknown[];
  /** Moves the machine's clock. */
  pass(milliseconds: number): void;
  /** Asks over HTTP; with the owner's token, unless told otherwise. */
  ask(path: string, init?: RequestInit): Promise<Response>;
}

/** Closed at the end of the test. Each begins with the demo business. */
export async function serve(options: Partial<ListenOptions> = {}): Promise<ServedClient> {
  let now = startOfTests;
  const bugs: unknown[] = [];
  const apiPrefix = options.apiPrefix ?? '';
  const file = await newSandboxFile();
  const client = await openClient({ file, machineClock: () => now, apiPrefix });
  const served = await listen(client.sandbox, {
    port: 0,
    apiPrefix,
    isApproving: false,
    describe: (baseUrl) => ({ openapi: '3.1.0', servers: [{ url: baseUrl }] }),
    onBug: (error) => bugs.push(error),
    ...options,
  });
  const complete: ServedClient = {
    ...served,
    client,
    bugs,
    pass: (milliseconds) => {
      now += milliseconds;
    },
    ask: (path, init = {}) =>
      fetch(served.baseUrl + path, {
        redirect: 'manual',
        ...init,
        headers: { authorization: `Bearer ${client.token}`, ...init.headers },
      }),
  };
  onTestFinished(async () => {
    await served.close();
    client.sandbox.close();
  });
  return complete;
}
