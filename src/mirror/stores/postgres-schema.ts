/** Tables of a mirror in a database: made where they are missing, with what they are for, a statement a transaction. */
import { usage } from '../../base/errors.ts';
import type { Mirrored } from '../schema/derive.ts';
import { historyTable, historyTables } from '../schema/history-tables.ts';
import { factsTable, ownTables } from '../schema/state.ts';
import type { Table } from '../schema/table.ts';
import { readStates } from '../sync/states.ts';
import { addColumn, comments, createTable, dropView, indexesOf, wordsView } from './ddl.ts';
import { lapsesOf } from './lapses.ts';
import { type Sql, sql } from './sql.ts';
import type { Change, StoredRow } from './store.ts';

export interface Making {
  run(sql: string): Promise<void>;
  read(query: Sql): Promise<StoredRow[]>;
  write(changes: readonly Change[]): Promise<void>;
  resources: readonly Mirrored[];
  called: string;
  /** What it has already: columns by table. */
  there: ReadonlyMap<string, Set<string>>;
}

/** Throws where tables of somebody else have the names. */
export async function bringUpToDate(making: Making): Promise<void> {
  const { resources, called, write, there } = making;
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
  await runAll(
    making,
    bookkeeping.flatMap((table) => lackingOf(table, there)),
  );
  const others = [
    ...historyTables.map((table) => ({ table, of: historyTable.name, isMain: table === historyTable })),
    ...resources.flatMap(({ resource: { name }, main, tables }) =>
      tables.map((table) => ({ table, of: name, isMain: table === main })),
    ),
  ];
  const lacking = others.filter(({ table }) => missingIn(table, there).length > 0);
  const made = lacking.map(({ table, of, isMain }) => ({ of, isLost: isMain && !there.has(table.name) }));
  const lapses = lapsesOf(await readStates(making), made);
  if (lapses.length > 0) await write(lapses);
  await runAll(
    making,
    others.flatMap(({ table }) => lackingOf(table, there)),
  );
}

/**
 * Each is a transaction of its own, and is done after those before it. They are sent together, as each wait for an answer
 * is a way there and back, and the tables of a mirror take some hundreds. Throws what the first failed of, once all are
 * answered: what comes after it can be done or not, and is looked for again by the next sync.
 */
async function runAll({ run }: Pick<Making, 'run'>, statements: readonly string[]): Promise<void> {
  const failed = (await Promise.allSettled(statements.map(run))).find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}

const bookkeeping = ownTables.filter((table) => !historyTables.includes(table));

function missingIn(table: Table, there: ReadonlyMap<string, Set<string>>) {
  return table.columns.filter(({ name }) => !there.get(table.name)?.has(name));
}

/** Of the mirror’s schema: the first on the search path. */
export async function columnsIn({ read }: Pick<Making, 'read'>): Promise<Map<string, Set<string>>> {
  const query = sql`SELECT table_name, column_name FROM information_schema.columns
    WHERE table_schema = current_schema()`;
  const found = new Map<string, Set<string>>();
  for (const { table_name: table, column_name: column } of await read(query)) {
    const columns = found.get(String(table)) ?? new Set();
    found.set(String(table), columns.add(String(column)));
  }
  return found;
}

/** Those that are missing are made, one after the other. */
export async function makeIndexes(
  { run, read }: Pick<Making, 'run' | 'read'>,
  tables: readonly Table[],
): Promise<void> {
  const wanted = tables.flatMap(indexesOf);
  if (wanted.length === 0) return;
  const query = sql`SELECT indexname FROM pg_indexes
    WHERE schemaname = current_schema() AND tablename IN ${tables.map(({ name }) => name)}`;
  const there = new Set((await read(query)).map(({ indexname }) => String(indexname)));
  for (const index of wanted) if (!there.has(index.name)) await run(index.sql);
}

/** What makes a table, or the rest of it, in its order. */
function lackingOf(table: Table, there: ReadonlyMap<string, Set<string>>): string[] {
  const isThere = there.has(table.name);
  const missing = missingIn(table, there);
  const view = wordsView(table);
  const hasView = view !== undefined && there.has(view.name);
  if (missing.length === 0) return view && !hasView ? [view.sql] : [];
  return [
    ...(isThere
      ? missing.map((column) => addColumn('postgres', table, column))
      : [createTable('postgres', table)]),
    ...comments(table),
    ...(view && hasView ? [dropView(view)] : []),
    ...(view ? [view.sql] : []),
  ];
}

/** What takes a mirror’s tables away, one after the other; its views first. */
export function takingAway(resources: readonly Mirrored[]): string[] {
  const tables = [...resources.flatMap((each) => each.tables), ...ownTables];
  const views = tables.flatMap((table) => wordsView(table) ?? []);
  return [...views.map(dropView), ...tables.map(({ name }) => `DROP TABLE IF EXISTS "${name}"`)];
}
