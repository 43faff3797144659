/** Counts the records and bytes of a sandbox. */

import type { Database } from '../../storage/database.ts';
import { quoteName } from '../../storage/quote-name.ts';
import type { Tables } from '../store/tables.ts';

/** The size of a sandbox: bytes and records. */
export interface SandboxContents {
  /** The file, or `:memory:`. */
  file: string;
  bytes: number;
  /** The numbers of records by the API's resource name, in alphabetical order. */
  records: Record<string, { active: number; deleted: number }>;
}

export function contentsOf(database: Database, tables: Tables): SandboxContents {
  const pages = Number(database.get('PRAGMA page_count')?.page_count);
  const pageBytes = Number(database.get('PRAGMA page_size')?.page_size);
  const resources = tables.api.collections.filter(({ undocumented }) => !undocumented);
  const names = resources.map(({ name }) => name).sort();
  const records = names.map((name) => {
    const deletedSql = tables.get(name).isSoftDeleted ? 'count(deleted_at)' : '0';
    const counts = database.get(`SELECT count(*) AS total, ${deletedSql} AS deleted FROM ${quoteName(name)}`);
    const [total, deleted] = [Number(counts?.total), Number(counts?.deleted)];
    return [name, { active: total - deleted, deleted }] as const;
  });
  return { file: database.file, bytes: pages * pageBytes, records: Object.fromEntries(records) };
}
