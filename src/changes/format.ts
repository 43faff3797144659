/** Describes the file of the change sets of an account: how it is recognized, its tables, and its name in messages. */
import type { Database } from '../storage/database.ts';
import type { FileDescription } from '../storage/failures.ts';
import { fileFormats } from '../storage/formats.ts';
import type { DatabaseFormat } from '../storage/open.ts';
import type { ChangeSet } from './change-set.ts';

/** The columns of the table of sets, which are the members of a set, and their types. */
export const setColumns = {
  id: 'INTEGER PRIMARY KEY',
  name: 'TEXT NOT NULL',
  state: 'TEXT NOT NULL',
  startsAt: 'INTEGER NOT NULL',
  endsAt: 'INTEGER',
  zone: 'TEXT NOT NULL',
  graceMs: 'INTEGER NOT NULL',
  onChanged: 'TEXT NOT NULL',
  note: 'TEXT',
  summary: 'TEXT NOT NULL',
  createdAt: 'INTEGER NOT NULL',
  run: 'TEXT NOT NULL',
  allow: 'TEXT',
  begunAt: 'INTEGER',
  returnRun: 'TEXT',
  returnedAt: 'INTEGER',
  reason: 'TEXT',
} as const satisfies Record<keyof ChangeSet, string>;

/** Creates the tables. `plan` has the bytes of a ledger in base64; `touched` has the fields that the plan changes. */
function createTables(database: Database): void {
  const columns = Object.entries(setColumns).map((column) => column.join(' '));
  database.script(`
    CREATE TABLE sets (${columns.join(', ')}, plan TEXT NOT NULL);
    CREATE INDEX sets_by_name ON sets (name);
    CREATE TABLE touched (
      set_id INTEGER NOT NULL,
      resource TEXT NOT NULL,
      record TEXT NOT NULL,
      field TEXT NOT NULL,
      PRIMARY KEY (set_id, resource, record, field)
    ) WITHOUT ROWID;
    CREATE INDEX touched_by_record ON touched (resource, record);
  `);
}

export function changeSetsFormat(file: string): DatabaseFormat & FileDescription {
  return {
    file,
    ...fileFormats.changeSets,
    createTables,
    remedy: `Restore ${file} from a backup. Without it, boh can't restore the earlier values of active change sets. See boh history.`,
    durability: 'power',
    // The plans contain values of records.
    isPrivate: true,
    busyTimeoutMs: 5000,
    functions: {},
  };
}
