/** Stores a mirror in a database that supports PostgreSQL's protocol, with SQL that all such engines accept. */
import { setTimeout } from 'node:timers/promises';
import type { Client } from 'pg';
import { type Sql, sql } from '../../../api/sql/sql.ts';
import { Failure, usage } from '../../../base/errors.ts';
import { StorageFailure } from '../../../base/storage/failures.ts';
import { fileFormats } from '../../../base/storage/formats.ts';
import type { MirroredResource } from '../schema/derive.ts';
import { historyTables } from '../schema/history-tables.ts';
import { allTables, recordTables } from '../schema/reference-tables.ts';
import { metadataTable } from '../schema/state.ts';
import { type Cell, columnNames, idColumn, type Table } from '../schema/table.ts';
import { metadataChange, readMetadata, readStates } from '../sync/states.ts';
import type { PostgresTarget } from '../target.ts';
import { changeAllStatement, dropStatement, dropViewStatement, putStatement, viewsOf } from './ddl.ts';
import {
  columnsByTable,
  type ExistingSchema,
  type MissingPart,
  missingParts,
  stateResets,
} from './missing-parts.ts';
import { toCell } from './postgres-cells.ts';
import { connectToDatabase, databaseError, errorCodeOf } from './postgres-connection.ts';
import type { Store, StoreChange, StoredRow } from './store.ts';

/** The maximum size of a statement, in bytes. */
const maxStatementBytes = 1_048_576;

/** The maximum number of rows or values in a statement. */
const maxStatementRows = 250;

/** The error codes of a conflict with another transaction: the transaction had no effect and can be retried. */
const conflictCodes = new Set(['40001', '40P01']);
const maxAttempts = 10;

interface Statement {
  text: string;
  values: readonly Cell[];
}

/** Opens the database as a mirror; creates missing tables and columns. */
export async function openPostgres(
  target: PostgresTarget,
  resources: readonly MirroredResource[],
): Promise<Store> {
  const client = await connectToDatabase(target);
  const write = (changes: readonly StoreChange[]) =>
    withDatabaseFailures(target, () => inTransaction(client, changes.flatMap(statementsFor)));
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
async function inTransaction(client: Client, statements: readonly Statement[]): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await client.query('BEGIN');
      const results = statements.map(({ text, values }) => client.query({ text, values: [...values] }));
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

/** Runs a query and returns its rows as cells. */
export async function readRows(client: Client, query: Sql): Promise<StoredRow[]> {
  const text = query.textFor('postgres');
  const { rows, fields } = await client.query({ text, values: [...query.values], rowMode: 'array' });
  return rows.map((row: unknown[]) =>
    Object.fromEntries(fields.map(({ name, dataTypeID }, index) => [name, toCell(dataTypeID, row[index])])),
  );
}

function statementsFor(change: StoreChange): Statement[] {
  const { table } = change;
  switch (change.kind) {
    case 'put':
      return divideIntoBatches(removeDuplicateIds(table, change.rows), estimateBytes).map((rows) => ({
        text: putStatement('postgres', table, rows.length),
        values: valuesOf(table, rows),
      }));
    case 'drop':
      return divideIntoBatches(change.values, (value) => estimateBytes([value])).map((values) => ({
        text: dropStatement('postgres', table, change.column, values.length),
        values,
      }));
    default:
      return [{ text: changeAllStatement(change), values: [] }];
  }
}

/** Returns each row once, because a statement can't write a row twice: the last row with an ID is used. */
function removeDuplicateIds(table: Table, rows: readonly (readonly Cell[])[]): readonly (readonly Cell[])[] {
  const index = columnNames(table).indexOf(idColumn);
  if (new Set(rows.map((row) => row[index])).size === rows.length) return rows;
  return [...new Map(rows.map((row) => [row[index], row])).values()];
}

/** Divides items into batches, none larger than the maximum size of a statement. */
function divideIntoBatches<T>(items: readonly T[], bytesOf: (item: T) => number): T[][] {
  const batches: T[][] = [];
  let batchBytes = 0;
  for (const item of items) {
    const bytes = bytesOf(item);
    const batch = batches.at(-1);
    if (batch && batch.length < maxStatementRows && batchBytes + bytes <= maxStatementBytes) {
      batch.push(item);
      batchBytes += bytes;
    } else {
      batches.push([item]);
      batchBytes = bytes;
    }
  }
  return batches;
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

/** The input for updating a mirror's tables. */
interface SchemaUpdate {
  run(sql: string): Promise<void>;
  read(query: Sql): Promise<StoredRow[]>;
  write(changes: readonly StoreChange[]): Promise<void>;
  resources: readonly MirroredResource[];
  /** The name of the database in messages: the URL without the password. */
  label: string;
  existingColumns: ExistingSchema['columns'];
}

/** Creates missing tables, columns and views. Throws a usage failure if other tables have the mirror's names. */
async function updateSchema(update: SchemaUpdate): Promise<void> {
  const { resources, label, write, existingColumns } = update;
  const names = [...recordTables(resources), ...historyTables].map(({ name }) => name);
  const usedNames = existingColumns.has(metadataTable.name)
    ? []
    : names.filter((name) => existingColumns.has(name));
  if (usedNames.length > 0) {
    throw usage(`${label} already has other tables with names that a mirror uses: ${usedNames.join(', ')}.`, {
      hint: 'Use a separate database for the mirror: createdb mirror',
    });
  }
  const indexRows = await update.read(
    sql`SELECT indexname FROM pg_indexes WHERE schemaname = current_schema()`,
  );
  const parts = missingParts('postgres', resources, {
    columns: existingColumns,
    indexes: new Set(indexRows.map(({ indexname }) => String(indexname))),
    hasView: ({ name }) => existingColumns.has(name),
  });
  const { own = [], data = [] } = Object.groupBy(parts, ({ stateName }) => (stateName ? 'data' : 'own'));
  const statementsOf = (missing: readonly MissingPart[]) => missing.flatMap(({ statements }) => statements);
  await runAll(update, statementsOf(own));
  const resets = stateResets(await readStates(update), parts);
  if (resets.length > 0) await write(resets);
  await runAll(update, statementsOf(data));
  await runAll(
    update,
    parts.flatMap(({ viewStatements }) => viewStatements),
  );
}

/**
 * Runs statements in order, each in a transaction of its own. They are sent together, because a mirror has hundreds
 * of tables and waiting for each response would take a round trip. Throws the first error once all have ended; the
 * next sync creates what is still missing.
 */
async function runAll({ run }: Pick<SchemaUpdate, 'run'>, statements: readonly string[]): Promise<void> {
  const results = await Promise.allSettled(statements.map(run));
  const rejectedResult = results.find(({ status }) => status === 'rejected');
  if (rejectedResult?.status === 'rejected') throw rejectedResult.reason;
}

/** Returns the names of the columns by table, in the mirror's schema: the first one of the search path. */
export async function readColumns({ read }: Pick<SchemaUpdate, 'read'>): Promise<ExistingSchema['columns']> {
  const query = sql`SELECT table_name, column_name FROM information_schema.columns
    WHERE table_schema = current_schema()`;
  return columnsByTable(await read(query));
}

/** Returns the statements that drop all tables of a mirror; the views come first. */
export function dropStatements(resources: readonly MirroredResource[]): string[] {
  const tables = allTables(resources);
  const views = tables.flatMap((table) => viewsOf('postgres', table));
  return [...views.map(dropViewStatement), ...tables.map(({ name }) => `DROP TABLE IF EXISTS "${name}"`)];
}
