/** Checks the integrity of a sandbox: its file, its settings and other stored values. */
import type { Database } from '../base/storage/database.ts';
import { StorageFailure } from '../base/storage/failures.ts';
import { quoteName } from '../base/storage/quote-name.ts';
import { readProgress } from './business/time-effects.ts';
import { readFaultPlan } from './faults/engine.ts';
import { kinds } from './kinds.ts';
import { openSandbox, type Sandbox, type SandboxOptions } from './service.ts';
import { isObject, readStoredValue } from './store/rows.ts';
import { schemaOf } from './store/schema.ts';
import { type Table, Tables } from './store/tables.ts';

/**
 * Returns the problems of a sandbox's file as sentences; empty if there are none. Reads the whole file, which takes
 * seconds for a million records. Throws if the file can't be opened.
 */
export async function checkSandboxFile(options: SandboxOptions): Promise<string[]> {
  try {
    const sandbox = await openSandbox(options);
    try {
      return checkOpenSandbox(sandbox);
    } finally {
      sandbox.close();
    }
  } catch (error) {
    if (!isDamageFailure(error)) throw error;
    return [
      `SQLite reports: ${error.cause instanceof Error ? error.cause.message : 'something is missing'}.`,
    ];
  }
}

/** Returns the problems of an open sandbox as sentences, like `checkSandboxFile`. */
export function checkOpenSandbox(sandbox: Sandbox): string[] {
  const damage = sandbox.database.checkIntegrity().map((message) => `SQLite reports: ${message}.`);
  return damage.length > 0 ? damage : contentProblems(sandbox, new Tables(sandbox.api).all);
}

function isDamageFailure(error: unknown): error is StorageFailure {
  return error instanceof StorageFailure && error.problem === 'damaged';
}

function contentProblems(sandbox: Sandbox, tables: readonly Table[]): string[] {
  const { database } = sandbox;
  return [
    ...storedValueProblems(sandbox),
    ...schemaOf(tables).tables.flatMap(({ name, columns }) =>
      columns
        .filter(({ field }) => kinds[field.kind].isJson)
        .flatMap((column) => jsonProblems(database, name, column.name)),
    ),
  ];
}

function storedValueProblems(sandbox: Sandbox): string[] {
  const { database, clock } = sandbox;
  const storedValues: Record<string, () => unknown> = {
    business: () => readStoredValue(database, 'business', isObject),
    clock: () => clock.state(),
    faults: () => readFaultPlan(database),
    progress: () => readProgress(database),
    settings: () => sandbox.settings(),
  };
  return Object.entries(storedValues).flatMap(([name, read]) =>
    isReadable(read) ? [] : [`The stored ${name} can't be read.`],
  );
}

function isReadable(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch (error) {
    if (!isDamageFailure(error)) throw error;
    return false;
  }
}

function jsonProblems(database: Database, table: string, column: string): string[] {
  const [quotedColumn, quotedTable] = [quoteName(column), quoteName(table)];
  const sql = `SELECT count(*) AS number FROM ${quotedTable} WHERE ${quotedColumn} IS NOT NULL AND NOT json_valid(${quotedColumn})`;
  const count = Number(database.get(sql)?.number);
  return count === 0
    ? []
    : [`In ${table}, ${column} is damaged in ${count === 1 ? 'one row' : `${count} rows`}.`];
}
