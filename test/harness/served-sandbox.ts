/** Serves a sandbox over HTTP in the test's process, for runs of other processes. */
import { existsSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { onTestFinished } from 'vitest';
import { api } from '../../src/api/resources/index.ts';
import { storeFaultPlan } from '../../src/sandbox/faults/engine.ts';
import { parseFaultPlan } from '../../src/sandbox/faults/plan.ts';
import { listen } from '../../src/sandbox/server/listen.ts';
import { openSandbox } from '../../src/sandbox/service.ts';
import { copyDemoBusiness, sandboxFile } from './demo-business.ts';
import { home } from './home-folder.ts';
import { runLine } from './run-line.ts';

export interface ServingOptions {
  /** A fault plan in YAML. */
  faults?: string;
  name?: string;
  /** The folder of boh's files, which also has the sandbox; a new one by default. */
  config?: string;
}

export interface ServedSandbox {
  config: string;
  baseUrl: string;
  token: string;
  env: { BOH_CONFIG_DIR: string; BOH_BASE_URL: string; BOH_TOKEN: string };
  /** Runs a command in the test's process, in the account of the sandbox. */
  boh(...line: string[]): ReturnType<typeof runLine>;
  /** Runs a command with `--json`, which must succeed, and returns the value that it prints. */
  // biome-ignore lint/suspicious/noExplicitAny: tests check the shape of the JSON
  json(...line: string[]): Promise<any>;
  /** Returns the first row of a query on the database of the sandbox. */
  row(sql: string): Record<string, unknown>;
  get(path: string): Promise<Response>;
  /** Stops the server before the end of the test. */
  stop(): Promise<void>;
}

/**
 * Serves a sandbox, by default a copy of the demo business, until the end of the test. It refuses requests that differ from
 * the API document, so that mistakes of boh's own client fail.
 */
export async function serveSandbox({
  faults,
  name = 'served',
  config = mkdtempSync(join(home, 'config-')),
}: ServingOptions = {}): Promise<ServedSandbox> {
  const file = sandboxFile(config, name);
  if (!existsSync(file)) copyDemoBusiness(config, name);
  const sandbox = await openSandbox({ api, file, variant: { 'wire.requests': 'strict' } });
  if (faults !== undefined) storeFaultPlan(sandbox.database, parseFaultPlan(faults, 'faults'));
  const server = await listen(sandbox, {
    port: 0,
    apiPrefix: '',
    isAutoApproved: false,
    createOpenApi: () => ({}),
    onUnexpectedError: (error) => console.error(error),
  });
  const database = new DatabaseSync(file, { readOnly: true });
  let isStopped = false;
  const stop = async () => {
    if (isStopped) return;
    isStopped = true;
    await server.close();
    database.close();
    sandbox.close();
  };
  onTestFinished(stop);
  const { baseUrl } = server;
  const token = sandbox.ownerToken();
  const env = { BOH_CONFIG_DIR: config, BOH_BASE_URL: baseUrl, BOH_TOKEN: token };
  const boh = (...line: string[]) => runLine(line, { env });
  return {
    config,
    baseUrl,
    token,
    env,
    boh,
    json: async (...line) => {
      const result = await boh(...line, '--json');
      if (result.exitCode !== 0) throw new Error(`${line.join(' ')}: ${result.stderr}`);
      return JSON.parse(result.stdout);
    },
    row: (sql) => database.prepare(sql).get() ?? {},
    get: (path) => fetch(baseUrl + path, { headers: { authorization: `Bearer ${token}` } }),
    stop,
  };
}
