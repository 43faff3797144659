/** Whether a sandbox is whole: its file, page by page, and what stands in it beside the records themselves. */
import { damageIn } from '../storage/check.ts';
import type { Database, StoredRow } from '../storage/database.ts';
import { StorageFailure } from '../storage/failures.ts';
import { quoted } from '../storage/quoted.ts';
import { progressOf } from './business/passing-time.ts';
import { faultPlan } from './faults/stored.ts';
import { openSandbox, type Sandbox, type SandboxOptions } from './service.ts';
import { isObject, readFact } from './store/facts.ts';
import { schemaOf } from './store/schema.ts';
import { type Table, Tables } from './store/tables.ts';

/**
 * What is wrong with the sandbox of a file, each in a sentence; nothing where it is whole. Reads all of it, which
 * takes seconds for one of a million records. A file that can’t be looked at, whatever keeps us from it, is a failure.
 */
export async function problemsOf(options: SandboxOptions): Promise<string[]> {
  try {
    const sandbox = await openSandbox(options);
    try {
      return problemsIn(sandbox);
    } finally {
      sandbox.close();
    }
  } catch (error) {
    if (!isDamage(error)) throw error;
    return [`SQLite finds: ${error.cause instanceof Error ? error.cause.message : 'something is missing'}.`];
  }
}

/** The same of one that is open. */
export function problemsIn(sandbox: Sandbox): string[] {
  const damage = damageIn(sandbox.database).map((words) => `SQLite finds: ${words}.`);
  return damage.length > 0 ? damage : contentProblems(sandbox, new Tables(sandbox.api).all);
}

function isDamage(error: unknown): error is StorageFailure {
  return error instanceof StorageFailure && error.problem === 'damaged';
}

function contentProblems(sandbox: Sandbox, tables: readonly Table[]): string[] {
  const { database } = sandbox;
  return [
    ...factProblems(sandbox),
    ...tables.flatMap((table) => countProblems(database, table)),
    ...schemaOf(tables).tables.flatMap(({ name, columns }) =>
      columns.filter(({ isJson }) => isJson).flatMap((column) => jsonProblems(database, name, column.name)),
    ),
  ];
}

function factProblems(sandbox: Sandbox): string[] {
  const { database, clock } = sandbox;
  const facts: Record<string, () => unknown> = {
    business: () => readFact(database, 'business', isObject),
    clock: () => clock.state(),
    faults: () => faultPlan(database),
    progress: () => progressOf(database),
    settings: () => sandbox.settings(),
  };
  return Object.entries(facts).flatMap(([name, read]) =>
    isReadable(read) ? [] : [`The fact “${name}” holds what can’t be.`],
  );
}

function isReadable(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch (error) {
    if (!isDamage(error)) throw error;
    return false;
  }
}

function countProblems(database: Database, { name, isSoftDeleted }: Table): string[] {
  const deleted = isSoftDeleted ? 'count(deleted_at)' : '0';
  const counted = database.get(
    `SELECT count(*) - ${deleted} AS active, ${deleted} AS deleted FROM ${quoted(name)}`,
  );
  const kept = database.get('SELECT active, deleted FROM sandbox_counts WHERE name = ?', name);
  const isRight = kept?.active === counted?.active && kept?.deleted === counted?.deleted;
  return isRight && areBlocksRight(database, name, counted ?? {})
    ? []
    : [`The count of ${name.replaceAll('_', ' ')} is not what there is.`];
}

/** By which pages are found. */
function areBlocksRight(database: Database, name: string, counted: StoredRow): boolean {
  const sums = database.all(
    'SELECT sum(active) AS active, sum(deleted) AS deleted FROM sandbox_blocks WHERE name = ? GROUP BY bits',
    name,
  );
  return sums.every(({ active, deleted }) => active === counted.active && deleted === counted.deleted);
}

function jsonProblems(database: Database, table: string, column: string): string[] {
  const [name, of] = [quoted(column), quoted(table)];
  const sql = `SELECT count(*) AS number FROM ${of} WHERE ${name} IS NOT NULL AND NOT json_valid(${name})`;
  const number = Number(database.get(sql)?.number);
  return number === 0
    ? []
    : [`In ${table}, ${column} is damaged in ${number === 1 ? 'one row' : `${number} rows`}.`];
}
