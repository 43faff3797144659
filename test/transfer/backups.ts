/** Test accounts, each with its own sandbox, and comparable contents of backups, without IDs and times. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { isRow, type Row } from '../../src/account/session/row.ts';
import type { BackupManifest } from '../../src/engine/transfer/backup/manifest.ts';
import { copyDemoBusiness, copyEmptyBusiness, sandboxFile } from '../harness/demo-business.ts';
import { type BohResult, runBoh } from '../harness/run-boh.ts';

export interface Accounts {
  folder: string;
  /** Runs a command line in a named sandbox. Words are separated by spaces. */
  boh(sandbox: string, line: string): Promise<BohResult>;
  /** Runs a command line without a sandbox. */
  bohWithoutSandbox(line: string, env?: Record<string, string>): Promise<BohResult>;
  // biome-ignore lint/suspicious/noExplicitAny: responses of every shape
  json(sandbox: string, line: string): Promise<any>;
  /** Creates a sandbox with the demo business. Other sandboxes are created like this when they are first used. */
  createDemoSandbox(sandbox: string): void;
  /** Creates a sandbox that contains only its owner. */
  createEmptySandbox(sandbox: string): void;
  /** Backs up the sandbox and returns its records. */
  backup(sandbox: string, name: string): Promise<BackupRecords>;
}

/** The records of a backup by resource. */
export type BackupRecords = ReadonlyMap<string, Row[]>;

export function openAccounts(): Accounts {
  const folder = mkdtempSync(join(tmpdir(), 'boh-transfer-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  const config = join(folder, 'config');
  const bohWithoutSandbox = (line: string, env = {}) =>
    runBoh(line.split(' '), { env: { BOH_CONFIG_DIR: config, ...env } });
  const boh = (sandbox: string, line: string) => {
    if (!existsSync(sandboxFile(config, sandbox))) copyDemoBusiness(config, sandbox);
    return bohWithoutSandbox(`--sandbox ${line}`, { BOH_SANDBOX: sandbox });
  };
  return {
    folder,
    boh,
    bohWithoutSandbox,
    json: async (sandbox, line) => JSON.parse((await boh(sandbox, `${line} --json`)).stdout),
    createDemoSandbox: (sandbox) => copyDemoBusiness(config, sandbox),
    createEmptySandbox: (sandbox) => copyEmptyBusiness(config, sandbox),
    backup: async (sandbox, name) => {
      const result = await boh(sandbox, `backup ${join(folder, name)} -q`);
      if (result.exitCode !== 0) throw new Error(result.stderr);
      return readBackup(join(folder, name));
    },
  };
}

/** Returns the results of the rows that a run prints. */
export const parseRows = ({ stdout }: BohResult) =>
  stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));

export function readBackup(folder: string): BackupRecords {
  const { resources }: BackupManifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
  return new Map(
    resources.map(({ resource, file }) => {
      const text = readFileSync(join(folder, file), 'utf8');
      return [resource, text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))];
    }),
  );
}

/** Returns comparable records by resource: names instead of IDs, without fields that the service sets. */
export function toComparable(backup: BackupRecords, ignoredFields: readonly string[]): Map<string, string[]> {
  const names = new Map<unknown, string>();
  for (const [resource, rows] of backup)
    for (const row of rows) names.set(row.id, `${resource}: ${row.sku ?? row.name ?? row.notes}`);
  const comparableValue = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(comparableValue).sort(compareJson);
    if (!isRow(value)) return names.get(value) ?? value;
    const entries = Object.entries(value).filter(
      ([name, nestedValue]) => !ignoredFields.includes(name) && (name !== 'id' || isRecordId(nestedValue)),
    );
    return Object.fromEntries(entries.map(([name, nestedValue]) => [name, comparableValue(nestedValue)]));
  };
  // Ids of nested items, such as options, aren't IDs of records.
  const isRecordId = (id: unknown) => names.has(id) || String(id).includes('-');
  return new Map(
    [...backup].map(([resource, rows]) => [
      resource,
      rows
        .map((row) =>
          JSON.stringify(comparableValue({ ...row, deleted_at: row.deleted_at ? 'deleted' : null })),
        )
        .sort(),
    ]),
  );
}

function compareJson(a: unknown, b: unknown): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;
}

/** Fields that no request can set, and fields that the service sets. */
export const serviceFields = [
  ...['created_at', 'updated_at', 'last_login_at', 'last_cashier_login_at', 'last_order_at'],
  ...['order_count', 'loyalty_balance', 'house_account_balance', 'is_owner', 'email_verified', 'is_product'],
  ...['business_date', 'previous_cost_per_unit', 'yield_percentage'],
];
const finalStatuses: Record<string, readonly number[]> = {
  cost_adjustments: [2],
  inventory_counts: [2],
  transfer_orders: [3, 4, 5],
};

const resourcesWithReference = ['cost_adjustments', 'inventory_counts'];

/** Returns the records that a restore can write: without read-only resources, and documents that have taken effect. */
export function selectRestorable(backup: BackupRecords): BackupRecords {
  return new Map(
    [...backup]
      .filter(([resource]) => !resource.startsWith('loyalty_'))
      .map(([resource, rows]) => [
        resource,
        rows
          .filter(({ status }) => !finalStatuses[resource]?.includes(Number(status)))
          .filter(({ type }) => resource !== 'payment_methods' || ![4, 5].includes(Number(type)))
          // The service assigns these references in each account.
          .map((row) => (resourcesWithReference.includes(resource) ? { ...row, reference: null } : row)),
      ]),
  );
}
