/** Stores a mirror in a database that supports PostgreSQL's protocol, with SQL that all such engines accept. */
import { setTimeout } from 'node:timers/promises';
import type { Client } from 'pg';
import { Failure } from '../../base/errors.ts';
import { StorageFailure } from '../../storage/failures.ts';
import { fileFormats } from '../../storage/formats.ts';
import type { MirroredResource } from '../schema/derive.ts';
import { metadataTable } from '../schema/state.ts';
import { type Cell, columnNames, idColumn, type Table } from '../schema/table.ts';
import { metadataChange, readMetadata } from '../sync/states.ts';
import type { PostgresTarget } from '../target.ts';
import { toCell } from './postgres-cells.ts';
import { connectToDatabase, databaseError, errorCodeOf } from './postgres-connection.ts';
import { createMissingIndexes, readColumns, updateSchema } from './postgres-schema.ts';
import type { Sql } from './sql.ts';
import { type Statements, statementsOf } from './statements.ts';
import type { Store, StoreChange, StoredRow } from './store.ts';

/** The maximum size of a statement, in bytes. */
const maxStatementBytes = 1_048_576;

/**
 * The numbers of rows or values in a statement. There are few sizes, so that the server parses few different statements.
 */
const batchSizes = [250, 50, 10, 1] as const;

/** The error codes of a conflict with another transaction: the transaction had no effect and can be retried. */
const conflictCodes = new Set(['40001', '40P01']);
const maxAttempts = 10;

/**
 * The error code of an insert whose row already exists: the transaction had no effect and can be retried with
 * upserts.
 */
const uniqueViolation = '23505';

interface Statement {
  sql: string;
  values: readonly Cell[];
}

/** Opens the database as a mirror; creates missing tables and columns. */
export async function openPostgres(
  target: PostgresTarget,
  resources: readonly MirroredResource[],
): Promise<Store> {
  const client = await connectToDatabase(target);
  const statements = statementsOf('postgres');
  const names = new PreparedNames();

  let canInsert = true;
  const attempt = (changes: readonly StoreChange[]) => {
    const allStatements = changes.flatMap((change) => statementsFor({ statements, canInsert }, change));
    return inTransaction(client, allStatements, names);
  };
  const write = (changes: readonly StoreChange[]) =>
    withDatabaseFailures(target, async () => {
      try {
        await attempt(changes);
      } catch (error) {
        if (!canInsert || errorCodeOf(error) !== uniqueViolation) throw error;
        canInsert = false;
        await attempt(changes);
      }
    });
  const read = (query: Sql) => withDatabaseFailures(target, () => readRows(client, query));
  // Rows that were read before a signal are still written, but no new statement is started after it.
  const run = (sql: string) =>
    withDatabaseFailures(target, async () => {
      target.signal?.throwIfAborted();
      await client.query(sql);
    });
  const store: Store = {
    label: target.label,
    dialect: 'postgres',
    write,
    // The database itself cleans up old rows.
    scrub: write,
    createIndexes: (tables) => createMissingIndexes({ run, read }, tables),
    read,
    close: () => client.end(),
  };
  try {
    const existingColumns = await readColumns(store);
    const version = await requireVersion(store, target.label, existingColumns);
    await updateSchema({ run, read, write, resources, label: target.label, existingColumns });
    if (version === undefined) await write([metadataChange(versionKey, currentVersion)]);
    return store;
  } catch (error) {
    await client.end();
    throw error;
  }
}

const versionKey = 'version';
const currentVersion = String(fileFormats.mirror.version);

/**
 * Returns the version of the mirror; undefined if there is none. Throws if it is another version, unless any is allowed.
 */
export async function requireVersion(
  reader: Pick<Store, 'read'>,
  label: string,
  existingTables: ReadonlyMap<string, unknown>,
  allowsAnyVersion = false,
): Promise<string | undefined> {
  if (!existingTables.has(metadataTable.name)) return undefined;
  const version = await readMetadata(reader, versionKey);
  if (version === undefined || version === currentVersion || allowsAnyVersion) return version;
  throw new StorageFailure('version', {
    ...fileFormats.mirror,
    file: label,
    remedy: 'Or use another database for the mirror.',
  });
}

/**
 * Runs all statements in one transaction. They are sent together, because waiting for each response would take a round
 * trip; but only once the transaction has begun, and COMMIT only once all have succeeded.
 */
async function inTransaction(
  client: Client,
  statements: readonly Statement[],
  names: PreparedNames,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await client.query('BEGIN');
      const results = statements.map(({ sql, values }) =>
        client.query({ text: sql, values: values as Cell[], name: names.nameFor(sql) }),
      );
      const rejectedResult = (await Promise.allSettled(results)).find(({ status }) => status === 'rejected');
      if (rejectedResult?.status === 'rejected') throw rejectedResult.reason;
      await client.query('COMMIT');
      return;
    } catch (error) {
      await client.query('ROLLBACK').catch(() => {});
      if (!conflictCodes.has(errorCodeOf(error) ?? '') || attempt >= maxAttempts) throw error;
      await setTimeout(Math.random() * 2 ** attempt * 10);
    }
  }
}

/** Names for prepared statements: the server parses each statement once. */
class PreparedNames {
  readonly #names = new Map<string, string>();

  nameFor(sql: string): string {
    const name = this.#names.get(sql) ?? `boh ${this.#names.size}`;
    this.#names.set(sql, name);
    return name;
  }
}

/** Runs a query and returns its rows as cells. */
export async function readRows(client: Client, query: Sql): Promise<StoredRow[]> {
  const text = query.textFor('postgres');
  const { rows, fields } = await client.query({ text, values: [...query.values], rowMode: 'array' });
  return rows.map((row: unknown[]) =>
    Object.fromEntries(fields.map(({ name, dataTypeID }, index) => [name, toCell(dataTypeID, row[index])])),
  );
}

interface StatementContext {
  statements: Statements;
  /** Whether rows marked as new are inserted; otherwise they are upserted. */
  canInsert: boolean;
}

function statementsFor({ statements, canInsert }: StatementContext, change: StoreChange): Statement[] {
  const { table } = change;
  switch (change.kind) {
    case 'put': {
      const kind = change.isNew && canInsert ? 'add' : 'put';
      return divideIntoBatches(removeDuplicateIds(table, change.rows), estimateBytes).map((rows) => ({
        sql: statements[kind](table, rows.length),
        values: valuesOf(table, rows),
      }));
    }
    case 'drop':
      return divideIntoBatches(change.values, (value) => estimateBytes([value])).map((values) => ({
        sql: statements.drop(table, change.column, values.length),
        values,
      }));
    case 'blank':
      return [{ sql: statements.blank(table, change.columns), values: [] }];
    case 'clear':
      return [{ sql: statements.clear(table), values: [] }];
  }
}

/** Returns each row once, because a statement can't write a row twice: the last row with an ID is used. */
function removeDuplicateIds(table: Table, rows: readonly (readonly Cell[])[]): readonly (readonly Cell[])[] {
  const index = columnNames(table).indexOf(idColumn);
  if (new Set(rows.map((row) => row[index])).size === rows.length) return rows;
  return [...new Map(rows.map((row) => [row[index], row])).values()];
}

/** Divides items into batches of the sizes in `batchSizes`, none larger than the maximum size of a statement. */
function divideIntoBatches<T>(items: readonly T[], bytesOf: (item: T) => number): T[][] {
  const result: T[][] = [];
  for (let index = 0; index < items.length; index += result.at(-1)?.length ?? 0) {
    const remainingItems = items.slice(index, index + batchSizes[0]);
    const size =
      batchSizes.find(
        (count) =>
          count <= remainingItems.length && isWithinStatementLimit(remainingItems.slice(0, count), bytesOf),
      ) ?? 1;
    result.push(remainingItems.slice(0, size));
  }
  return result;
}

function isWithinStatementLimit<T>(items: readonly T[], bytesOf: (item: T) => number): boolean {
  return items.reduce((sum, item) => sum + bytesOf(item), 0) <= maxStatementBytes;
}

/** Returns an upper bound of the size in bytes, including the overhead of each value. */
function estimateBytes(row: readonly Cell[]): number {
  let size = 0;
  for (const cell of row) size += 12 + (typeof cell === 'string' ? cell.length * 3 : 20);
  return size;
}

/**
 * Returns the values of all rows in order. A timestamp gets the offset of UTC, so that the session's time zone
 * doesn't matter.
 */
function valuesOf({ columns }: Table, rows: readonly (readonly Cell[])[]): Cell[] {
  const timestampFlags = columns.map(({ type }) => type === 'timestamptz');
  return rows.flatMap((row) =>
    row.map((cell, index) => (timestampFlags[index] && cell !== null ? `${cell}+00` : cell)),
  );
}

/** Runs work and converts a database error to a failure, or to the signal's reason if the signal ended the work. */
export async function withDatabaseFailures<T>(target: PostgresTarget, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    target.signal?.throwIfAborted();
    const failure = databaseError(error, target);
    throw failure instanceof Failure ? failure : error;
  }
}
