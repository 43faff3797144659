/** Starts an HTTP service in front of a sandbox. It can return responses that don't match what the sandbox did. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import type { RowResult } from '../../src/engine/runs/ledger/row.ts';
import { type BohResult, runBoh } from '../harness/run-boh.ts';
import { openClient } from '../sandbox/client.ts';

export interface Write {
  method: string;
  path: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies of every shape
  body: any;
  /** The number of earlier writes. */
  number: number;
  /** Sends the write to the sandbox, and returns its response. */
  forward(): { status: number; body: string };
}

export type FakeResponse = (write: Write) => { status?: number; body: unknown } | undefined;

/** Starts the service. `respond` returns the response to a write; if it returns undefined, the sandbox handles the write. */
export const startFakeService = (respond: FakeResponse) => startServiceWith({ respond });

/** Starts a service with the demo data, or with none. `respondToRead` returns the responses to reads, as `respond` to writes. */
export async function startServiceWith({
  respond = () => undefined,
  respondToRead = () => undefined,
  isDemo = false,
}: {
  respond?: FakeResponse;
  respondToRead?: FakeResponse;
  isDemo?: boolean;
}) {
  const client = await openClient({ empty: !isDemo });
  const folder = mkdtempSync(join(tmpdir(), 'boh-fake-service-'));
  const writes: string[] = [];
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    const body = await text(request);
    const forward = () =>
      client.sandbox.handle({ method, target: url, headers: headers as Record<string, string>, body });
    const write = { method, path: url, body: body && JSON.parse(body), number: writes.length, forward };
    if (method !== 'GET') writes.push(`${method} ${url}`);
    const fakeResponse = (method === 'GET' ? respondToRead : respond)(write);
    const result = fakeResponse ?? forward();
    response.writeHead(result.status ?? 200, { 'content-type': 'application/json' });
    response.end(typeof result.body === 'string' ? result.body : JSON.stringify(result.body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  });
  const env = {
    BOH_CONFIG_DIR: folder,
    BOH_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    BOH_TOKEN: client.token,
  };
  const boh = (...line: string[]): Promise<BohResult> => runBoh(line, { env });
  return {
    boh,
    /** The client of the sandbox itself. */
    client,
    /** `METHOD /path` of all writes. */
    writes,
    folder,
    env,
    /** Writes a file of the test, and returns its path. */
    addFile(name: string, content: string): string {
      writeFileSync(join(folder, name), content);
      return join(folder, name);
    },
    /** Returns the sorted names of the records at a path. */
    names: (path: string): string[] =>
      client
        .get(path)
        .json.data.map(({ name }: { name: string }) => name)
        .sort(),
  };
}

/** Returns the last result of each row, by its key or line. */
export function rowsIn({ stdout }: BohResult): RowResult[] {
  const results = stdout
    .trim()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line): RowResult => JSON.parse(line));
  return [...new Map(results.map((row) => [`${row.resource} ${row.line} ${row.key}`, row])).values()];
}
