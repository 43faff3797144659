/** All that a sandbox holds of a business, read from its file: what a write has changed, and what its undo has to put back. */
import { DatabaseSync } from 'node:sqlite';
import { sandboxIn } from './demo-business.ts';

/** When something was written, and in which order, is no part of what a business has. */
const volatile = new Set(['seq', 'from_seq', 'position', 'part_position', 'created_at', 'updated_at']);

type Row = Record<string, unknown>;

/**
 * The rows of each table as texts, sorted. Records that are deleted, and what stands beside them, are left out; parts of a
 * record are without their ids, as a part that was gone comes back as a new one.
 */
export function sandboxState(config: string, sandbox = 'default'): Record<string, string[]> {
  const database = new DatabaseSync(sandboxIn(config, sandbox), { readOnly: true });
  try {
    const tables = tablesOf(database);
    const all = new Map(
      tables.map((name) => [name, database.prepare(`SELECT * FROM "${name}"`).all() as Row[]]),
    );
    const deleted = new Set(
      [...all.values()].flat().flatMap(({ id, deleted_at }) => (deleted_at ? [String(id)] : [])),
    );
    const isThere = (row: Row) =>
      ['id', 'from_id', 'to_id', 'parent_id'].every((name) => !deleted.has(String(row[name])));
    const parts = tables.filter((name) => all.get(name)?.some((row) => 'parent_id' in row));
    return Object.fromEntries(
      [...all].map(([name, rows]) => {
        const isPart = parts.some((part) => name === part || name.startsWith(`${part}_`));
        return [
          name,
          rows
            .filter(isThere)
            .map((row) => textOf(row, isPart))
            .sort(),
        ];
      }),
    );
  } finally {
    database.close();
  }
}

/** Stock is kept behind the API; the other tables of the sandbox's own say how it runs, and who was notified. */
function tablesOf(database: DatabaseSync): string[] {
  const names = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  return names
    .map(({ name }) => String(name))
    .filter((name) => name === 'sandbox_stock' || !/^(sandbox|sqlite)_/.test(name));
}

function textOf(row: Row, isPart: boolean): string {
  // What a link was never given is shown as one that is empty.
  const isEmpty = (value: unknown) => 'to_id' in row && (value === null || value === '' || value === 0);
  const shown = Object.entries(row).filter(
    ([name, value]) =>
      !volatile.has(name) && !isEmpty(value) && !(isPart && (name === 'id' || name === 'from_id')),
  );
  return JSON.stringify(Object.fromEntries(shown));
}
