/** Stores facts about a sandbox, such as its settings and its clock: JSON values by name. */
import type { Database } from '../../storage/database.ts';
import { parseJsonCell, type ShapeCheck } from '../../storage/json-cell.ts';

/** Returns a fact; undefined if it isn't stored. */
export function readFact<T>(database: Database, name: string, check: ShapeCheck<T>): T | undefined {
  const row = database.get('SELECT value FROM sandbox_facts WHERE name = ?', name);
  return row && parseJsonCell(row.value, database, check);
}

/** Stores a fact. */
export function writeFact(database: Database, name: string, value: unknown): void {
  database.run(
    'INSERT INTO sandbox_facts (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
    name,
    JSON.stringify(value),
  );
}

/** Returns whether the value is a JSON object. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns whether the value is a string. */
export function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** Returns a check for arrays whose items all pass a check. */
export function isListOf<T>(isOne: ShapeCheck<T>): ShapeCheck<T[]> {
  return (value): value is T[] => Array.isArray(value) && value.every(isOne);
}
