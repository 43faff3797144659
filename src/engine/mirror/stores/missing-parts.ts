/**
 * Determines what a mirror lacks: tables, columns, indexes and views of the contract, which another preset or version of boh doesn't
 * have or another program deleted; and which lists must then be read again.
 */
import type { Dialect } from '../../../api/sql/sql.ts';
import type { MirroredResource } from '../schema/derive.ts';
import { historyTable, historyTables } from '../schema/history-tables.ts';
import { sqliteTable } from '../schema/numbers.ts';
import { referenceTables } from '../schema/reference-tables.ts';
import { metadataTable, type State, stateTable, systemTables } from '../schema/state.ts';
import { idColumn } from '../schema/table.ts';
import { stateChange } from '../sync/states.ts';
import { cursorKey } from '../sync/sync-history.ts';
import {
  addColumnStatement,
  commentStatements,
  createTableStatement,
  createViewStatement,
  dropViewStatement,
  indexesOf,
  type View,
  viewsOf,
} from './ddl.ts';
import type { StoreChange } from './store.ts';

export interface ExistingSchema {
  /** The names of the columns by table. */
  columns: ReadonlyMap<string, ReadonlySet<string>>;
  indexes: ReadonlySet<string>;
  hasView(view: View): boolean;
}

/** Returns the names of the columns by table, from rows with `table_name` and `column_name`. */
export function columnsByTable(
  rows: readonly Readonly<Record<string, unknown>>[],
): ExistingSchema['columns'] {
  const columns = new Map<string, Set<string>>();
  for (const { table_name: table, column_name: column } of rows)
    columns.set(String(table), (columns.get(String(table)) ?? new Set()).add(String(column)));
  return columns;
}

/** A table with its columns, its indexes and its views, of which something is missing. */
export interface MissingPart {
  /** The statements that create the table, in order. */
  statements: string[];
  /** The statements that create the views. They come after all tables, because a view reads several. */
  viewStatements: string[];
  /**
   * The name of the resource, or of the history table, whose list must be read again; undefined for indexes, views and
   * the mirror's own tables.
   */
  stateName: string | undefined;
  /** Whether it is a main table that didn't exist at all. */
  isLost: boolean;
}

/** Returns what is missing, the mirror's own tables first. Other tables and columns aren't changed. */
export function missingParts(
  dialect: Dialect,
  resources: readonly MirroredResource[],
  { columns, indexes, hasView }: ExistingSchema,
): MissingPart[] {
  const tables = [
    ...systemTables.map((table) => ({
      table,
      name: historyTables.includes(table) ? historyTable.name : undefined,
      isMain: table === historyTable,
    })),
    ...referenceTables(resources).map((table) => ({ table, name: undefined, isMain: false })),
    ...resources.flatMap(({ resource: { name }, main, tables: resourceTables }) =>
      resourceTables.map((table) => ({ table, name, isMain: table === main })),
    ),
  ];
  return tables.flatMap(({ table, name, isMain }): MissingPart[] => {
    const existingNames = columns.get(table.name);
    const storedTable = dialect === 'sqlite' ? sqliteTable(table) : table;
    const missingColumns = storedTable.columns.filter((column) => !existingNames?.has(column.name));
    const missingViews = viewsOf(dialect, table).filter(
      (view) => missingColumns.length > 0 || !hasView(view),
    );
    // A view has no data of its own, so it can be replaced.
    const viewStatements = missingViews.flatMap((view) => [
      dropViewStatement(view),
      createViewStatement(view),
    ]);
    const indexStatements = indexesOf(table).flatMap(({ name, sql }) => (indexes.has(name) ? [] : [sql]));
    if (missingColumns.length === 0) {
      const isComplete = indexStatements.length + viewStatements.length === 0;
      return isComplete
        ? []
        : [{ statements: indexStatements, viewStatements, stateName: undefined, isLost: false }];
    }
    const tableStatements = existingNames
      ? missingColumns.map((column) => addColumnStatement(dialect, table, column))
      : [createTableStatement(dialect, storedTable)];
    const comments = dialect === 'postgres' ? commentStatements(table) : [];
    const statements = [...tableStatements, ...indexStatements, ...comments];
    return [{ statements, viewStatements, stateName: name, isLost: isMain && !existingNames }];
  });
}

/**
 * Returns changes that reset the sync states of the parts. They must be written before the parts are created or in the same
 * transaction: otherwise an empty mirror would count as up to date.
 */
export function stateResets(
  states: ReadonlyMap<string, State>,
  parts: readonly MissingPart[],
): StoreChange[] {
  const lostNames = new Set(parts.flatMap(({ stateName, isLost }) => (isLost ? [stateName] : [])));
  return [...new Set(parts.map(({ stateName }) => stateName))].flatMap((name): StoreChange[] => {
    const state = name === undefined ? undefined : states.get(name);
    if (!state) return [];
    if (name === historyTable.name)
      return [{ kind: 'drop', table: metadataTable, column: idColumn, values: [cursorKey] }];
    if (lostNames.has(name))
      return [{ kind: 'drop', table: stateTable, column: idColumn, values: [state.resource] }];
    return [stateChange({ ...state, since: undefined, readingPage: undefined })];
  });
}
