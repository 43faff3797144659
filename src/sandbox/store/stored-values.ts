/** Stores single values of a sandbox, such as its settings and its clock: JSON by name, in the table `sandbox_facts`. */
import type { Database } from '../../storage/database.ts';
import { parseJsonCell, type ShapeCheck } from '../../storage/json-cell.ts';

/**
 * Returns the stored value with a name; undefined if there is none. Throws a storage failure if it doesn't pass the
 * check.
 */
export function readStoredValue<T>(database: Database, name: string, check: ShapeCheck<T>): T | undefined {
  const row = database.get('SELECT value FROM sandbox_facts WHERE name = ?', name);
  return row && parseJsonCell(row.value, database, check);
}

/** Stores a value under a name, or replaces the stored value. */
export function writeStoredValue(database: Database, name: string, value: unknown): void {
  database.run(
    'INSERT INTO sandbox_facts (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
    name,
    JSON.stringify(value),
  );
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isString(value: unknown): value is string {
  return typeof value === 'string';
}

/** Returns a check for arrays whose items all pass a check. */
export function isArrayOf<T>(isItem: ShapeCheck<T>): ShapeCheck<T[]> {
  return (value): value is T[] => Array.isArray(value) && value.every(isItem);
}
