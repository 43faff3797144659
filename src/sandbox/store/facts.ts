/** Single facts about a sandbox: its business, its settings, its clock. Each a JSON value under a name. */
import type { Database } from '../../storage/database.ts';
import { type Check, jsonIn } from '../../storage/json-cell.ts';

/** Undefined where it was never written. */
export function readFact<T>(database: Database, name: string, isRight: Check<T>): T | undefined {
  const row = database.get('SELECT value FROM sandbox_facts WHERE name = ?', name);
  return row && jsonIn(row.value, database, isRight);
}

export function writeFact(database: Database, name: string, value: unknown): void {
  database.run(
    'INSERT INTO sandbox_facts (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
    name,
    JSON.stringify(value),
  );
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isText(value: unknown): value is string {
  return typeof value === 'string';
}

export function isListOf<T>(isOne: Check<T>): Check<T[]> {
  return (value): value is T[] => Array.isArray(value) && value.every(isOne);
}
