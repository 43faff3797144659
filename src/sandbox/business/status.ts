/** What is in a sandbox: how many records of each kind, and the file that holds them. */
import type { Api } from '../../contract/api.ts';
import type { Database } from '../../storage/database.ts';

export interface Contents {
  /** The file, or `:memory:`. */
  file: string;
  bytes: number;
  /** By the API's own name of the resource, in its order. */
  records: Record<string, { active: number; deleted: number }>;
}

export function contentsOf(database: Database, api: Api): Contents {
  const rows = database.all('SELECT * FROM sandbox_counts');
  const counted = rows.filter(({ name }) => api.resource(String(name)));
  const pages = Number(database.get('PRAGMA page_count')?.page_count);
  const pageBytes = Number(database.get('PRAGMA page_size')?.page_size);
  return {
    file: database.file,
    bytes: pages * pageBytes,
    records: Object.fromEntries(
      counted.map(({ name, active, deleted }) => [
        name,
        { active: Number(active), deleted: Number(deleted) },
      ]),
    ),
  };
}
