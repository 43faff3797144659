/** What everything that happens in the sandbox needs: the store, the moment, who does it, and where new ids come from. */
import type { Database } from '../storage/database.ts';
import { newId } from './ids.ts';
import type { Tables } from './store/tables.ts';

export interface Context {
  database: Database;
  tables: Tables;
  /** By the sandbox's clock, in milliseconds since 1970. */
  now: number;
  /** Who does it. */
  userId: string;
  /** An id for a new record of a table. */
  newId: (tableName: string) => string;
}

export function contextAt(database: Database, tables: Tables, now: number, userId: string): Context {
  return { database, tables, now, userId, newId };
}
