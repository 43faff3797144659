/** Accounts of a test, each a sandbox of its own, and what two backups have in common but for ids and times. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { isRow, type Row } from '../../src/session/row.ts';
import type { Manifest } from '../../src/transfer/backup/manifest.ts';
import { putDemoBusiness, putEmptyBusiness, sandboxIn } from '../harness/demo-business.ts';
import { type Ran, runBoh } from '../harness/run-boh.ts';

export interface Accounts {
  folder: string;
  /** A line for the sandbox of that name. Words are divided at spaces. */
  boh(sandbox: string, line: string): Promise<Ran>;
  /** A line for none of them. */
  outside(line: string, env?: Record<string, string>): Promise<Ran>;
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  json(sandbox: string, line: string): Promise<any>;
  /** Makes it a new sandbox with the demo business in it, which others are once they are spoken to. */
  fill(sandbox: string): void;
  /** Makes it one with nothing but its owner. */
  empty(sandbox: string): void;
  /** Backs the sandbox up, and answers what is in it. */
  backup(sandbox: string, name: string): Promise<Kept>;
}

export type Kept = ReadonlyMap<string, Row[]>;

export function openAccounts(): Accounts {
  const folder = mkdtempSync(join(tmpdir(), 'boh-transfer-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  const config = join(folder, 'config');
  const outside = (line: string, env = {}) =>
    runBoh(line.split(' '), { env: { BOH_CONFIG_DIR: config, ...env } });
  const boh = (sandbox: string, line: string) => {
    if (!existsSync(sandboxIn(config, sandbox))) putDemoBusiness(config, sandbox);
    return outside(`--sandbox ${line}`, { BOH_SANDBOX: sandbox });
  };
  return {
    folder,
    boh,
    outside,
    json: async (sandbox, line) => JSON.parse((await boh(sandbox, `${line} --json`)).stdout),
    fill: (sandbox) => putDemoBusiness(config, sandbox),
    empty: (sandbox) => putEmptyBusiness(config, sandbox),
    backup: async (sandbox, name) => {
      const ran = await boh(sandbox, `backup ${join(folder, name)} -q`);
      if (ran.exitCode !== 0) throw new Error(ran.stderr);
      return recordsIn(join(folder, name));
    },
  };
}

/** Of a run that prints what became of each row. */
export const rowsOf = ({ stdout }: Ran) =>
  stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));

export function recordsIn(folder: string): Kept {
  const { resources }: Manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
  return new Map(
    resources.map(({ resource, file }) => {
      const text = readFileSync(join(folder, file), 'utf8');
      return [resource, text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))];
    }),
  );
}

/** Of each resource its records in one form: names in the place of ids, without the fields that are the service’s own. */
export function comparable(kept: Kept, own: readonly string[]): Map<string, string[]> {
  const names = new Map<unknown, string>();
  for (const [resource, rows] of kept)
    for (const row of rows) names.set(row.id, `${resource}: ${row.sku ?? row.name ?? row.notes}`);
  const plain = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(plain).sort(byText);
    if (!isRow(value)) return names.get(value) ?? value;
    const entries = Object.entries(value).filter(
      ([name, inner]) => !own.includes(name) && (name !== 'id' || isName(inner)),
    );
    return Object.fromEntries(entries.map(([name, inner]) => [name, plain(inner)]));
  };
  // Ids inside a record, such as those of options, are of no other record.
  const isName = (id: unknown) => names.has(id) || String(id).includes('-');
  return new Map(
    [...kept].map(([resource, rows]) => [
      resource,
      rows
        .map((row) => JSON.stringify(plain({ ...row, deleted_at: row.deleted_at ? 'deleted' : null })))
        .sort(),
    ]),
  );
}

function byText(a: unknown, b: unknown): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;
}
