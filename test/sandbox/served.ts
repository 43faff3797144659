/** Serves a sandbox over HTTP within the test's process, with a clock that the test controls. */
import { onTestFinished } from 'vitest';
import { type ListenOptions, listen, type ServedSandbox } from '../../src/sandbox/server/listen.ts';
import type { SandboxOptions } from '../../src/sandbox/service.ts';
import { type Client, newSandboxFile, openClient, startOfTests } from './client.ts';

/** A served sandbox and helpers for tests. */
export interface ServedClient extends ServedSandbox {
  /** A client of the same sandbox without HTTP. */
  client: Client;
  /** The unexpected errors that the sandbox reported. */
  unexpectedErrors: unknown[];
  /** Advances the machine's clock. */
  advanceClock(milliseconds: number): void;
  /** Sends a request over HTTP, with the owner's token by default. */
  request(path: string, init?: RequestInit): Promise<Response>;
}

/** Serves a sandbox with the demo business. It is closed at the end of the test. */
export async function serve({
  defaults,
  client: givenClient,
  ...options
}: Partial<ListenOptions> &
  Pick<SandboxOptions, 'defaults'> & { client?: Client } = {}): Promise<ServedClient> {
  let now = startOfTests;
  const unexpectedErrors: unknown[] = [];
  const apiPrefix = options.apiPrefix ?? '';
  const client =
    givenClient ??
    (await openClient({ file: await newSandboxFile(), machineClock: () => now, apiPrefix, defaults }));
  const served = await listen(client.sandbox, {
    port: 0,
    apiPrefix,
    isAutoApproved: false,
    createOpenApi: (baseUrl) => ({ openapi: '3.1.0', servers: [{ url: baseUrl }] }),
    onUnexpectedError: (error) => unexpectedErrors.push(error),
    ...options,
  });
  const servedClient: ServedClient = {
    ...served,
    client,
    unexpectedErrors,
    advanceClock: (milliseconds) => {
      now += milliseconds;
    },
    request: (path, init = {}) =>
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
  return servedClient;
}
