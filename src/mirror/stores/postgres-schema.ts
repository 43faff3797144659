/**
 * Creates a mirror's tables in a database, adds missing columns, and stores descriptions. Each statement runs in
 * a transaction of its own.
 */
import { usage } from '../../base/errors.ts';
import type { MirroredResource } from '../schema/derive.ts';
import { historyTables } from '../schema/history-tables.ts';
import { metadataTable, systemTables } from '../schema/state.ts';
import type { Table } from '../schema/table.ts';
import { readStates } from '../sync/states.ts';
import { dropViewStatement, indexesOf, type WordsView, wordsView } from './ddl.ts';
import {
  columnsByTable,
  type ExistingSchema,
  type MissingPart,
  missingParts,
  stateResets,
} from './missing-parts.ts';
import { type Sql, sql } from './sql.ts';
import type { StoreChange, StoredRow } from './store.ts';

/** The input for updating a mirror's tables. */
export interface SchemaUpdate {
  run(sql: string): Promise<void>;
  read(query: Sql): Promise<StoredRow[]>;
  write(changes: readonly StoreChange[]): Promise<void>;
  resources: readonly MirroredResource[];
  /** The name of the database in messages: the URL without the password. */
  label: string;
  /** The columns that exist, by table. */
  existingColumns: ExistingSchema['columns'];
}

/** Creates missing tables, columns and views. Throws a usage failure if other tables have the mirror's names. */
export async function updateSchema(update: SchemaUpdate): Promise<void> {
  const { resources, label, write, existingColumns } = update;
  const names = [...resources.flatMap(({ tables }) => tables), ...historyTables].map(({ name }) => name);
  const usedNames = existingColumns.has(metadataTable.name)
    ? []
    : names.filter((name) => existingColumns.has(name));
  if (usedNames.length > 0) {
    throw usage(`${label} already has other tables with names that a mirror uses: ${usedNames.join(', ')}.`, {
      hint: 'Use a separate database for the mirror: createdb mirror',
    });
  }
  const hasView = ({ name }: WordsView) => existingColumns.has(name);
  const parts = missingParts('postgres', resources, { columns: existingColumns, hasView });
  const { own = [], data = [] } = Object.groupBy(parts, ({ stateName }) => (stateName ? 'data' : 'own'));
  await runAll(update, own);
  const resets = stateResets(await readStates(update), parts);
  if (resets.length > 0) await write(resets);
  await runAll(update, data);
}

/**
 * Runs statements in order, each in a transaction of its own. They are sent together, because a mirror has hundreds
 * of tables and waiting for each response would take a round trip. Throws the first error once all have ended; the
 * next sync creates what is still missing.
 */
async function runAll({ run }: Pick<SchemaUpdate, 'run'>, parts: readonly MissingPart[]): Promise<void> {
  const results = await Promise.allSettled(parts.flatMap(({ statements }) => statements).map(run));
  const rejectedResult = results.find(({ status }) => status === 'rejected');
  if (rejectedResult?.status === 'rejected') throw rejectedResult.reason;
}

/** Returns the names of the columns by table, in the mirror's schema: the first one of the search path. */
export async function readColumns({ read }: Pick<SchemaUpdate, 'read'>): Promise<ExistingSchema['columns']> {
  const query = sql`SELECT table_name, column_name FROM information_schema.columns
    WHERE table_schema = current_schema()`;
  return columnsByTable(await read(query));
}

/** Creates the missing indexes of tables one after the other. */
export async function createMissingIndexes(
  { run, read }: Pick<SchemaUpdate, 'run' | 'read'>,
  tables: readonly Table[],
): Promise<void> {
  const indexes = tables.flatMap(indexesOf);
  if (indexes.length === 0) return;
  const query = sql`SELECT indexname FROM pg_indexes
    WHERE schemaname = current_schema() AND tablename IN ${tables.map(({ name }) => name)}`;
  const existingIndexes = new Set((await read(query)).map(({ indexname }) => String(indexname)));
  for (const index of indexes) if (!existingIndexes.has(index.name)) await run(index.sql);
}

/** Returns the statements that drop all tables of a mirror; the views come first. */
export function dropStatements(resources: readonly MirroredResource[]): string[] {
  const tables = [...resources.flatMap((resource) => resource.tables), ...systemTables];
  const views = tables.flatMap((table) => wordsView(table) ?? []);
  return [...views.map(dropViewStatement), ...tables.map(({ name }) => `DROP TABLE IF EXISTS "${name}"`)];
}
