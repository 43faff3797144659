/** Reads the state of a business from a sandbox file, to compare it before a write and after its undo. */
import { DatabaseSync } from 'node:sqlite';
import { sandboxFile } from './demo-business.ts';

/** Columns with the time or the order of writes, which are not part of the state. */
const ignoredColumns = new Set(['seq', 'position', 'part_position', 'created_at', 'updated_at']);

type Row = Record<string, unknown>;

/**
 * Returns the rows of each table as sorted JSON strings, without deleted records and their dependents. Parts of a record have no
 * IDs, because a restored part has a new ID.
 */
export function sandboxState(config: string, sandbox = 'default'): Record<string, string[]> {
  const database = new DatabaseSync(sandboxFile(config, sandbox), { readOnly: true });
  try {
    const tables = tablesOf(database);
    const rowsByTable = new Map(
      tables.map((name) => [name, database.prepare(`SELECT * FROM "${name}"`).all() as Row[]]),
    );
    const deletedIds = new Set(
      [...rowsByTable.values()].flat().flatMap(({ id, deleted_at }) => (deleted_at ? [String(id)] : [])),
    );
    const isActive = (row: Row) =>
      ['id', 'from_id', 'to_id', 'parent_id'].every((name) => !deletedIds.has(String(row[name])));
    const parts = tables.filter((name) => rowsByTable.get(name)?.some((row) => 'parent_id' in row));
    return Object.fromEntries(
      [...rowsByTable].map(([name, rows]) => {
        const isPart = parts.some((part) => name === part || name.startsWith(`${part}_`));
        return [
          name,
          rows
            .filter(isActive)
            .map((row) => formatRow(row, isPart))
            .sort(),
        ];
      }),
    );
  } finally {
    database.close();
  }
}

/** Returns the tables to compare. Of the sandbox's internal tables only stock is part of the business. */
function tablesOf(database: DatabaseSync): string[] {
  const names = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  return names
    .map(({ name }) => String(name))
    .filter((name) => name === 'sandbox_stock' || !/^(sandbox|sqlite)_/.test(name));
}

function formatRow(row: Row, isPart: boolean): string {
  // A link value that was never set equals an empty one.
  const isEmpty = (value: unknown) => 'to_id' in row && (value === null || value === '' || value === 0);
  const comparedValues = Object.entries(row).filter(
    ([name, value]) =>
      !ignoredColumns.has(name) && !isEmpty(value) && !(isPart && (name === 'id' || name === 'from_id')),
  );
  return JSON.stringify(Object.fromEntries(comparedValues));
}
