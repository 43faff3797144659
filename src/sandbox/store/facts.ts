/** Single facts about a sandbox: its business, its settings, its clock. Each a JSON value under a name. */
import type { Database } from '../../storage/database.ts';

export function readFact<T>(database: Database, name: string): T | undefined {
  const row = database.get('SELECT value FROM sandbox_facts WHERE name = ?', name);
  return row && (JSON.parse(String(row.value)) as T);
}

export function writeFact(database: Database, name: string, value: unknown): void {
  database.run(
    'INSERT INTO sandbox_facts (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
    name,
    JSON.stringify(value),
  );
}
