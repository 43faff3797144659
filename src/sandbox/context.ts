/** Defines the context of actions in the sandbox (database, time, user, new IDs), and the context of a request. */
import { createHash } from 'node:crypto';
import type { Operation } from '../api/contract/operation.ts';
import type { Database } from '../base/storage/database.ts';
import type { Grant } from './access/tokens.ts';
import type { Variant } from './business/settings.ts';
import type { Table, Tables } from './store/tables.ts';

export interface Context {
  database: Database;
  tables: Tables;
  /** The sandbox's time, in milliseconds since 1970. */
  now: number;
  /** The ID of the user who performs the action. */
  userId: string;
  /** Returns an ID for a new record of a table. */
  newId: (tableName: string) => string;
}

/** Returns a context whose `newId` returns random IDs. `now` is in milliseconds since 1970. */
export function createContext(database: Database, tables: Tables, now: number, userId: string): Context {
  return { database, tables, now, userId, newId };
}

/** The characters of IDs. */
const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';
const idLength = 12;

/** Returns a random ID. IDs aren't secret, so `Math.random` is enough; `node:crypto` takes long to load. */
export function newId(): string {
  return idFromBytes(Uint8Array.from({ length: idLength }, () => Math.random() * alphabet.length));
}

/** Returns an ID that depends only on the text, so that the demo business has the same IDs in every sandbox. */
export function stableId(text: string): string {
  return idFromBytes(createHash('sha256').update(text).digest());
}

function idFromBytes(bytes: Uint8Array): string {
  return Array.from(bytes.subarray(0, idLength), (byte) => alphabet[byte % alphabet.length]).join('');
}

/** The context of a request, after it was routed to an operation. */
export interface OperationCall extends Context {
  grant: Grant;
  /** The variant settings of the simulated deployment. */
  variant: Variant;
  operation: Operation;
  /** The table of the operation's resource. */
  table: Table;
  /** The IDs in the path, in order. */
  ids: readonly string[];
  query: ReadonlyMap<string, string>;
  /** The sent fields; empty for operations without a body. */
  body: Readonly<Record<string, unknown>>;
  /** The URL of the resource's list, for the links of pages. */
  listUrl: string;
}
