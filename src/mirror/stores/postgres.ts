/** A mirror in a database that speaks PostgreSQL’s protocol, written with the SQL that all of these engines take. */
import { setTimeout } from 'node:timers/promises';
import type { Client } from 'pg';
import { Failure } from '../../base/errors.ts';
import { StorageFailure } from '../../storage/failures.ts';
import type { Mirrored } from '../schema/derive.ts';
import { factsTable, schemaVersion } from '../schema/state.ts';
import { type Cell, columnNames, idColumn, type Table } from '../schema/table.ts';
import { keepFact, readFact } from '../sync/states.ts';
import type { PostgresTarget } from '../target.ts';
import { cellFrom } from './postgres-cells.ts';
import { codeOf, connectTo, databaseError } from './postgres-connection.ts';
import { bringUpToDate, columnsIn, makeIndexes } from './postgres-schema.ts';
import type { Sql } from './sql.ts';
import { ColumnsInUse, type Statements, statementsOf } from './statements.ts';
import type { Change, Store, StoredRow } from './store.ts';

/** No statement is larger than this, in bytes. */
const mostBytes = 1_048_576;

/** Rows, or values, of one statement: few forms, so that the server reads each of them once, whatever there is to write. */
const sizes = [250, 50, 10, 1] as const;

/** Another transaction was in the way: nothing was done, and the same may be tried again. */
const inTheWay = new Set(['40001', '40P01']);
const mostAttempts = 10;

/** A row that should not have been there is: nothing was done, and the same may be tried as if it could be. */
const alreadyThere = '23505';

interface Statement {
  sql: string;
  values: readonly Cell[];
}

/** Makes what its tables lack. */
export async function openPostgres(target: PostgresTarget, resources: readonly Mirrored[]): Promise<Store> {
  const client = await connectTo(target);
  const statements = statementsOf('postgres');
  const inUse = new ColumnsInUse();
  const names = new Names();

  let mayAdd = true;
  const attempt = (changes: readonly Change[]) => {
    const all = changes.flatMap((change) => statementsFor({ statements, inUse, mayAdd }, change));
    return inTransaction(client, all, names);
  };
  const write = (changes: readonly Change[]) =>
    telling(target, async () => {
      try {
        await attempt(changes);
      } catch (error) {
        if (!mayAdd || codeOf(error) !== alreadyThere) throw error;
        mayAdd = false;
        await attempt(changes);
      }
    });
  const read = (query: Sql) => telling(target, () => readRows(client, query));
  // What was read before a signal is still written; nothing else is begun after it.
  const run = (sql: string) =>
    telling(target, async () => {
      target.signal?.throwIfAborted();
      await client.query(sql);
    });
  const store: Store = {
    called: target.called,
    dialect: 'postgres',
    write,
    // What the database keeps of old rows is its own to clear away.
    scrub: write,
    index: (tables) => makeIndexes({ run, read }, tables),
    read,
    close: () => client.end(),
  };
  try {
    const version = schemaVersion(resources);
    const there = await columnsIn(store);
    if ((await versionIn(store, there)) > version) throw newer(target);
    await bringUpToDate({ run, read, write, resources, called: target.called, there });
    await write([keepFact(versionFact, String(version))]);
    return store;
  } catch (error) {
    await client.end();
    throw error;
  }
}

const versionFact = 'schema_version';

/** 0 where there is no mirror yet. `known` are the tables, where somebody has looked. */
export async function versionIn(
  reader: Pick<Store, 'read'>,
  known?: ReadonlyMap<string, unknown>,
): Promise<number> {
  const there = known ?? (await columnsIn(reader));
  if (!there.has(factsTable.name)) return 0;
  return Number((await readFact(reader, versionFact)) ?? 0);
}

export function newer({ called }: PostgresTarget): StorageFailure {
  return new StorageFailure('newer', {
    file: called,
    called: 'The mirror',
    remedy: 'Or name another database for a mirror of this version.',
  });
}

/**
 * All of them or none. They are sent together, as each wait for an answer is a way there and back: once the transaction
 * has begun, as each would be one of its own without it, and the end only once all are done.
 */
async function inTransaction(client: Client, statements: readonly Statement[], names: Names): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await client.query('BEGIN');
      const sent = statements.map(({ sql, values }) =>
        client.query({ text: sql, values: values as Cell[], name: names.of(sql) }),
      );
      const failed = (await Promise.allSettled(sent)).find(({ status }) => status === 'rejected');
      if (failed?.status === 'rejected') throw failed.reason;
      await client.query('COMMIT');
      return;
    } catch (error) {
      await client.query('ROLLBACK').catch(() => {});
      if (!inTheWay.has(codeOf(error) ?? '') || attempt >= mostAttempts) throw error;
      await setTimeout(Math.random() * 2 ** attempt * 10);
    }
  }
}

/** What the server knows statements by: it reads each of them once. */
class Names {
  readonly #known = new Map<string, string>();

  of(sql: string): string {
    const name = this.#known.get(sql) ?? `boh ${this.#known.size}`;
    this.#known.set(sql, name);
    return name;
  }
}

export async function readRows(client: Client, query: Sql): Promise<StoredRow[]> {
  const text = query.textFor('postgres');
  const { rows, fields } = await client.query({ text, values: [...query.values], rowMode: 'array' });
  return rows.map((row: unknown[]) =>
    Object.fromEntries(fields.map(({ name, dataTypeID }, at) => [name, cellFrom(dataTypeID, row[at])])),
  );
}

interface Forms {
  statements: Statements;
  inUse: ColumnsInUse;
  /** Rows that are new are added, rather than put in the place of others. */
  mayAdd: boolean;
}

function statementsFor({ statements, inUse, mayAdd }: Forms, change: Change): Statement[] {
  const { table } = change;
  switch (change.kind) {
    case 'put': {
      const { names, places } = inUse.of(table, change.rows);
      const kind = change.isNew && mayAdd ? 'add' : 'put';
      return stretches(onceEach(table, change.rows), sizeOf).map((rows) => ({
        sql: statements[kind](table, names, rows.length),
        values: valuesOf(table, rows, places),
      }));
    }
    case 'drop':
      return stretches(change.values, (value) => sizeOf([value])).map((values) => ({
        sql: statements.drop(table, change.column, values.length),
        values,
      }));
    case 'blank':
      return [{ sql: statements.blank(table, change.columns), values: [] }];
    case 'clear':
      return [{ sql: statements.clear(table), values: [] }];
  }
}

/** No row twice in a statement: the last one counts, as it would one after the other. */
function onceEach(table: Table, rows: readonly (readonly Cell[])[]): readonly (readonly Cell[])[] {
  const at = columnNames(table).indexOf(idColumn);
  if (new Set(rows.map((row) => row[at])).size === rows.length) return rows;
  return [...new Map(rows.map((row) => [row[at], row])).values()];
}

/** Divided into as many as there are statements for, and no more than one may hold. */
function stretches<T>(all: readonly T[], bytesOf: (each: T) => number): T[][] {
  const made: T[][] = [];
  for (let at = 0; at < all.length; at += made.at(-1)?.length ?? 0) {
    const left = all.slice(at, at + sizes[0]);
    const size = sizes.find((count) => count <= left.length && fits(left.slice(0, count), bytesOf)) ?? 1;
    made.push(left.slice(0, size));
  }
  return made;
}

function fits<T>(some: readonly T[], bytesOf: (each: T) => number): boolean {
  return some.reduce((sum, each) => sum + bytesOf(each), 0) <= mostBytes;
}

/** In bytes, with what stands around each value: never less than it is. */
function sizeOf(row: readonly Cell[]): number {
  let size = 0;
  for (const cell of row) size += 12 + (typeof cell === 'string' ? cell.length * 3 : 20);
  return size;
}

/** One after the other. A moment says that it is in UTC, whatever the session thinks. */
function valuesOf({ columns }: Table, rows: readonly (readonly Cell[])[], places: readonly number[]): Cell[] {
  const values: Cell[] = [];
  const moments = columns.map(({ type }) => type === 'timestamptz');
  for (const row of rows) {
    for (const place of places) {
      const cell = row[place] ?? null;
      values.push(moments[place] && cell !== null ? `${cell}+00` : cell);
    }
  }
  return values;
}

/** Throws what the database said, in words; the reason of the signal where that has ended it. */
export async function telling<T>(target: PostgresTarget, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    target.signal?.throwIfAborted();
    const told = databaseError(error, target);
    throw told instanceof Failure ? told : error;
  }
}
