/** Executes the ledgers of a test against an empty sandbox in this process. */
import type { Handler } from '../../src/account/client/transport.ts';
import { Session } from '../../src/account/session/session.ts';
import { api } from '../../src/api/resources/index.ts';
import { executeRun } from '../../src/engine/runs/execute-run.ts';
import type { Ledger } from '../../src/engine/runs/ledger/ledger.ts';
import type { RowResult } from '../../src/engine/runs/ledger/row.ts';
import type { ExecutionOptions } from '../../src/engine/runs/run-state.ts';
import { openClient } from '../sandbox/client.ts';
import { settings } from '../session/test-session.ts';

export interface Service {
  /** The maximum number of requests in progress at once. */
  maxInProgress(): number;
  /** The names of the records at the service. */
  names(path: string): string[];
  get(path: string): Record<string, unknown>;
  /** Changes a record outside of the run. */
  put(path: string, body: object): void;
  run(ledger: Ledger, options?: Partial<ExecutionOptions>): Promise<RowResult[]>;
}

/** Starts a service. `intercept` may delay a request, or respond instead of the sandbox. */
export async function startService(
  intercept: (body: string) => ReturnType<Handler> | undefined = () => undefined,
): Promise<Service> {
  const client = await openClient({ empty: true });
  let [inProgress, maxInProgress] = [0, 0];
  const handle: Handler = async (request) => {
    inProgress++;
    maxInProgress = Math.max(maxInProgress, inProgress);
    try {
      await new Promise(setImmediate);
      return (await intercept(request.body)) ?? client.sandbox.handle(request);
    } finally {
      inProgress--;
    }
  };
  const session = new Session({
    api,
    settings,
    env: {},
    concurrency: 8,
    embedded: async () => ({ handle, ownerToken: () => client.sandbox.ownerToken() }),
  });
  return {
    maxInProgress: () => maxInProgress,
    names: (path) =>
      client
        .get(path)
        .json.data.map(({ name }: { name: string }) => name)
        .sort(),
    get: (path) => client.get(path).json.data,
    put: (path, body) => void client.put(path, body),
    run: async (ledger, options = {}) => {
      const results: RowResult[] = [];
      const work = executeRun({
        ledger,
        session,
        concurrency: 4,
        signal: new AbortController().signal,
        now: () => Date.now(),
        sleep: async () => undefined,
        ...options,
      });
      for await (const result of work) results.push(result);
      return results;
    },
  };
}
