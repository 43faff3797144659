/** Tables of a mirror in a database: made where they are missing, with what they are for, a statement a transaction. */
import { type Compilable, type Kysely, sql } from 'kysely';
import { usage } from '../../errors.ts';
import type { Mirrored } from '../schema/derive.ts';
import { historyTables } from '../schema/history-tables.ts';
import { factsTable, ownTables } from '../schema/state.ts';
import type { Table } from '../schema/table.ts';
import { addColumn, comments, createTable, dropView, indexesOf, wordsView } from './ddl.ts';
import type { StoredRow, Tables } from './store.ts';

export interface Making {
  run(sql: string): Promise<void>;
  read(query: Compilable): Promise<StoredRow[]>;
  queries: Kysely<Tables>;
  resources: readonly Mirrored[];
  /** Told which resources have rows that lack what there is room for now. */
  outgrown: Set<string>;
  called: string;
}

/** Throws where tables of somebody else have the names. */
export async function bringUpToDate(making: Making): Promise<void> {
  const { resources, outgrown, called } = making;
  const there = await columnsIn(making);
  const names = [...resources.flatMap(({ tables }) => tables), ...historyTables].map(({ name }) => name);
  const taken = there.has(factsTable.name) ? [] : names.filter((name) => there.has(name));
  if (taken.length > 0) {
    throw usage(
      `${called} has tables of somebody else by the names that a mirror gives: ${taken.join(', ')}.`,
      {
        hint: 'Give the mirror a database of its own: createdb mirror',
      },
    );
  }
  for (const table of ownTables) await make(making, table, there);
  for (const { resource, main, tables } of resources) {
    const isThere = there.has(main.name);
    for (const table of tables) {
      const isMade = await make(making, table, there);
      if (isMade && isThere) outgrown.add(resource.name);
    }
  }
}

/** Of the mirror’s schema: the first on the search path. */
export async function columnsIn({
  read,
  queries,
}: Pick<Making, 'read' | 'queries'>): Promise<Map<string, Set<string>>> {
  const query = queries
    .selectFrom('information_schema.columns')
    .select(['table_name', 'column_name'])
    .where('table_schema', '=', sql<string>`current_schema()`);
  const found = new Map<string, Set<string>>();
  for (const { table_name: table, column_name: column } of await read(query)) {
    const columns = found.get(String(table)) ?? new Set();
    found.set(String(table), columns.add(String(column)));
  }
  return found;
}

/** Those that are missing are made, one after the other. */
export async function makeIndexes(
  { run, read, queries }: Pick<Making, 'run' | 'read' | 'queries'>,
  tables: readonly Table[],
): Promise<void> {
  const wanted = tables.flatMap(indexesOf);
  if (wanted.length === 0) return;
  const query = queries
    .selectFrom('pg_indexes')
    .select('indexname')
    .where('schemaname', '=', sql<string>`current_schema()`)
    .where(
      'tablename',
      'in',
      tables.map(({ name }) => name),
    );
  const there = new Set((await read(query)).map(({ indexname }) => String(indexname)));
  for (const index of wanted) if (!there.has(index.name)) await run(index.sql);
}

/** Answers whether there is more room than there was. */
async function make(
  { run }: Making,
  table: Table,
  there: ReadonlyMap<string, Set<string>>,
): Promise<boolean> {
  const known = there.get(table.name);
  const missing = table.columns.filter(({ name }) => !known?.has(name));
  const view = wordsView(table);
  const hasView = view !== undefined && there.has(view.name);
  if (missing.length === 0) {
    if (view && !hasView) await run(view.sql);
    return false;
  }
  if (known) for (const column of missing) await run(addColumn('postgres', table, column));
  else await run(createTable('postgres', table));
  for (const each of comments(table)) await run(each);
  if (view && hasView) await run(dropView(view));
  if (view) await run(view.sql);
  return true;
}

/** What takes a mirror’s tables away, one after the other; its views first. */
export function takingAway(resources: readonly Mirrored[]): string[] {
  const tables = [...resources.flatMap((each) => each.tables), ...ownTables];
  const views = tables.flatMap((table) => wordsView(table) ?? []);
  return [...views.map(dropView), ...tables.map(({ name }) => `DROP TABLE IF EXISTS "${name}"`)];
}
