/**
 * Creates a mirror's tables in a database, adds missing columns, and stores descriptions. Each statement runs in
 * a transaction of its own.
 */
import { usage } from '../../base/errors.ts';
import type { Mirrored } from '../schema/derive.ts';
import { historyTable, historyTables } from '../schema/history-tables.ts';
import { factsTable, ownTables } from '../schema/state.ts';
import type { Table } from '../schema/table.ts';
import { readStates } from '../sync/states.ts';
import { addColumn, commentStatements, createTable, dropView, indexesOf, wordsView } from './ddl.ts';
import { type Sql, sql } from './sql.ts';
import { stateResets } from './state-resets.ts';
import type { Change, StoredRow } from './store.ts';

/** The input for updating a mirror's tables. */
export interface SchemaUpdate {
  run(sql: string): Promise<void>;
  read(query: Sql): Promise<StoredRow[]>;
  write(changes: readonly Change[]): Promise<void>;
  resources: readonly Mirrored[];
  /** The name of the database in messages: the URL without the password. */
  label: string;
  /** The columns that exist, by table. */
  existing: ReadonlyMap<string, Set<string>>;
}

/** Creates missing tables, columns and views. Throws a usage failure if other tables have the mirror's names. */
export async function updateSchema(update: SchemaUpdate): Promise<void> {
  const { resources, label, write, existing } = update;
  const names = [...resources.flatMap(({ tables }) => tables), ...historyTables].map(({ name }) => name);
  const usedNames = existing.has(factsTable.name) ? [] : names.filter((name) => existing.has(name));
  if (usedNames.length > 0) {
    throw usage(`${label} already has other tables with names that a mirror uses: ${usedNames.join(', ')}.`, {
      hint: 'Use a separate database for the mirror: createdb mirror',
    });
  }
  await runAll(
    update,
    stateTables.flatMap((table) => missingStatements(table, existing)),
  );
  const others = [
    ...historyTables.map((table) => ({
      table,
      stateName: historyTable.name,
      isMain: table === historyTable,
    })),
    ...resources.flatMap(({ resource: { name }, main, tables }) =>
      tables.map((table) => ({ table, stateName: name, isMain: table === main })),
    ),
  ];
  const incomplete = others.filter(({ table }) => missingColumns(table, existing).length > 0);
  const created = incomplete.map(({ table, stateName, isMain }) => ({
    stateName,
    isLost: isMain && !existing.has(table.name),
  }));
  const resets = stateResets(await readStates(update), created);
  if (resets.length > 0) await write(resets);
  await runAll(
    update,
    others.flatMap(({ table }) => missingStatements(table, existing)),
  );
}

/**
 * Runs statements in order, each in a transaction of its own. They are sent together, because a mirror has hundreds
 * of tables and waiting for each answer would take a round trip. Throws the first error once all are answered; the
 * next sync checks what is still missing.
 */
async function runAll({ run }: Pick<SchemaUpdate, 'run'>, statements: readonly string[]): Promise<void> {
  const failed = (await Promise.allSettled(statements.map(run))).find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}

const stateTables = ownTables.filter((table) => !historyTables.includes(table));

function missingColumns(table: Table, existing: ReadonlyMap<string, Set<string>>) {
  return table.columns.filter(({ name }) => !existing.get(table.name)?.has(name));
}

/** Reads the columns of the mirror's schema, the first on the search path, by table. */
export async function columnsIn({ read }: Pick<SchemaUpdate, 'read'>): Promise<Map<string, Set<string>>> {
  const query = sql`SELECT table_name, column_name FROM information_schema.columns
    WHERE table_schema = current_schema()`;
  const columnsByTable = new Map<string, Set<string>>();
  for (const { table_name: table, column_name: column } of await read(query)) {
    const columns = columnsByTable.get(String(table)) ?? new Set();
    columnsByTable.set(String(table), columns.add(String(column)));
  }
  return columnsByTable;
}

/** Creates the missing indexes one after the other. */
export async function makeIndexes(
  { run, read }: Pick<SchemaUpdate, 'run' | 'read'>,
  tables: readonly Table[],
): Promise<void> {
  const indexes = tables.flatMap(indexesOf);
  if (indexes.length === 0) return;
  const query = sql`SELECT indexname FROM pg_indexes
    WHERE schemaname = current_schema() AND tablename IN ${tables.map(({ name }) => name)}`;
  const existing = new Set((await read(query)).map(({ indexname }) => String(indexname)));
  for (const index of indexes) if (!existing.has(index.name)) await run(index.sql);
}

/** Returns the statements that create a table or its missing parts, in order. */
function missingStatements(table: Table, existing: ReadonlyMap<string, Set<string>>): string[] {
  const exists = existing.has(table.name);
  const missing = missingColumns(table, existing);
  const view = wordsView(table);
  const hasView = view !== undefined && existing.has(view.name);
  if (missing.length === 0) return view && !hasView ? [view.sql] : [];
  return [
    ...(exists
      ? missing.map((column) => addColumn('postgres', table, column))
      : [createTable('postgres', table)]),
    ...commentStatements(table),
    ...(view && hasView ? [dropView(view)] : []),
    ...(view ? [view.sql] : []),
  ];
}

/** Returns the statements that drop all tables of a mirror; the views come first. */
export function dropStatements(resources: readonly Mirrored[]): string[] {
  const tables = [...resources.flatMap((each) => each.tables), ...ownTables];
  const views = tables.flatMap((table) => wordsView(table) ?? []);
  return [...views.map(dropView), ...tables.map(({ name }) => `DROP TABLE IF EXISTS "${name}"`)];
}
