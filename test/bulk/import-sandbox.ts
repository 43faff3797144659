/** Imports of a test: each has its own sandbox, takes the text of a file, and returns result rows and records. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { RowResult } from '../../src/engine/runs/ledger/row.ts';
import { copyDemoBusiness } from '../harness/demo-business.ts';
import { type BohResult, runBoh } from '../harness/run-boh.ts';

export interface Imported extends BohResult {
  rows: (RowResult & { changes?: Record<string, { from: unknown; to: unknown }> | null })[];
}

export interface ImportSandbox {
  folder: string;
  /** Runs a command line, which is split at spaces. */
  boh(line: string, stdin?: string): Promise<BohResult>;
  json<Answer>(line: string): Promise<Answer>;
  /** Imports a file with this name; its content may be bytes. Arguments with spaces need a list. */
  import(name: string, text: string | Uint8Array, line: string | readonly string[]): Promise<Imported>;
  read(name: string): string;
}

export function openImportSandbox(): ImportSandbox {
  const folder = mkdtempSync(join(tmpdir(), 'boh-bulk-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  const env = { BOH_CONFIG_DIR: join(folder, 'config') };
  copyDemoBusiness(env.BOH_CONFIG_DIR);
  const run = (args: readonly string[], stdin?: string) =>
    runBoh(['--sandbox', ...args], { env, ...(stdin !== undefined && { stdin }) });
  const boh = (line: string, stdin?: string) => run(line.split(' '), stdin);
  return {
    folder,
    boh,
    json: async (line) => JSON.parse((await boh(`${line} --json`)).stdout),
    async import(name, text, line) {
      writeFileSync(join(folder, name), text);
      const [resource = '', ...flags] = typeof line === 'string' ? line.split(' ') : line;
      const result = await run([resource, 'import', join(folder, name), ...flags]);
      const lines = result.stdout
        .trimEnd()
        .split('\n')
        .filter((line) => line.startsWith('{'));
      return { ...result, rows: lines.map((line) => JSON.parse(line)) };
    },
    read: (name) => readFileSync(join(folder, name), 'utf8'),
  };
}
