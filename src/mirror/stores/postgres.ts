/** A mirror in a database that speaks PostgreSQL’s protocol, written with the SQL that all of these engines take. */
import { setTimeout } from 'node:timers/promises';
import type { Compilable } from 'kysely';
import type { Client } from 'pg';
import { Failure } from '../../errors.ts';
import { StorageFailure } from '../../storage/failures.ts';
import type { Mirrored } from '../schema/derive.ts';
import { factsTable, schemaVersion } from '../schema/state.ts';
import { type Cell, columnNames, idColumn, type Table } from '../schema/table.ts';
import { keepFact, readFact } from '../sync/states.ts';
import type { PostgresTarget } from '../target.ts';
import { cellFrom } from './postgres-cells.ts';
import { codeOf, connectTo, databaseError } from './postgres-connection.ts';
import { bringUpToDate, columnsIn } from './postgres-schema.ts';
import { queriesFor, type Statements, statementsOf } from './statements.ts';
import type { Change, Store, StoredRow } from './store.ts';

/** No statement is larger than this, in rows and in bytes; a parameter has a number of 16 bits. */
const most = { rows: 500, bytes: 1_048_576, parameters: 65_535 } as const;

/** Another transaction was in the way: nothing was done, and the same may be tried again. */
const inTheWay = new Set(['40001', '40P01']);
const mostAttempts = 10;

export interface Statement {
  sql: string;
  values: readonly Cell[];
  /** Of one that comes again and again: the server reads it once. */
  name?: string;
}

/** Makes what its tables lack. */
export async function openPostgres(target: PostgresTarget, resources: readonly Mirrored[]): Promise<Store> {
  const client = await connectTo(target);
  const queries = queriesFor('postgres');
  const statements = statementsOf(queries);
  const outgrown = new Set<string>();

  const write = async (changes: readonly Change[]) => {
    const all = changes.flatMap((change) => statementsFor(statements, change));
    await telling(target, () => inTransaction(client, all));
  };
  const read = (query: Compilable) => telling(target, () => readRows(client, query));
  const store: Store = {
    called: target.called,
    dialect: 'postgres',
    outgrown,
    queries,
    write,
    // What the database keeps of old rows is its own to clear away.
    scrub: write,
    read,
    close: () => client.end(),
  };
  try {
    const version = schemaVersion(resources);
    if ((await versionIn(store)) > version) throw newer(target);
    const run = (sql: string) => telling(target, async () => void (await client.query(sql)));
    await bringUpToDate({ run, read, queries, resources, outgrown, called: target.called });
    await write([keepFact(versionFact, String(version))]);
    return store;
  } catch (error) {
    await client.end();
    throw error;
  }
}

const versionFact = 'schema_version';

/** 0 where there is no mirror yet. */
export async function versionIn(reader: Pick<Store, 'read' | 'queries'>): Promise<number> {
  if (!(await columnsIn(reader)).has(factsTable.name)) return 0;
  return Number((await readFact(reader, versionFact)) ?? 0);
}

export function newer({ called }: PostgresTarget): StorageFailure {
  return new StorageFailure('newer', {
    file: called,
    called: 'The mirror',
    remedy: 'Or name another database for a mirror of this version.',
  });
}

/** All of them or none. */
async function inTransaction(client: Client, statements: readonly Statement[]): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await client.query('BEGIN');
      for (const { sql, values, name } of statements) {
        await client.query({ text: sql, values: values as Cell[], ...(name !== undefined && { name }) });
      }
      await client.query('COMMIT');
      return;
    } catch (error) {
      await client.query('ROLLBACK').catch(() => {});
      if (!inTheWay.has(codeOf(error) ?? '') || attempt >= mostAttempts) throw error;
      await setTimeout(Math.random() * 2 ** attempt * 10);
    }
  }
}

export async function readRows(client: Client, query: Compilable): Promise<StoredRow[]> {
  const { sql, parameters } = query.compile();
  const { rows, fields } = await client.query({ text: sql, values: [...parameters], rowMode: 'array' });
  return rows.map((row: unknown[]) =>
    Object.fromEntries(fields.map(({ name, dataTypeID }, at) => [name, cellFrom(dataTypeID, row[at])])),
  );
}

export function statementsFor(statements: Statements, change: Change): Statement[] {
  const { table } = change;
  switch (change.kind) {
    case 'put':
      return stretches(table, change.rows).map((rows) => ({
        sql: statements.put(table, rows.length),
        values: valuesOf(table, rows),
        ...(rows.length === mostRowsOf(table) && { name: `put ${table.name}`.slice(0, 60) }),
      }));
    case 'drop': {
      const made: Statement[] = [];
      for (let at = 0; at < change.values.length; at += most.rows) {
        const values = change.values.slice(at, at + most.rows);
        made.push({ sql: statements.drop(table, change.column, values.length), values });
      }
      return made;
    }
    case 'blank':
      return [{ sql: statements.blank(table, change.columns), values: change.columns.map(() => null) }];
    case 'clear':
      return [{ sql: statements.clear(table), values: [] }];
  }
}

/** No row twice in a statement: the last one counts, as it would one after the other. */
function stretches(table: Table, all: readonly (readonly Cell[])[]): (readonly Cell[])[][] {
  const at = columnNames(table).indexOf(idColumn);
  const once = [...new Map(all.map((row) => [row[at], row])).values()];
  const mostRows = mostRowsOf(table);
  const made: (readonly Cell[])[][] = [];
  let bytes = 0;
  for (const row of once) {
    const size = sizeOf(row);
    const last = made.at(-1);
    if (last === undefined || last.length >= mostRows || bytes + size > most.bytes) {
      made.push([row]);
      bytes = size;
    } else {
      last.push(row);
      bytes += size;
    }
  }
  return made;
}

function mostRowsOf({ columns }: Table): number {
  return Math.min(most.rows, Math.floor(most.parameters / columns.length));
}

/** In bytes, with what stands around each value: never less than it is. */
function sizeOf(row: readonly Cell[]): number {
  let size = 0;
  for (const cell of row) size += 12 + (typeof cell === 'string' ? cell.length * 3 : 20);
  return size;
}

/** One after the other. A moment says that it is in UTC, whatever the session thinks. */
function valuesOf({ columns }: Table, rows: readonly (readonly Cell[])[]): Cell[] {
  const values: Cell[] = [];
  const moments = columns.map(({ type }) => type === 'timestamptz');
  for (const row of rows) {
    for (let at = 0; at < row.length; at++) {
      const cell = row[at] ?? null;
      values.push(moments[at] && cell !== null ? `${cell}+00` : cell);
    }
  }
  return values;
}

export async function telling<T>(target: PostgresTarget, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const told = databaseError(error, target);
    throw told instanceof Failure ? told : error;
  }
}
