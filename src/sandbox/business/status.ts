/** Counts the records and bytes of a sandbox. */
import type { Api } from '../../contract/api.ts';
import type { Database } from '../../storage/database.ts';

/** The size of a sandbox: bytes and records. */
export interface SandboxContents {
  /** The file, or `:memory:`. */
  file: string;
  bytes: number;
  /** The numbers of records by the API's resource name, in the API's order. */
  records: Record<string, { active: number; deleted: number }>;
}

/** Returns the size of a sandbox. */
export function contentsOf(database: Database, api: Api): SandboxContents {
  const rows = database.all('SELECT * FROM sandbox_counts');
  const resourceRows = rows.filter(({ name }) => api.resource(String(name)));
  const pages = Number(database.get('PRAGMA page_count')?.page_count);
  const pageBytes = Number(database.get('PRAGMA page_size')?.page_size);
  return {
    file: database.file,
    bytes: pages * pageBytes,
    records: Object.fromEntries(
      resourceRows.map(({ name, active, deleted }) => [
        name,
        { active: Number(active), deleted: Number(deleted) },
      ]),
    ),
  };
}
