/** Mirrors for tests: a sandbox, a SQLite file, and a comparison of both row by row. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { onTestFinished } from 'vitest';
import type { Environment } from '../../src/base/environment.ts';
import { api } from '../../src/resources/index.ts';
import { copyDemoBusiness } from '../harness/demo-business.ts';
import { type BohResult, runBoh } from '../harness/run-boh.ts';

type Row = Record<string, unknown>;

export interface MirrorWorkspace {
  folder: string;
  file: string;
  env: Environment;
  /** Runs a command line; words are separated by spaces. */
  boh(line: string, stdin?: string): Promise<BohResult>;
  json<Answer = Row[]>(line: string): Promise<Answer>;
  sync(flags?: string): Promise<BohResult>;
  sql(text: string): Row[];
  /** Runs any SQL on the file, also what a mirror doesn't allow. */
  change(text: string): void;
  /** Returns how mirror and account differ; empty if they agree. */
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
  const json = async <Answer>(line: string): Promise<Answer> => {
    const result = await boh(`${line} --json`);
    if (result.exitCode !== 0) throw new Error(`${line}: ${result.stderr}`);
    return JSON.parse(result.stdout);
  };
  const opened = <T>(work: (database: DatabaseSync) => T, readOnly: boolean): T => {
    const database = new DatabaseSync(file, { readOnly, timeout: 5000 });
    try {
      return work(database);
    } finally {
      database.close();
    }
  };
  const sql = (text: string) => opened((database) => database.prepare(text).all() as Row[], true);
  return {
    folder,
    file,
    env,
    boh,
    json,
    sync: (flags = '') => boh(`mirror sync ${flags} --json`.replaceAll(/ +/g, ' ')),
    sql,
    change: (text) => opened((database) => database.exec(text), false),
    differences: (...resources) => differencesBetween(json, sql, resources),
  };
}

/** Returns a new place that was synced, with the given flags. */
export async function synced(flags = ''): Promise<MirrorWorkspace> {
  const workspace = openWorkspace();
  const result = await workspace.sync(flags);
  if (result.exitCode !== 0) throw new Error(`mirror sync ${flags}: ${result.stderr}`);
  return workspace;
}

/** Compares without the code that fills the tables: looks up what a list returns by the names in the contract. */
export async function differencesBetween(
  json: (line: string) => Promise<Row[]>,
  sql: (text: string) => Row[],
  resources: readonly string[] = [],
): Promise<string[]> {
  const found: string[] = [];
  for (const { name, command, filters, fields, one } of api.collections) {
    if (resources.length > 0 && !resources.includes(name)) continue;
    const hasDeleted = filters.some((filter) => filter.name === 'is_deleted');
    const include = Object.keys(fields).filter((field) => fields[field]?.traits.includable);
    const flags = `${hasDeleted ? ' --is-deleted' : ''}${include.length > 0 ? ` --include ${include}` : ''}`;
    const records = await json(`${command} list --all${flags}`);
    const rows = new Map(sql(`SELECT * FROM "${name}"`).map((row) => [row.id, row]));
    if (rows.size !== records.length) found.push(`${name}: ${records.length} records, ${rows.size} rows`);
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
      if (!row) found.push(`${name} ${record.id}: no row`);
      else found.push(...recordDifferences(name, record, row, linked));
    }
  }
  return found;
}

function recordDifferences(
  name: string,
  record: Row,
  row: Row,
  linked: ReadonlyMap<string, ReadonlyMap<unknown, Row[]>>,
): string[] {
  const exact = digitsBeside(row);
  return Object.entries(record).flatMap(([field, value]) => {
    const rows = linked.get(field);
    if (rows) {
      const expected = ((value ?? []) as unknown[]).map((each) => inAList(each)).sort();
      const there = (rows.get(record.id) ?? []).map((each) =>
        [...Object.values(each), ...Object.values(digitsBeside(each))].map(plain),
      );
      const isSame =
        expected.length === there.length &&
        expected.every((wanted) => there.some((cells) => wanted.every((cell) => cells.includes(cell))));
      return isSame ? [] : [`${name} ${record.id}: ${field} is ${expected}, and ${there} in the mirror`];
    }
    if (Array.isArray(value)) return [];
    const isRelated = typeof value === 'object' && value !== null;
    const shown = isRelated ? (value as Row).id : value;
    const cell = exact[field] ?? row[isRelated ? `${field}_id` : field];
    const isLeftOut = value === null || value === '••••';
    if (isLeftOut || plain(cell) === plain(shown)) return [];
    return [`${name} ${record.id}: ${field} is ${plain(shown)}, and ${plain(cell)} in the mirror`];
  });
}

/** Returns what a row of a link or nested list must contain: the ID of the linked record, and the link's data. */
function inAList(each: unknown): string[] {
  if (Array.isArray(each)) return each.map(plain);
  if (typeof each !== 'object' || each === null) return [plain(each)];
  const { id, pivot = {} } = each as { id: unknown; pivot?: Row };
  return [plain(id), ...Object.values(pivot).map(plain)];
}

/** Returns the exact digits of numbers that a double would change. */
function digitsBeside({ exact_numbers: beside }: Row): Row {
  return typeof beside === 'string' ? JSON.parse(beside) : {};
}

function plain(value: unknown): string {
  return value === true ? '1' : value === false ? '0' : String(value);
}
