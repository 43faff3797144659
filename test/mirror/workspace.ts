/** Creates mirrors for tests: a sandbox, a SQLite file, and a comparison of both by row. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { onTestFinished } from 'vitest';
import { api } from '../../src/api/resources/index.ts';
import type { Environment } from '../../src/base/environment.ts';
import { copyDemoBusiness } from '../harness/demo-business.ts';
import { type BohResult, runBoh } from '../harness/run-boh.ts';

type Row = Record<string, unknown>;

export interface MirrorWorkspace {
  folder: string;
  file: string;
  env: Environment;
  /** Runs a command line; words are separated by spaces. */
  boh(line: string, stdin?: string): Promise<BohResult>;
  json<Output = Row[]>(line: string): Promise<Output>;
  sync(flags?: string): Promise<BohResult>;
  sql(text: string): Row[];
  /** Runs SQL that changes the file. */
  change(text: string): void;
  /** Returns the differences of mirror and account as sentences; empty if there are none. */
  differences(...resources: string[]): Promise<string[]>;
}

export function openWorkspace(): MirrorWorkspace {
  const folder = mkdtempSync(join(tmpdir(), 'boh-mirror-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  const file = join(folder, 'mirror.sqlite');
  const env = { BOH_CONFIG_DIR: join(folder, 'config'), BOH_MIRROR: `sqlite:${file}` };
  copyDemoBusiness(env.BOH_CONFIG_DIR);
  const boh = (line: string, stdin?: string) =>
    runBoh(['--sandbox', ...line.split(' ')], { env, ...(stdin !== undefined && { stdin }) });
  const json = async <Output>(line: string): Promise<Output> => {
    const result = await boh(`${line} --json`);
    if (result.exitCode !== 0) throw new Error(`${line}: ${result.stderr}`);
    return JSON.parse(result.stdout);
  };
  const withDatabase = <T>(work: (database: DatabaseSync) => T, readOnly: boolean): T => {
    const database = new DatabaseSync(file, { readOnly, timeout: 5000 });
    try {
      return work(database);
    } finally {
      database.close();
    }
  };
  const sql = (text: string) => withDatabase((database) => database.prepare(text).all() as Row[], true);
  return {
    folder,
    file,
    env,
    boh,
    json,
    sync: (flags = '') => boh(`mirror sync ${flags} --json`.replaceAll(/ +/g, ' ')),
    sql,
    change: (text) => withDatabase((database) => database.exec(text), false),
    differences: (...resources) => differencesBetween(json, sql, resources),
  };
}

/** Opens a workspace and syncs its mirror with some flags. */
export async function openSyncedWorkspace(flags = ''): Promise<MirrorWorkspace> {
  const workspace = openWorkspace();
  const result = await workspace.sync(flags);
  if (result.exitCode !== 0) throw new Error(`mirror sync ${flags}: ${result.stderr}`);
  return workspace;
}

/** Returns the differences of mirror and account. Finds tables and columns by the names in the contract, without the mirror's code. */
export async function differencesBetween(
  json: (line: string) => Promise<Row[]>,
  sql: (text: string) => Row[],
  resources: readonly string[] = [],
): Promise<string[]> {
  const differences: string[] = [];
  for (const { name, command, filters, fields, one } of api.collections) {
    if (resources.length > 0 && !resources.includes(name)) continue;
    const hasDeleted = filters.some((filter) => filter.name === 'is_deleted');
    const include = Object.keys(fields).filter((field) => fields[field]?.traits.includable);
    const flags = `${hasDeleted ? ' --is-deleted' : ''}${include.length > 0 ? ` --include ${include}` : ''}`;
    const records = await json(`${command} list --all${flags}`);
    const rows = new Map(sql(`SELECT * FROM "${name}"`).map((row) => [row.id, row]));
    if (rows.size !== records.length)
      differences.push(`${name}: ${records.length} records, ${rows.size} rows`);
    const tables = new Set(sql("SELECT name FROM sqlite_schema WHERE type = 'table'").map((row) => row.name));
    const owner = `${one.replaceAll('-', '_')}_id`;
    const linked = new Map<string, Map<unknown, Row[]>>();
    for (const field of Object.keys(fields)) {
      const table = `${name}_${field}`;
      if (!tables.has(table)) continue;
      linked.set(
        field,
        Map.groupBy(sql(`SELECT * FROM "${table}"`), (row) => row[owner]),
      );
    }
    for (const record of records) {
      const row = rows.get(record.id);
      if (!row) differences.push(`${name} ${record.id}: no row`);
      else differences.push(...recordDifferences(name, record, row, linked));
    }
  }
  return differences;
}

function recordDifferences(
  name: string,
  record: Row,
  row: Row,
  linked: ReadonlyMap<string, ReadonlyMap<unknown, Row[]>>,
): string[] {
  const exact = exactDigits(row);
  return Object.entries(record).flatMap(([field, value]) => {
    const rows = linked.get(field);
    if (rows) {
      const expected = ((value ?? []) as unknown[]).map((item) => expectedCells(item)).sort();
      const storedRows = (rows.get(record.id) ?? []).map((item) =>
        [...Object.values(item), ...Object.values(exactDigits(item))].map(toText),
      );
      const isSame =
        expected.length === storedRows.length &&
        expected.every((expectedRow) =>
          storedRows.some((cells) => expectedRow.every((cell) => cells.includes(cell))),
        );
      return isSame ? [] : [`${name} ${record.id}: ${field} is ${expected}, and ${storedRows} in the mirror`];
    }
    if (Array.isArray(value)) return [];
    const isRelated = typeof value === 'object' && value !== null;
    const expectedValue = isRelated ? (value as Row).id : value;
    const cell = exact[field] ?? row[isRelated ? `${field}_id` : field];
    const isOmitted = value === null || value === '••••';
    if (isOmitted || toText(cell) === toText(expectedValue)) return [];
    return [`${name} ${record.id}: ${field} is ${toText(expectedValue)}, and ${toText(cell)} in the mirror`];
  });
}

/** Returns the cells that a row of a link or nested list must contain: the ID of the linked record, and the link's data. */
function expectedCells(item: unknown): string[] {
  if (Array.isArray(item)) return item.map(toText);
  if (typeof item !== 'object' || item === null) return [toText(item)];
  const { id, pivot = {} } = item as { id: unknown; pivot?: Row };
  return [toText(id), ...Object.values(pivot).map(toText)];
}

/** Returns the exact digits of numbers that a double would change. */
function exactDigits({ exact_numbers: json }: Row): Row {
  return typeof json === 'string' ? JSON.parse(json) : {};
}

function toText(value: unknown): string {
  return value === true ? '1' : value === false ? '0' : String(value);
}
