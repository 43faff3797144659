/** Runs command lines with a separate sandbox and history for each test. */
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { accountFolder } from '../../src/account/session/account.ts';
import { copyDemoBusiness } from '../harness/demo-business.ts';
import { home } from '../harness/home-folder.ts';
import { type BohResult, runBoh } from '../harness/run-boh.ts';

export interface Workspace {
  config: string;
  /** The folder of the account. */
  account: string;
  boh(...line: string[]): Promise<BohResult>;
  /** Runs a command line without `--sandbox`. */
  bohWithoutSandbox(env: Record<string, string>, ...line: string[]): Promise<BohResult>;
  /** Does the same as `boh`, with additional environment variables. */
  bohWith(env: Record<string, string>, ...line: string[]): Promise<BohResult>;
  /** Returns the printed JSON; the exit code must be 0. */
  // biome-ignore lint/suspicious/noExplicitAny: tests check its content
  json(...line: string[]): Promise<any>;
}

export function createWorkspace(): Workspace {
  const config = mkdtempSync(join(home, 'config-'));
  copyDemoBusiness(config);
  const bohWithoutSandbox: Workspace['bohWithoutSandbox'] = (env, ...line) =>
    runBoh(line, { env: { BOH_CONFIG_DIR: config, BOH_HISTORY_BEFORE: 'on', ...env } });
  const bohWith: Workspace['bohWith'] = (env, ...line) => bohWithoutSandbox(env, '--sandbox', ...line);
  const boh: Workspace['boh'] = (...line) => bohWith({}, ...line);
  return {
    config,
    account: accountFolder({ BOH_CONFIG_DIR: config }, { service: 'the sandbox "default"' }),
    boh,
    bohWithoutSandbox,
    bohWith,
    json: async (...line) => {
      const result = await boh(...line, '-o', 'json');
      if (result.exitCode !== 0) throw new Error(`${line.join(' ')}: ${result.stderr}`);
      return JSON.parse(result.stdout);
    },
  };
}

/** Opens the file of the journal as a database. */
export function openJournalFile(workspace: Workspace): DatabaseSync {
  return new DatabaseSync(join(workspace.account, 'history.sqlite'));
}

/** Creates a workspace with three updates of one supplier. Reads them, so that they are in the tables of the journal. */
export async function createWorkspaceWithUpdates(): Promise<Workspace> {
  const workspace = createWorkspace();
  for (const phone of ['1', '2', '3'])
    await workspace.boh('suppliers', 'update', 'supplier-1', '--phone', phone);
  await workspace.boh('history');
  return workspace;
}
