/** What everything that happens in the sandbox needs: the store, the moment, who does it, and where new ids come from. */

import { createHash } from 'node:crypto';
import type { Database } from '../storage/database.ts';
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

/** Ids: twelve letters and digits that mean nothing. */
const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';
const length = 12;

/** An id is no secret: the engine’s own generator is at hand, and `node:crypto` takes long to load. */
export function newId(): string {
  return write(Uint8Array.from({ length }, () => Math.random() * alphabet.length));
}

/** Always the same for the same words, so that the demo business is the same everywhere. */
export function idFrom(words: string): string {
  return write(createHash('sha256').update(words).digest());
}

function write(bytes: Uint8Array): string {
  return Array.from(bytes.subarray(0, length), (byte) => alphabet[byte % alphabet.length]).join('');
}
