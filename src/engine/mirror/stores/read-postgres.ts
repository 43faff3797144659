/** Reads a mirror in a database. Each query of a user runs in a read-only transaction. */
import type { Client, QueryArrayConfig, QueryArrayResult } from 'pg';
import type { Sql } from '../../../api/sql/sql.ts';
import { Failure } from '../../../base/errors.ts';
import { boh } from '../../../base/hint.ts';
import { InvalidSql, type Parameters } from '../../../base/storage/read-only.ts';
import type { Cell } from '../schema/table.ts';
import type { PostgresTarget } from '../target.ts';
import { readColumns, readRows, requireVersion, withDatabaseFailures } from './postgres.ts';
import { toQueryCell } from './postgres-cells.ts';
import { connectToDatabase, errorCodeOf } from './postgres-connection.ts';
import type { QueryRows, Reader } from './store.ts';

/** Opens the mirror for reading. Throws `not_found` if the database has none. */
export async function openPostgresReader(target: PostgresTarget, allowsAnyVersion: boolean): Promise<Reader> {
  const client = await connectToDatabase(target);
  const read = (query: Sql) => withDatabaseFailures(target, () => readRows(client, query));

  let hasSnapshot = false;

  const rows = async (sql: string, parameters: Parameters): Promise<QueryRows> => {
    if (!readOnlyQueryPattern.test(sql))
      throw new InvalidSql('The mirror is read-only: only SELECT is allowed.');
    const values = parameters as readonly unknown[];
    return (await openCursor(client, target, sql, values)) ?? readAllRows(client, sql, values);
  };

  try {
    const version = await requireVersion(
      { read },
      target.label,
      await readColumns({ read }),
      allowsAnyVersion,
    );
    if (version === undefined) {
      throw new Failure('not_found', `No mirror found in ${target.label}.`, {
        hint: boh.hint`It is hidden from roles that may not read it. To create it: ${boh.mirror('mirror sync')}`,
      });
    }
  } catch (error) {
    await client.end();
    throw error;
  }
  return {
    label: target.label,
    dialect: 'postgres',
    read,
    beginSnapshot: () =>
      withDatabaseFailures(target, async () => {
        await client.query(beginSnapshot);
        hasSnapshot = true;
      }),
    rows: (sql, parameters) => withDatabaseFailures(target, () => rows(sql, parameters)),
    close: async () => {
      if (hasSnapshot) await client.query('ROLLBACK').catch(() => {});
      await client.end();
    },
  };
}

const beginSnapshot = 'BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY';

/**
 * Matches comments, followed by a word that starts a read-only statement. The check is needed because COPY can write
 * files even in a read-only transaction.
 */
const readOnlyQueryPattern =
  /^(?:\s|--[^\n]*\n|\/\*[\s\S]*?\*\/|\()*(?:select|with|values|table|explain|show)\b/i;

const beginReadOnly = 'BEGIN TRANSACTION READ ONLY';

/** The number of rows that are fetched at a time. */
const fetchRows = 1000;

/**
 * Returns the rows through a cursor, because they may not fit into memory. Returns undefined if the engine has no
 * cursor for the query or rejects it: the query is then run without a cursor, so that its error doesn't mention the
 * cursor.
 */
async function openCursor(
  client: Client,
  target: PostgresTarget,
  sql: string,
  values: readonly unknown[],
): Promise<QueryRows | undefined> {
  await client.query(beginReadOnly);
  const endTransaction = async () => void (await client.query('ROLLBACK').catch(() => {}));
  const declaration = `DECLARE boh_query NO SCROLL CURSOR FOR ${sql}`;
  try {
    await client.query({ name: 'query', text: declaration, values: [...values] });
  } catch (error) {
    await endTransaction();
    if (isServerError(errorCodeOf(error))) return undefined;
    throw error;
  }
  const fetch: QueryArrayConfig = { text: `FETCH ${fetchRows} FROM boh_query`, rowMode: 'array' };
  const fetchBatch = () =>
    withDatabaseFailures(target, () => {
      target.signal?.throwIfAborted();
      return client.query(fetch).catch(rethrowSqlError);
    });
  const firstBatch = await fetchBatch().catch(async (error) => {
    await endTransaction();
    throw error;
  });
  async function* cursorRows() {
    try {
      for (let result = firstBatch; result.rows.length > 0; result = await fetchBatch())
        yield* toCells(result);
    } finally {
      await endTransaction();
    }
  }
  return { columns: firstBatch.fields.map(({ name }) => name), rows: cursorRows() };
}

/** Runs the query without a cursor. A named statement makes the server accept only one statement. */
async function readAllRows(client: Client, sql: string, values: readonly unknown[]): Promise<QueryRows> {
  await client.query(beginReadOnly);
  try {
    const query: QueryArrayConfig = { name: 'whole', text: sql, values: [...values], rowMode: 'array' };
    const result = await client.query(query).catch(rethrowSqlError);
    return { columns: result.fields.map(({ name }) => name), rows: toCells(result) };
  } finally {
    await client.query('ROLLBACK').catch(() => {});
  }
}

function toCells({ rows, fields }: QueryArrayResult): Cell[][] {
  return rows.map((row: unknown[]) => fields.map((field, index) => toQueryCell(field, row[index])));
}

function rethrowSqlError(error: unknown): never {
  if (isStatementError(errorCodeOf(error)) && error instanceof Error) throw new InvalidSql(error.message);
  throw error;
}

/** Returns whether the server rejected the statement and still works: it may run the query without a cursor. */
function isServerError(code = ''): boolean {
  return /^[0-9A-Z]{5}$/.test(code) && !['08', '53', '57'].includes(code.slice(0, 2));
}

/** Returns whether the error is about the statement: syntax, names, values, privileges, or an attempt to write. */
function isStatementError(code = ''): boolean {
  return ['42', '22', '21', '0A', '25', '2F', '54'].includes(code.slice(0, 2));
}
